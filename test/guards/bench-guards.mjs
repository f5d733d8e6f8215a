/** Guards of the fleet benchmark: a model that is as strict as a cluster, an account that hides nothing, bars that judge. */
const CLUSTER = 'testbed/bench/fleet/bench-cluster.ts';
const ACCOUNT = 'testbed/bench/fleet/journal-account.ts';
const account = { tests: ['test/testbed/bench/fleet/journal-account.test'] };
const SIMULATED = 'testbed/bench/simulated/request-account.ts';
const simulated = { tests: ['test/testbed/bench/simulated'] };
const bars = { tests: ['test/testbed/bench/fleet/fleet-bars.test'] };

const BRAKE = 'testbed/bench/brake/brake-account.ts';
const brake = { tests: ['test/testbed/bench/brake/brake-account.test'] };

export const BENCH_GUARDS = [
  {
    name: 'bench of the brake: what ends a step is new after a hard sign',
    file: BRAKE,
    from: "situation === 'cloudRefuses'\n      ?",
    to: "situation !== ''\n      ?",
    ...brake,
  },
  {
    name: 'bench of the brake: a step of another execution is no end of the one that had begun',
    file: BRAKE,
    from: 'step.execution === execution',
    to: 'step.execution <= execution',
    ...brake,
  },
  {
    name: 'bench of the brake: only what ends this very harm is a cure',
    file: BRAKE,
    from: 'CURES[situation].includes(write.step.name)',
    to: 'Object.values(CURES).flat().includes(write.step.name)',
    ...brake,
  },
  {
    name: 'bench of the brake: a last write before the sign is no quick one',
    file: 'testbed/bench/brake/brake-figures.ts',
    from: 'lastNewMs === null ? [] : [lastNewMs / 1000]',
    to: '(lastNewMs ?? 0) / 1000',
    tests: ['test/testbed/bench/brake/brake-bench.test'],
    only: 'a last write before the sign',
  },
  {
    name: 'bench of the brake: a fence that never refused is a run that went on',
    file: 'testbed/bench/brake/brake-figures.ts',
    from: 'closedMs === null || !isStopped',
    to: '!isStopped',
    tests: ['test/testbed/bench/brake/brake-bench.test'],
  },
  {
    name: 'bench: a step of an older epoch changes nothing',
    file: CLUSTER,
    from: 'fence.run === runId && fence.epoch === epoch',
    to: 'fence.run === runId',
    ...account,
  },
  {
    name: 'bench: a step without its guard changes nothing',
    file: CLUSTER,
    from: "if (!isGuardedFor(cluster, claim)) throw unwritten('Unguarded'",
    to: "if (cluster.name === '') throw unwritten('Unguarded'",
    ...account,
  },
  {
    name: 'bench: a restarted worker knows what its clusters have done',
    file: CLUSTER,
    from: 'for (const line of before) remember(find({ name: line.cluster }), line);',
    to: 'if (before.length < 0) throw failure("Bug", "none");',
    ...account,
  },
  {
    name: 'bench: a cluster whose run ended in another way is not proven',
    file: ACCOUNT,
    from: "closed.at(-1) === 'done'",
    to: 'closed.length > 0',
    ...account,
  },
  {
    name: 'bench: the soak of a rollback is a part of it',
    file: ACCOUNT,
    from: "if (line.target === 'ccm') beginSoak(open, atMs);",
    to: 'beginSoak(open, atMs);',
    ...account,
  },
  {
    name: 'bench: a cluster that never ended stays unproven',
    file: ACCOUNT,
    from: '  stopUnproven(open, endMs);\n  const',
    to: '  const',
    ...account,
  },
  {
    name: 'bench: a figure that is missing keeps no bar',
    file: 'testbed/bench/stated-bars.ts',
    from: 'isNumber(measured) && measured <= limit',
    to: '!isNumber(measured) || measured <= limit',
    ...bars,
  },
  {
    name: 'bench: whole clusters, a figure that is no number keeps no bar',
    file: 'testbed/bench/stated-bars.ts',
    from: 'isNumber(measured) && measured >= limit',
    to: '!isNumber(measured) || measured >= limit',
    ...simulated,
  },
  {
    name: 'bench: whole clusters, those that are not migrated are burnt',
    file: SIMULATED,
    from: 'each.changes > 0 && !isMigrated(each)',
    to: 'each.changes > 0 && each.owners.length > 1',
    ...simulated,
  },
  {
    name: 'bench: whole clusters, two owners are no migration',
    file: SIMULATED,
    from: "owners[0] === 'ccm' && overlapSeconds === 0",
    to: "owners[0] === 'ccm' && overlapSeconds >= 0",
    ...simulated,
  },
  {
    name: 'bench: whole clusters, a late guard is not shown as better than it is',
    file: 'testbed/bench/simulated/gap-histogram.ts',
    from: 'bound === undefined || bound.atMost === Infinity ? null',
    to: 'bound === undefined || bound.atMost === Infinity ? 0',
    ...simulated,
  },
];
