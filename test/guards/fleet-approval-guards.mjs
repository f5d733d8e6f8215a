/** Guards of approvals: who may give them, for what, for how long, and what waits for them. */
const WAVES = 'domain/fleet/waves.ts';
const APPROVALS = 'domain/fleet/fleet-approvals.ts';
const admission = { tests: ['test/domain/fleet/admission.test'] };
const commands = { tests: ['test/domain/fleet/commands.test'] };
const approvals = { tests: ['test/domain/fleet/approvals.test'] };

export const FLEET_APPROVAL_GUARDS = [
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
    from: '  if (isSamePerson(actor, state.requester)) {\n    return orderRefused(state, `${actor} asked for this fleet`);\n  }\n  const wave',
    to: '  const wave',
    ...approvals,
  },
  {
    name: 'fleet approvals: each person once',
    file: APPROVALS,
    from: 'given.some((each) => isSamePerson(each.actor, actor))',
    to: 'given.some((each) => isSamePerson(each.actor, `${actor}!`))',
    ...approvals,
  },
  {
    name: 'fleet approvals: higher limits need another person',
    file: APPROVALS,
    from: 'if (isSamePerson(actor, pendingLimits.actor))',
    to: "if (isSamePerson(actor, ''))",
    ...commands,
  },
  {
    name: 'fleet approvals: the budget is for a second person',
    file: APPROVALS,
    from: '  if (isSamePerson(actor, state.requester)) {\n    return orderRefused(state, `${actor} asked for this fleet`);\n  }\n  if (clusters',
    to: '  if (clusters',
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
