/** Guards of waves: workers count who approved one, as people signed it. */
const JUDGE = 'activities/authority/judge-run.ts';
const LEAVES = 'domain/authority/member-leaves.ts';
const APPROVALS = 'domain/fleet/wave-approvals.ts';

const run = (only) => ({ tests: ['test/activities/authority/approved-waves.test'], only });
const counted = (only) => ({ tests: ['test/domain/fleet/wave-approvals.test'], only });

const AUTHORISE = 'domain/authority/authorise.ts';
export const WAVE_GUARDS = [
  {
    name: 'waves: a worker counts the approvals',
    file: JUDGE,
    from: 'wrongApproval(approvals, wave, asked) ??',
    to: '',
    ...{ ...run('with too few is not begun'), composed: true },
  },
  {
    name: 'waves: what a wave demands is what was signed',
    file: 'domain/authority/authorise.ts',
    from: '...(wave && { wave }),',
    to: '...(wave && { wave: { ...wave, before: 2 } }),',
    ...run('that it demands no one'),
  },
  {
    name: 'waves: no approval delays a rollback',
    file: JUDGE,
    from: "if (wave === undefined || decide?.target !== 'ccm') return null;",
    to: 'if (wave === undefined || decide === null) return null;',
    ...run('is left by a rollback'),
  },
  {
    name: 'waves: no fence is taken before the approvals',
    file: JUDGE,
    from: 'wrongApproval(approvals, wave, { decide }) ??',
    to: '',
    ...run('takes no fence'),
  },
  {
    name: 'waves: a member that people sent back takes the fence without approvals',
    file: AUTHORISE,
    from: "return turn.statement.verb === 'rollBack' ? 'kcm' : 'ccm';",
    to: "return 'ccm';",
    ...run('is left by a rollback'),
  },
  {
    name: 'waves: an approval is of the plan and its revision',
    file: APPROVALS,
    from: 'if (!subjects.includes(subject) || ',
    to: "if (subject === '' || ",
    ...{ ...counted('of one of another revision do not'), composed: true },
  },
  {
    name: 'waves: an approval is of this fleet',
    file: APPROVALS,
    from: '!isOfFleetRun(start.statement, statement)) return null;',
    to: "runId === '') return null;",
    ...counted('that an earlier fleet of its name was given'),
  },
  {
    name: 'waves: an approval that was over before the plan is of no use',
    file: APPROVALS,
    from: 'if (!outlasted(start.statement, statement)) return null;',
    to: 'outlasted(start.statement, statement);',
    ...counted('over before the plan could be taken'),
  },
  {
    name: 'waves: an approval whose time has not come is of no use',
    file: JUDGE,
    from: '.filter((each) => hasBegun(each.statement, nowMs));',
    to: '.filter((each) => hasBegun(each.statement, Number.POSITIVE_INFINITY));',
    ...run('has no step by an approval whose time has not come'),
  },
  {
    name: 'waves: an approval that no fleet accepts takes no fence',
    file: JUDGE,
    from: 'lastsTooLong(access, statement) === null;',
    to: 'lastsTooLong(access, statement) !== undefined;',
    ...run('whose time lasts for longer'),
    composed: true,
  },
  {
    name: 'waves: who asked does not approve',
    file: APPROVALS,
    from: 'requester: start.by.name };',
    to: 'requester: null };',
    ...counted('of who asked count only where'),
  },
  {
    name: 'waves: one person counts once',
    file: APPROVALS,
    from: 'if (role !== null && !counted.has(name)) counted.set(name, ',
    to: 'if (role !== null) counted.set(approval.statement.nonce + name, ',
    ...counted('count once for each person'),
  },
  {
    name: 'waves: an approver that the plan does not name does not count',
    file: APPROVALS,
    from: ' || !isAmong(wave.approvers, by.name)',
    to: '',
    ...counted('count where the plan names their people'),
  },
  {
    name: 'waves: one that was over when the plan was revised demands none',
    file: LEAVES,
    from: 'before === 0 || overAtRevision === true ? null',
    to: 'before === 0 ? null',
    tests: ['test/domain/authority/member-leaves.test'],
    only: 'demand nothing for a wave that was over',
  },
  {
    name: 'waves: a start that a new plan overtook waits for its approvals',
    file: 'domain/fleet/fleet-outbox.ts',
    from: 'row.target !== FORWARD || beginObstacle(state, headroom, row) !== null',
    to: "beginObstacle(state, headroom, row)?.kind === 'paused'",
    tests: ['test/domain/fleet/fleet-outbox.test'],
    only: 'one that a new plan overtook waits',
  },
  {
    name: 'waves: the fleet keeps approvals as they were signed',
    file: 'domain/fleet/fleet-approvals.ts',
    from: 'principal === undefined || signed === undefined ? {} : { signed };',
    to: '{};',
    tests: ['test/domain/fleet/approvals.test'],
    only: 'is kept as it was signed',
  },
];
