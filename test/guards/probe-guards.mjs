/** Guards of probes: what lets nothing of them stay, and no verdict of theirs do harm. */
const STEP = 'activities/execute/try-balancer.ts';
const DUE = 'domain/run/probes-due.ts';
const SERVICE = 'activities/probes/probe-service.ts';
const story = (only) => ({ tests: ['test/activities/stories/probes.test'], only });
const run = (only) => ({ tests: ['test/domain/run/probes.test'], only });

export const PROBE_GUARDS = [
  {
    name: 'probe: what an earlier attempt left is deleted first',
    file: STEP,
    from: 'if (left !== null && (await removed(session, probe, left)) === null) {',
    to: 'if (left !== null && left.metadata === undefined) {',
    ...story('without an owner of the service controller'),
  },
  {
    name: 'probe: before the first change it ends only when its Service is gone',
    file: STEP,
    from: "  if (times.goneMs === null && moment === 'before') throw notDeleted(probe, complaint);\n",
    to: '',
    ...story('without an owner of the service controller'),
  },
  {
    name: 'probe: it deletes what it made',
    file: STEP,
    from: '  const goneMs = made === null ? 0 : await removed(session, probe, made);',
    to: '  const goneMs = made === null ? 0 : 1;',
    ...story('say which Event tells'),
  },
  {
    name: 'probe: the Event of the creation does not count as that of the change',
    file: STEP,
    from: '(await ensured(session, service)) > before',
    to: '(await ensured(session, service)) >= before',
    ...story('a change of the port that no one follows'),
  },
  {
    name: 'probe: nothing is made without its owner',
    file: 'activities/execute/preconditions.ts',
    from: '  return owner === wanted ? null :',
    to: "  return owner !== 'none' ? null :",
    ...story('need an owner'),
  },
  {
    name: 'probe: a Service that is not ours is not touched',
    file: SERVICE,
    from: '  if (found.object.metadata?.labels?.[MANAGED_BY_LABEL] === MANAGED_BY) return found.object;\n',
    to: '  if (found !== null) return found.object;\n',
    ...story('is never touched where it is not ours'),
  },
  {
    name: 'probe: the end of a run deletes it',
    file: 'activities/fence/close-run.ts',
    from: '    await dropProbe(writer, input);\n',
    to: '',
    ...story('the end of its run deletes what it left'),
  },
  {
    name: 'probe clean: the probe of an open run is left alone',
    file: 'activities/clean-probe.ts',
    from: '  await requireNoRun(api, timings, options);\n',
    to: '',
    ...story('ended by force'),
  },
  {
    name: 'probe: no part of an inventory',
    file: 'activities/observe/inventory.ts',
    from: ' && !isProbe(metadata)',
    to: '',
    ...story('are no part of inventories'),
  },
  {
    name: 'probe: no part of gates on objects',
    file: 'activities/observe/object-facts.ts',
    from: '!isProbe(service.metadata) && ',
    to: '',
    ...story('are no part of inventories'),
  },
  {
    name: 'probe: a failure before the first change never turns a run',
    file: 'domain/run/breach-rules.ts',
    from: '[PROBE_CODES.before, DIFFERENCE_CODE]',
    to: '[DIFFERENCE_CODE]',
    ...run('holds, and never turns'),
  },
  {
    name: 'probe: one that failed is repeated by retry',
    file: DUE,
    from: "probes.before === undefined || failed('before') ? {}",
    to: 'probes.before === undefined ? {}',
    ...run('is repeated by retry'),
  },
  {
    name: 'probe: a repair does not wait for it',
    file: 'domain/run/resume-loop.ts',
    from: "planned.step.phase === 'repair' ? null : earlyProbe",
    to: 'earlyProbe',
    ...run('never delay a repair'),
  },
  {
    name: 'probe: what a rollback reached is probed, too',
    file: 'domain/run/holds.ts',
    from: '...(probes && { probes: { ...probes, after: false } })',
    to: '',
    ...run('turns the run around'),
  },
];
