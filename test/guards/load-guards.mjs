/** Guards of a busy worker: it takes no new guards, keeps those that it has, and takes others as soon as it can. */
const RULE = 'domain/loop-admission.ts';
const SLOTS = 'workers/guard-slots.ts';
const rule = (only) => ({ tests: ['test/domain/loop-admission.test'], only });
const slots = (only) => ({ tests: ['test/workers/guard-slots.test'], only });
const meter = (only) => ({ tests: ['test/workers/loop-meter.test'], only });

export const LOAD_GUARDS = [
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
];
