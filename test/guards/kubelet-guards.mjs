/** Guards of kubelets: restarted once, for what was written, and trusted only by what runs. */
const SWITCH = 'activities/execute/switch-kubelets.ts';
const ROLL = 'domain/decision/steps/roll-workers.ts';
const READINGS = 'test/activities/observe/readings.test';

const kubelets = (only) => ({ tests: ['test/activities/stories/kubelets.test'], only });
const preview = {
  tests: ['test/domain/model/plan-preview.test'],
  only: 'takes no kubelet for switched unless',
};

export const KUBELET_GUARDS = [
  {
    name: 'kubelets: restarted only after the write',
    file: SWITCH,
    from: '  await fencedBatch(session, writes);\n',
    to: '',
    ...kubelets('are written, restarted once'),
  },
  {
    name: 'kubelets: one that already runs with the flags is not restarted',
    file: SWITCH,
    from: '.filter(({ host }) => kubeletWith(host, provider) === null)',
    to: '',
    ...kubelets('that an attempt before restarted'),
  },
  {
    name: 'kubelets: one that cannot be restarted is not written either',
    file: SWITCH,
    from: 'if (environmentFiles.includes(KUBELET_FLAGS)) return;',
    to: 'if (environmentFiles.length >= 0) return;',
    ...kubelets('whose unit does not read the flags'),
  },
  {
    name: 'kubelets: old flags are restored',
    file: SWITCH,
    from: 'const back = await putBack(session, wanted, before);',
    to: "const back = '';",
    ...kubelets('that do not come up'),
  },
  {
    name: 'kubelets: proof by the running arguments',
    file: 'activities/execute/switch-kubelets.ts',
    from: 'kubelets.length === 1 && providerFlag(only) === provider;',
    to: 'kubelets.length === 1 && provider.length >= 0;',
    ...kubelets('are written, restarted once'),
  },
  {
    name: 'kubelets: a heartbeat of the new process',
    file: 'activities/execute/switch-kubelets.ts',
    from: 'return isNew && conditionOf',
    to: 'return conditionOf',
    ...kubelets('are not believed before a heartbeat'),
  },
  {
    name: 'kubelets: unknown does not count as external',
    file: 'activities/observe/kubelet-flags.ts',
    from: "return only === undefined || kubelets.length > 1 ? 'unknown' : ",
    to: "return only === undefined ? 'external' : ",
    tests: [READINGS],
    only: 'provider is that of its process',
  },
  {
    name: 'kubelets: a written file does not count as a restart',
    file: 'activities/observe/kubelet-flags.ts',
    from: "return flags === null || writtenProvider(flags.content) === running ? running : 'unknown';",
    to: 'return flags === null ? running : writtenProvider(flags.content);',
    tests: [READINGS],
    only: 'kubelet is classified',
  },
  {
    name: 'kubelets: an annotation does not count as external',
    file: 'activities/observe/inventory.ts',
    from: "return hasUninitializedTaint(node) ? 'external' : 'unknown';",
    to: "return hasUninitializedTaint(node) || node.metadata?.annotations !== undefined ? 'external' : 'unknown';",
    tests: [READINGS],
    only: 'an annotation does not make a kubelet external',
  },
  {
    name: 'kubelets: what is not known to be external is switched',
    file: ROLL,
    from: 'const left = total - kubeletExternal;',
    to: 'const left = Math.min(inventory.workers.kubeletInTree, total - kubeletExternal);',
    ...preview,
  },
  {
    name: 'kubelets: what is not known to be in-tree is switched back',
    file: ROLL,
    from: 'const left = total - kubeletInTree;',
    to: 'const left = Math.min(inventory.workers.kubeletExternal, total - kubeletInTree);',
    ...preview,
  },
];
