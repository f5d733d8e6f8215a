/** Guards of the metrics of fleets: what is not known never looks healthy, and what only waits for a soak never looks stuck. */
const gauges = (only) => ({ tests: ['test/domain/fleet/fleet-gauges.test'], only });
const watch = (only) => ({ tests: ['test/workers/fleet-watch.test'], only });
const served = (only) => ({ tests: ['test/workflows/fleet-metrics.test'], only });

export const FLEET_METRIC_GUARDS = [
  {
    name: 'fleet metrics: what was left out is told by its cause',
    file: 'domain/fleet/fleet-gauges.ts',
    from: 'leftOut[cause] += 1;',
    to: 'leftOut.person += 1;',
    ...gauges('are told by what left them out'),
  },
  {
    name: 'fleet metrics: a fleet of which a cluster moves is not blocked',
    file: 'domain/fleet/fleet-gauges.ts',
    from: 'limits.moving + counts.soaking > 0',
    to: 'counts.soaking > 0',
    ...gauges('a cluster changes or soaks is not blocked'),
  },
  {
    name: 'fleet metrics: a fleet of which a cluster soaks is not blocked',
    file: 'domain/fleet/fleet-gauges.ts',
    from: 'limits.moving + counts.soaking > 0',
    to: 'limits.moving > 0',
    ...gauges('a cluster changes or soaks is not blocked'),
  },
  {
    name: 'fleet metrics: a need of unknown age is old',
    file: 'domain/fleet/fleet-gauges.ts',
    from: 'sinceMs ?? beganMs',
    to: 'sinceMs ?? nowMs',
    ...gauges('beginning is not recorded'),
  },
  {
    name: 'fleet metrics: a window that never opens is no date',
    file: 'domain/fleet/fleet-gauges.ts',
    from: "isClosedForGood ? 'noOpening' : waitsFor.kind",
    to: 'waitsFor.kind',
    ...gauges('it says'),
  },
  {
    name: 'fleet metrics: what the index leaves out may be open',
    file: 'workers/fleet-watch.ts',
    from: '!isListed && !(await directory.isOpen(fleet))',
    to: '!isListed',
    ...served('does not list at this moment'),
  },
  {
    name: 'fleet metrics: what has ended is no longer shown',
    file: 'workers/fleet-watch.ts',
    from: '      metrics.show(fleet, ENDED_FLEET, 0);\n',
    to: '',
    ...served('has ended shows nothing'),
  },
  {
    name: 'fleet metrics: the age of an answer counts from the last one',
    file: 'workers/fleet-watch.ts',
    from: '      answeredMs.set(fleet, sinceMs);\n',
    to: '',
    ...watch('never answered'),
  },
  {
    name: 'fleet metrics: only a listing that came counts',
    file: 'workers/fleet-watch.ts',
    from: '    const listed = await directory.listOpen(MOST_FLEETS);\n    metrics.showListed(nowMs());\n',
    to: '    metrics.showListed(nowMs());\n    const listed = await directory.listOpen(MOST_FLEETS);\n',
    ...watch('nothing claims to be fresh'),
  },
];
