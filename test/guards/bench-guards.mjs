/** Guards of the fleet benchmark: a model that is as strict as a cluster, an account that hides nothing, bars that judge. */
const CLUSTER = 'testbed/bench/fleet/bench-cluster.ts';
const ACCOUNT = 'testbed/bench/fleet/journal-account.ts';
const BARS = 'testbed/bench/fleet/fleet-bars.ts';
const account = { tests: ['test/testbed/bench/fleet/journal-account.test'] };
const bars = { tests: ['test/testbed/bench/fleet/fleet-bars.test'] };

export const BENCH_GUARDS = [
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
    file: BARS,
    from: 'measured !== null && measured <= limit',
    to: 'measured === null || measured <= limit',
    ...bars,
  },
];
