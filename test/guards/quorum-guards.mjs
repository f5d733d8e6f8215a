/** Guards of the quorum of a handover: as many people approve it as the access policy says, and each counts once. */
const AUTHORISE = 'domain/authority/authorise.ts';
const APPROVALS = 'domain/run/approvals.ts';
const direction = (only) => ({
  tests: ['test/domain/authority/direction-commands.test'],
  only,
});
const run = (only) => ({ tests: ['test/domain/run/approvals.test'], only });
const verifiers = (only) => ({ tests: ['test/cli/audit/second-verifier.test'], only });

export const QUORUM_GUARDS = [
  {
    name: 'quorum: a step needs all approvals of its handover',
    file: AUTHORISE,
    from: 'what === HANDOVER_APPROVAL ? handoverQuorum : 1',
    to: '1',
    ...direction('with one approval of two'),
  },
  {
    name: 'quorum: one person is one approval, to the worker',
    file: AUTHORISE,
    from: 'return new Set(those.map(({ by }) => by.name)).size;',
    to: 'return those.length;',
    ...direction('with two of one person'),
  },
  {
    name: 'quorum: the worker counts by the policy that it reads now',
    file: 'activities/authority/judge-run.ts',
    from: '...{ target, approvals, handoverQuorum },',
    to: '...{ target, approvals, handoverQuorum: Math.min(handoverQuorum, 1) },',
    tests: ['test/activities/authority/due-steps.test'],
    only: 'a handover that two must approve is not carried out when one has',
  },
  {
    name: 'quorum: a run is told how many it takes',
    file: 'activities/authority/admit-command.ts',
    from: "verb === 'approve' && quorum > 1",
    to: "verb === 'approve' && quorum > 9",
    tests: ['test/activities/authority/admitted-commands.test'],
    only: 'of one of several who must approve says how many',
  },
  {
    name: 'quorum: a run waits for the others',
    file: APPROVALS,
    from: 'const isEnough = by.length >= quorum;',
    to: 'const isEnough = by.length > 0;',
    ...run('it waits for the second, and says who was the first'),
  },
  {
    name: 'quorum: one person is one approval, to the run',
    file: APPROVALS,
    from: 'before.includes(principal) ? before :',
    to: 'principal === null ? before :',
    ...run('one person is one approval, whatever name it claims'),
  },
  {
    name: 'quorum: who approved before a rejection is asked again',
    file: APPROVALS,
    from: '      ...state,\n      direction,\n      problems: { ...state.problems, holdReason: { kind',
    to: '      ...state,\n      problems: { ...state.problems, holdReason: { kind',
    ...run('a rejection drops what was given before it'),
  },
  {
    name: 'quorum: an approval of something else is none of the handover',
    file: APPROVALS,
    from: "if (code !== '' && code !== what) return refused(state, otherApproval(what, code));",
    to: '',
    ...run('an approval that names something else than the handover'),
  },
  {
    name: 'quorum: a run is told that an approval names what it is of',
    file: 'workflows/command-admission.ts',
    from: "? code !== undefined && patched('exact-approvals')",
    to: "? code === '' && patched('exact-approvals')",
    tests: ['test/workflows/admission.test'],
    only: 'an approval of something else leaves the handover waiting',
  },
  {
    name: 'quorum: a policy asks for no more people than may approve',
    file: 'config/access/access-policy-file.ts',
    from: '[...contradictions(policy), ...unattainable(policy)]',
    to: '[...contradictions(policy)]',
    tests: ['test/config/access/access-policy-file.test'],
    only: 'says how many people must approve a handover',
  },
  {
    name: 'quorum: the second verifier counts people',
    file: 'tools/audit-verify/signatures.py',
    from: 'want(len(people) >= wanted,',
    to: 'want(people,',
    ...verifiers('must approve, approved by'),
  },
];
