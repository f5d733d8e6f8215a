/** Guards of the activities: the fence, proofs, sequences and preconditions. Stories on the simulator must fail without them. */
const LAST_MOMENT = 'test/activities/stories/last-moment.test';
const REFUSALS = 'test/activities/stories/refusals.test';
const VERDICT = 'activities/fence/read-fence.ts';
const MUTATION = 'activities/fence/fenced-mutation.ts';
const STATIC_POD = 'activities/execute/change-static-pod.ts';
const RELEASES = 'activities/execute/release-leases.ts';
const PRECONDITIONS = 'activities/execute/preconditions.ts';

const last = (only) => ({ tests: [LAST_MOMENT], only });
const refusals = (only) => ({ tests: [REFUSALS], only });
const CHANGE_IN_ORDER = last('a change copies, removes, proves, releases and writes');
const IN_THE_MIDDLE = refusals('stops before the next write when the guard records a breach');

export const ACTIVITY_GUARDS = [
  {
    name: 'fence: an older epoch writes nothing',
    file: VERDICT,
    from: 'if (fence.epoch !== token.epoch) {',
    to: 'if (fence.epoch !== token.epoch && fence.epoch < 0) {',
    ...refusals('writes nothing in an old epoch'),
  },
  {
    name: 'fence: its guard must be running',
    file: VERDICT,
    from: 'if (age <= renewalLimitMs(token, mode)) return null;',
    to: 'if (age <= 1000 * renewalLimitMs(token, mode)) return null;',
    ...last('has missed three renewals writes no more'),
  },
  {
    name: 'fence: a breach stops every write',
    file: VERDICT,
    from: "if (open.length === 0) return { kind: 'open' };",
    to: "if (open.length >= 0) return { kind: 'open' };",
    ...IN_THE_MIDDLE,
  },
  {
    name: 'fence: read before each write',
    file: MUTATION,
    from: 'const checkedAtMs = await checkFence(writer, token);',
    to: 'const checkedAtMs = Infinity;',
    ...last('a breach that is recorded while the successor is written'),
  },
  {
    name: 'fence: one read permits one write',
    file: MUTATION,
    from: '  seen.fence = null;\n',
    to: '',
    ...last('a breach that is recorded while the successor is written'),
  },
  {
    name: 'evidence: what existed before is not recorded as our effect',
    file: MUTATION,
    from: "if (found === 'applied' && type === 'Conflict') {",
    to: "if (found === 'applied' && type === null) {",
    tests: ['test/activities/stories/stale-reads.test'],
  },
  {
    name: 'fence: a refusal rests on two observations',
    file: 'activities/fence/take-fence.ts',
    from: 'if (refusals > 1) throw',
    to: 'if (refusals > 0) throw',
    tests: ['test/activities/stories/stale-reads.test'],
  },
  {
    name: 'fence: a second run is refused',
    file: 'activities/fence/take-fence.ts',
    from: 'if (input.takeOver === undefined) return refused(heldByAnother(fence));',
    to: '',
    ...refusals('a step of a second run is refused'),
  },
  {
    name: 'fence: a displaced run stays displaced',
    file: 'activities/fence/take-fence.ts',
    from: 'if (fence.displaced === input.runId) {',
    to: 'if (fence.displaced === input.runId && fence.epoch < 0) {',
    ...last('a run that was displaced does not return'),
  },
  {
    name: 'fence: a write that comes late reads it again',
    file: MUTATION,
    from: 'if (!isFresh(writer, checkedAtMs)) await',
    to: 'if (!isFresh(writer, Infinity)) await',
    ...last('a breach that is recorded while an intent takes long to record stops its write'),
  },
  {
    name: 'evidence: the intent is written before the effect',
    file: MUTATION,
    from: '  await writer.evidence.begin(intent);\n  try {\n    await act();',
    to: '  try {\n    await act();\n    await writer.evidence.begin(intent);',
    tests: ['test/activities/stories/lost-answers.test'],
    only: 'offset 0',
    composed: true,
  },
  {
    name: 'order: the successor is staged before the manifest is removed',
    file: STATIC_POD,
    from: '  await writeSuccessor(session, node.name, manager, wanted, disk);\n',
    to: '',
    ...IN_THE_MIDDLE,
  },
  {
    name: 'order: the process is proven gone before the successor starts',
    file: STATIC_POD,
    from: 'const host = await awaitProcessGone(session, node.name, manager);',
    to: 'const host = await hostOf(session, node.name);',
    ...CHANGE_IN_ORDER,
  },
  {
    name: 'order: Leases are released between the old process and the new',
    file: RELEASES,
    from: '  if (terminated !== null) await releaseLeases(session, terminated, order);\n',
    to: '',
    ...CHANGE_IN_ORDER,
  },
  {
    name: 'order: the mirror pod is gone before the successor starts (P12)',
    file: STATIC_POD,
    from: '  await awaitMirrorPodGone(session, node.name, manager, endedAtMs);\n',
    to: '',
    ...CHANGE_IN_ORDER,
  },
  {
    name: 'release: no process of that manager existed when the Lease was acquired',
    file: RELEASES,
    from: 'if (suspects.length > 0) return null;',
    to: '',
    ...refusals('never releases the Lease of a paused holder'),
  },
  {
    name: 'release: a Lease that is still renewed has a live holder, whatever its host shows',
    file: 'activities/execute/release-lease.ts',
    from: 'if (await isRenewed(session, now)) {',
    to: 'if ((await isRenewed(session, now)) && holder === lease.name) {',
    ...refusals('renewed by a process that its host does not show'),
  },
  {
    name: 'release: requires a proof',
    file: 'activities/execute/release-lease.ts',
    from: 'if (proof === null) {',
    to: 'if (proof === null && holder === lease.name) {',
    ...refusals('never releases the Lease of a paused holder'),
  },
  {
    name: 'release: empties only the Lease that was proven',
    file: RELEASES,
    from: '            resourceVersion: lease.resourceVersion,\n',
    to: '',
    ...last('a Lease that another process acquired since the proof'),
  },
  {
    name: 'preconditions: the step still fits',
    file: PRECONDITIONS,
    from: 'if (why !== null) {',
    to: 'if (why !== null && why.length < 0) {',
    ...last('a step that no longer fits begins nothing'),
  },
  {
    name: 'preconditions: nothing starts that could become a second owner (I2)',
    file: PRECONDITIONS,
    from: 'if (config === null || mayStart(factsOf',
    to: 'if (config === null || config.leaderElect || mayStart(factsOf',
    ...last('a step that no longer fits begins nothing: a CCM beside'),
    composed: true,
  },
  {
    name: 'preconditions: nothing begins beside a stopped manager (P13)',
    file: PRECONDITIONS,
    from: "'noPausedManager', ",
    to: '',
    ...refusals('never releases the Lease of a paused holder'),
  },
  {
    name: 'machines: an order is the same order in every epoch',
    file: 'activities/execute/add-machine.ts',
    from: 'return `${token.workflowId}/${token.runId}/',
    to: 'return `${String(token.epoch)}/${token.workflowId}/${token.runId}/',
    ...last('in a newer epoch keeps its key'),
  },
  {
    name: 'machines: a machine that exists is not ordered',
    file: 'activities/execute/add-machine.ts',
    from: 'if (present === null) await order(',
    to: 'if (present === null || present !== null) await order(',
    tests: ['test/activities/stories/machines.test'],
    only: 'orders one machine',
  },
  {
    name: 'guard: records a breach in the fence',
    file: 'activities/guard/fence-watch.ts',
    from: 'breach.changed ? { breach: breach.text } : {}',
    to: '{}',
    tests: ['test/activities/stories/guard.test'],
    only: 'records a breach in the fence',
  },
  {
    name: 'guard: finds a holder that woke and runs on (P13)',
    file: 'activities/guard/guard-round.ts',
    from: 'staleOwners: confirmedStaleOwners(before, trace),',
    to: '',
    tests: ['test/activities/stories/guard.test'],
    only: 'reports a holder that was stopped, woke',
  },
  {
    name: 'guard: ends when another run holds the fence',
    file: 'activities/guard/guard-round.ts',
    from: 'if (snapshot.fence?.runId !== input.runId) return { ...next, lost: true };',
    to: 'if (snapshot.fence === null) return { ...next, lost: true };',
    tests: ['test/activities/stories/guard.test'],
    only: 'records a breach in the fence',
  },
  {
    name: 'guard: late observations are logged',
    file: 'activities/guard/guard-gap.ts',
    from: 'isLate = gapMs > lateMs;',
    to: 'isLate = gapMs < 0;',
    tests: ['test/activities/guard/guard-gap.test'],
    only: 'observations more than 2 s apart',
  },
  {
    name: 'guard: a rest is not late',
    file: 'activities/guard/guard-gap.ts',
    from: 'if (last?.active === true) measured',
    to: 'if (last !== null) measured',
    tests: ['test/activities/guard/guard-gap.test'],
    only: 'is not late',
  },
];
