/** Guards of a removal: a machine that is not listed is not gone for that, and what it holds or is stays. */
const REMOVAL = 'activities/execute/remove-machine.ts';
const RELEASES = 'activities/execute/release-leases.ts';
const story = (only) => ({ tests: ['test/activities/stories/unlisted-machines.test'], only });
const RUNS = story('keeps its Leases and its Node while it runs');

export const GONE_MACHINE_GUARDS = [
  {
    name: 'removal: a node that answers has a machine, though none is listed',
    file: REMOVAL,
    from: "if (reachable) throw notProvenGone(name, 'the node answers');",
    to: '',
    ...RUNS,
  },
  {
    name: 'removal: an unlisted machine needs a proof of its end',
    file: REMOVAL,
    from: '    await requireSilent(session, listed, node);\n',
    to: '',
    ...RUNS,
  },
  {
    name: 'removal: a machine of another node is not deleted for its name',
    file: REMOVAL,
    from: 'listed.find((each) => each.node === null && each.name === node)',
    to: 'listed.find((each) => each.name === node)',
    ...RUNS,
  },
  {
    name: 'removal: a machine without its Node may be that of the node',
    file: REMOVAL,
    from: 'if (nodeless !== undefined) {',
    to: 'if (nodeless?.state === null) {',
    ...story('silent but another machine has no Node'),
  },
  {
    name: 'removal: a machine that has not booted yet is that of no node',
    file: REMOVAL,
    from: "node === null && state !== 'ordered' && state !== 'booting'",
    to: "node === null && state !== 'ordered'",
    ...story('silent but another machine has no Node'),
  },
  {
    name: 'removal: a Node that is Ready has a machine',
    file: REMOVAL,
    from: "return node?.ready === 'yes' ? null : 'silent';",
    to: "return node?.ready === 'no' ? null : 'silent';",
    ...story('no longer Ready, for which the step waits'),
  },
  {
    name: 'removal: a node that answers again has not gone',
    file: REMOVAL,
    from: "if (node?.reachable === true) return 'answers';",
    to: '',
    ...story('where its node answers again'),
  },
  {
    name: 'removal: one answer of the provider is not enough',
    file: REMOVAL,
    from: 'return absences > 1 ? true : null;',
    to: 'return absences > 0 ? true : null;',
    ...story('by one answer that leaves it out'),
  },
  {
    name: 'removal: the Node of a machine that answers stays',
    file: REMOVAL,
    from: 'node.name === name && node.reachable',
    to: "node.name === '' && node.reachable",
    ...story('keeps its Node while the node answers'),
  },
  {
    name: 'removal: a Lease that is renewed is not emptied',
    file: REMOVAL,
    from: 'if (renewed !== null) {',
    to: "if (renewed?.holder === '') {",
    ...story('keeps its Leases while it renews them'),
  },
  {
    name: 'removal: only a Lease that was watched is emptied',
    file: RELEASES,
    from: '|| !isWatched(lease)) return null;',
    to: ') return null;',
    ...story('is left its Lease where that was written since'),
  },
  {
    name: 'removal: a manifest is kept, since the provider may refuse',
    file: REMOVAL,
    from: 'isKept: true }',
    to: 'isKept: false }',
    ...story('leaves its manifest beside'),
  },
  {
    name: 'removal: a node is drained once its pods have left',
    file: 'activities/execute/drain-node.ts',
    from: '  await awaitGone(session, name, new Set(pods.map(uidOf)));\n',
    to: '',
    ...story('is deleted once those that were evicted have left'),
  },
  {
    name: 'removal: a pod that came since is not waited for',
    file: 'activities/execute/drain-node.ts',
    from: 'uids.has(uidOf(pod))',
    to: 'uids.size > 0 && mustLeave(pod)',
    ...story('is deleted once those that were evicted have left'),
  },
  {
    name: 'removal: a pod that terminates is not evicted again',
    file: 'activities/execute/drain-node.ts',
    from: 'if (pod.metadata?.deletionTimestamp === undefined) await evict',
    to: 'await evict',
    ...story('is kept while one of them is still there'),
  },
  {
    name: 'a new machine does not get the name of one in service',
    file: 'domain/decision/steps/add-machine.ts',
    from: '    ...(observation.takenNames ?? []),\n',
    to: '',
    tests: ['test/domain/decision/steps/machines.test'],
    only: 'a machine in service keeps its name',
  },
  {
    name: 'a machine whose Node has another name is seen with its own',
    file: 'activities/observe/assemble.ts',
    from: "state === 'ready' && nodes.every(",
    to: "state === 'failed' && nodes.every(",
    ...story('keeps its name to itself'),
  },
];
