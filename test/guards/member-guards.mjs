/** Guards of a run that belongs to a fleet: orders that count once, slots, brakes, and reports. */
const ORDERS = 'domain/run/apply-orders.ts';
const TIES = 'domain/run/fleet-ties.ts';
const LOOP = 'domain/run/resume-loop.ts';
const MILESTONES = 'domain/fleet/member-milestones.ts';
const orders = { tests: ['test/domain/run/orders.test'] };
const parked = { tests: ['test/domain/run/parked-member.test'] };
const milestones = { tests: ['test/domain/fleet/member-'] };

export const MEMBER_GUARDS = [
  {
    name: 'member orders: another fleet run is another fleet',
    file: TIES,
    from: 'fleetRun === of.fleetRun && ',
    to: '',
    ...orders,
  },
  {
    name: 'member orders: another row is another run',
    file: TIES,
    from: ' && row === of.row;',
    to: ';',
    ...orders,
  },
  {
    name: 'member orders: a former grant is over',
    file: TIES,
    from: 'same && (grant >= of.grant || ',
    to: 'same && (grant >= 0 || ',
    ...orders,
  },
  {
    name: 'member orders: a run without a fleet is only adopted',
    file: TIES,
    from: "if (of === null) return order.kind === 'adopt';",
    to: 'if (of === null) return true;',
    ...orders,
  },
  {
    name: 'member orders: nothing follows a stop',
    file: ORDERS,
    from: "state.operatorHold.kind === 'stop' || ",
    to: '',
    ...orders,
  },
  {
    name: 'member orders: a grant counts once',
    file: ORDERS,
    from: '  if (!isNewer(state, message)) return state;\n  const wants',
    to: '  const wants',
    ...orders,
  },
  {
    name: 'member orders: a turn counts once',
    file: ORDERS,
    from: '  if (sent === lastTurn) return state;\n',
    to: '',
    ...orders,
  },
  {
    name: 'member orders: a released brake is over',
    file: ORDERS,
    from: 'released.includes(commandId) || brakes.some',
    to: 'brakes.some',
    ...orders,
  },
  {
    name: 'member orders: a brake ends by its own release',
    file: ORDERS,
    from: 'brakes.filter((each) => each.commandId !== commandId)',
    to: 'brakes.slice(brakes.length)',
    ...orders,
  },
  {
    name: 'member orders: an order without effect disturbs nothing',
    file: 'domain/run/advance.ts',
    from: 'disturbs(queued, after) ? ',
    to: 'disturbs(state, after) || after !== null ? ',
    ...orders,
  },
  {
    name: 'a parked member changes nothing',
    file: LOOP,
    from: "  if (membership.slot === 'givenBack') return parked(state);\n",
    to: '',
    ...parked,
  },
  {
    name: 'a parked member is held by a breach',
    file: 'domain/run/guard-events.ts',
    from: "return isAlerted || state.membership.slot === 'givenBack';",
    to: 'return isAlerted;',
    ...parked,
  },
  {
    name: 'a parked member observes before it goes on',
    file: ORDERS,
    from: 'pending: { ...state.pending, observed: true } }, { slot',
    to: 'pending: { ...state.pending } }, { slot',
    ...parked,
  },
  {
    name: 'a parked member keeps the target that a person gave it',
    file: ORDERS,
    from: 'target !== state.membership.ordered && target !== state.direction.target',
    to: 'target !== state.direction.target',
    ...parked,
  },
  {
    name: 'a braked member changes nothing',
    file: 'domain/run/alert-pauses.ts',
    from: ' || holdingBrakes(state).length > 0;',
    to: ';',
    ...orders,
  },
  {
    name: 'member reports: only the last soak frees the slot',
    file: MILESTONES,
    from: "(next?.kind === 'step' && next.planned.keepsProof)",
    to: "next?.kind === 'step'",
    ...milestones,
  },
  {
    name: 'member reports: what a failed step wrote is unknown',
    file: 'domain/run/resume-loop.ts',
    from: 'hasStepped(done) || membership.mayHaveWritten',
    to: 'hasStepped(done)',
    ...milestones,
  },
  {
    name: 'member reports: a closed gate wrote nothing',
    file: 'domain/run/advance.ts',
    from: "membership.mayHaveWritten || failure.type !== 'GateFailed'",
    to: "membership.mayHaveWritten || failure.type !== 'NoWorker'",
    ...milestones,
  },
  {
    name: 'member reports: an absent guard is no hold yet',
    file: MILESTONES,
    from: "kind !== 'unserved' || membership",
    to: "kind !== 'failure' || membership",
    ...milestones,
  },
  {
    name: 'member reports: ready only when a person has not paused it',
    file: MILESTONES,
    from: 'ownPause(state) !== null ? { heals: true, signature: PAUSED } : null',
    to: "state.operatorHold.kind === 'stop' ? { heals: true, signature: PAUSED } : null",
    ...milestones,
  },
];
