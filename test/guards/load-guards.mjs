/** Guards of a busy worker: it takes no new guards, keeps those that it has, and takes others as soon as it can. */
const RULE = 'domain/loop-admission.ts';
const SLOTS = 'workers/guard-slots.ts';
const rule = (only) => ({ tests: ['test/domain/loop-admission.test'], only });
const slots = (only) => ({ tests: ['test/workers/guard-slots.test'], only });
const meter = (only) => ({ tests: ['test/workers/loop-meter.test'], only });

const service = (only) => ({ tests: ['test/workflows/region-service.test'], only });
const starts = (only) => ({ tests: ['test/activities/fleet/fleet-activities.test'], only });
const screen = (only) => ({ tests: ['test/cli/screens/fleet-screen.test'], only });
const header = (only) => ({ tests: ['test/cli/screens/header.test'], only });

const READINESS = 'workers/readiness.ts';
const ready = (only) => ({ tests: ['test/workers/readiness.test'], only });

export const LOAD_GUARDS = [
  {
    name: 'readiness: a server that does not answer is missing',
    file: READINESS,
    from: 'answer ?? (isThere() && ageMs() <= keptMs)',
    to: 'answer ?? isThere()',
    ...ready('not while the server does not answer'),
  },
  {
    name: 'readiness: what cannot be used is missing',
    file: READINESS,
    from: 'answered(false, ',
    to: 'answered(true, ',
    ...ready('while the server lets it in'),
  },
  {
    name: 'readiness: the access policy is one of the needs',
    file: READINESS,
    from: 'authority === null ? []',
    to: "namespace !== '' ? []",
    ...ready('while a file that has changed is read'),
  },
  {
    name: 'load: between the limits a worker stays as it is',
    file: RULE,
    from: 'utilisation < resumeBelow',
    to: 'utilisation <= stopAbove',
    ...rule('between the limits stays as it is'),
  },
  {
    name: 'load: what is not known changes nothing',
    file: RULE,
    from: 'if (utilisation === null) return admitted;',
    to: 'if (utilisation === null) return true;',
    ...{ ...rule('while its load is not known'), composed: true },
  },
  {
    name: 'load: less than a window is no measure',
    file: RULE,
    from: 'last.atMs - first.atMs < LOOP_WINDOW_MS || totalMs <= 0',
    to: 'totalMs <= 0',
    ...{ ...rule('less than a window was read'), composed: true },
  },
  {
    name: 'load: what was before the window is over',
    file: RULE,
    from: '[...readings.filter(({ atMs }) => atMs <= fromMs).slice(-1), ...within, newest]',
    to: '[...readings, newest]',
    ...rule('takes a bounded number of readings'),
  },
  {
    name: 'load: a busy worker gives no slot',
    file: SLOTS,
    from: 'taken >= slots || !gate.admits()',
    to: 'taken >= slots',
    ...slots('are not given while the worker is busy'),
  },
  {
    name: 'load: a worker has no more guards than slots',
    file: SLOTS,
    from: 'taken >= slots || !gate.admits()',
    to: '!gate.admits()',
    ...slots('are as many as there are'),
  },
  {
    name: 'load: who waits is served when the worker is no longer busy',
    file: SLOTS,
    from: '  gate.onAdmitting(serve);\n',
    to: '',
    ...slots('all that are free once it is not'),
  },
  {
    name: 'load: a slot that the SDK did not receive is not lost',
    file: SLOTS,
    from: 'if (!waiting.delete(one)) release();',
    to: 'waiting.delete(one);',
    ...slots('gives the slot back'),
  },
  {
    name: 'load: an aborted request takes no slot',
    file: SLOTS,
    from: 'if (!waiting.delete(one)) release();',
    to: '',
    ...slots('ends with the reason of the SDK'),
  },
  {
    name: 'load: a busy worker says it once',
    file: 'workers/loop-meter.ts',
    from: '    if (admits === admitted) return;\n',
    to: '',
    ...meter('says it once each time'),
  },
  {
    name: 'load: the guards of a region ask the supplier that knows the load',
    file: 'workers/worker-options.ts',
    from: 'activityTaskSlotSupplier: guardSlots(clusterSlots, gate)',
    to: "activityTaskSlotSupplier: { type: 'fixed-size', numSlots: clusterSlots + Number(gate === null) }",
    tests: ['test/workflows/busy-worker.test'],
    only: 'leaves a guard in the queue',
  },
  {
    name: 'load: a region whose workers are full is not away',
    file: 'activities/fleet/live-workers.ts',
    from: "(await reads.isAlive(queue)) ? 'full' : 'unserved'",
    to: "'unserved'",
    ...{ ...service('is full where one is alive'), composed: true },
  },
  {
    name: 'load: a guard that waits says that its region is full',
    file: 'activities/fleet/live-workers.ts',
    from: "oldestWaits(described) < WAITS_FROM_SECONDS ? 'served' : 'full'",
    to: "oldestWaits(described) < 0 ? 'full' : 'served'",
    ...service('full while a guard waits'),
  },
  {
    name: 'load: who applies is told where clusters will wait',
    file: 'cli/runs/full-regions.ts',
    from: 'if (full.length === 0) return;',
    to: 'if (full.length !== Infinity) return;',
    tests: ['test/cli/runs/full-workers.test'],
    only: 'that is full is told in a note',
  },
  {
    name: 'load: a server that tells of no workers is no failure',
    file: 'activities/fleet/live-workers.ts',
    from: '    if (isGrpcServiceError(error) && UNTOLD.includes(error.code)) return false;\n',
    to: '',
    ...{ ...service('where the server tells of no workers'), composed: true },
  },
  {
    name: 'load: a cluster whose region is full is queued',
    file: 'activities/fleet/start-clusters.ts',
    from: "return { answer: 'queued', signature: `worker of region",
    to: "return { answer: 'unreachable', signature: `worker of region",
    ...starts('has no room for its guard is queued'),
  },
  {
    name: 'load: a rollback waits in the queue, not before it',
    file: 'activities/fleet/start-clusters.ts',
    from: '      if (target !== FORWARD) return null;\n',
    to: '',
    ...starts('a rollback is started where its guard has to wait'),
  },
  {
    name: 'load: a region that is full is not reported as away',
    file: 'activities/fleet/sweep-runs.ts',
    from: "(await directory.serviceOf(region)) === 'unserved'",
    to: "(await directory.serviceOf(region)) !== 'served'",
    ...starts('does not name one whose workers are full'),
  },
  {
    name: 'load: a cluster that waits for its guard is shown as queued',
    file: 'domain/fleet/row-groups.ts',
    from: "isUnproven(row) && heals && awaitsGuard(signature) ? 'queued' : cause",
    to: 'cause',
    ...screen('is queued, before its start and after it'),
  },
  {
    name: 'load: a run that waits for its guard is queued, not held',
    file: 'cli/screens/header.ts',
    from: 'return isQueued ? STATES.queued : STATES.held;',
    to: 'return isQueued ? STATES.held : STATES.held;',
    ...header('is queued, with where and since when'),
  },
];
