/** Guards of approvals: who may give them, for what, for how long, and what waits for them. */
const WAVES = 'domain/fleet/waves.ts';
const APPROVALS = 'domain/fleet/fleet-approvals.ts';
const admission = { tests: ['test/domain/fleet/admission.test'] };
const commands = { tests: ['test/domain/fleet/commands.test'] };
const approvals = { tests: ['test/domain/fleet/approvals.test'] };

export const FLEET_APPROVAL_GUARDS = [
  {
    name: 'fleet approvals: one key approves once, whatever names it claims',
    file: APPROVALS,
    from: 'isSamePerson(one.actor, command.actor) || isSameSigner(one, command)',
    to: 'isSamePerson(one.actor, command.actor)',
    ...approvals,
  },
  {
    name: 'fleet approvals: an approver is known by its key, not by its name',
    file: APPROVALS,
    from: 'const { actor, principal: known = actor } = command;',
    to: 'const { actor, actor: known } = command;',
    ...approvals,
  },
  {
    name: 'fleet approvals: who revised it is known by the key',
    file: APPROVALS,
    from: 'return isFrom({ actor, ...signerIn({ principal }) }, command);',
    to: 'return isFrom({ actor }, command);',
    ...approvals,
  },
  {
    name: 'fleet admission: a command has whose key it was',
    file: 'workflows/fleet/fleet-admission.ts',
    from: "return principal === '' ? said : { ...said, principal };",
    to: 'return said;',
    tests: ['test/workflows/fleet-admission.test'],
    only: 'counts the approvals of one key once',
  },
  {
    name: 'authority: who asked for a fleet does not set its budget',
    file: 'domain/authority/verb-roles.ts',
    from: "budget: { ...byOperator, forSecondPerson: 'set its budget' },",
    to: 'budget: byOperator,',
    tests: ['test/domain/authority/authorise.test'],
  },
  {
    name: 'fleet waves: approvals expire',
    file: WAVES,
    from: 'nowMs < atMs + policy.approvalExpiryMs',
    to: 'nowMs < atMs + 9 * policy.approvalExpiryMs',
    ...approvals,
  },
  {
    name: 'fleet waves: an approval after the last one keeps the fleet open',
    file: WAVES,
    from: "const waits = kind === 'approvalAfter' || kind === 'rejected';",
    to: "const waits = kind === 'rejected';",
    ...approvals,
  },
  {
    name: 'fleet waves: the rejection of the last one keeps the fleet open',
    file: WAVES,
    from: "const waits = kind === 'approvalAfter' || kind === 'rejected';",
    to: "const waits = kind === 'approvalAfter';",
    ...approvals,
  },
  {
    name: 'fleet waves: no approval is awaited of what was rolled back',
    file: WAVES,
    from: 'waits && countIn(state.rows, IN_WAVES, `${wave.index} proven`) > 0',
    to: 'waits',
    ...approvals,
  },
  {
    name: 'fleet approvals: none is asked for what goes back',
    file: WAVES,
    from: 'return waiting || awaitsSignOff(state, wave);',
    to: 'return true;',
    tests: ['test/domain/fleet/fleet-needs.test'],
  },
  {
    name: 'fleet approvals: the end of a wave is asked for where another one waits',
    file: WAVES,
    from: 'return waiting || awaitsSignOff(state, wave);',
    to: 'return awaitsSignOff(state, wave);',
    tests: ['test/domain/fleet/fleet-needs.test'],
  },
  {
    name: 'fleet needs: a fleet that is over waits for no one',
    file: 'domain/fleet/fleet-needs.ts',
    from: 'state.stopped || isFleetOver(state)',
    to: 'state.stopped',
    tests: ['test/domain/fleet/fleet-needs.test'],
  },
  {
    name: 'fleet approvals: for this plan and revision',
    file: APPROVALS,
    from: 'planDigest !== state.planDigest || revision !== state.revision',
    to: 'planDigest === revision.toString()',
    ...approvals,
  },
  {
    name: 'fleet approvals: never from the requester',
    file: APPROVALS,
    from: '  if (isRequester(state, command)) return orderRefused(state, `${actor} asked for this fleet`);\n',
    to: '',
    ...approvals,
  },
  {
    name: 'fleet approvals: each person once',
    file: APPROVALS,
    from: 'given.some((each) => isFrom(each, command))',
    to: 'given.some((each) => isSameSigner(each, command))',
    ...approvals,
  },
  {
    name: 'fleet approvals: higher limits need another person',
    file: APPROVALS,
    from: 'if (isFrom(pendingLimits, command))',
    to: 'if (isSameSigner(pendingLimits, command))',
    ...commands,
  },
  {
    name: 'fleet approvals: the budget is for a second person',
    file: APPROVALS,
    from: '  if (isRequester(state, command)) {\n    return orderRefused(state, `${command.actor} asked for this fleet`);\n  }\n',
    to: '',
    ...admission,
  },
  {
    name: 'fleet approvals: from the approvers of the wave alone',
    file: APPROVALS,
    from: 'approvers === null || approvers.some(',
    to: 'approvers === null || !approvers.some(',
    ...approvals,
  },
  {
    name: 'fleet approvals: a person in any spelling',
    file: 'domain/run/same-person.ts',
    from: 'one.trim().toLowerCase() === other.trim().toLowerCase()',
    to: 'one === other',
    ...approvals,
  },
];
