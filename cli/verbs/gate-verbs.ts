import { CLUSTER, FILES, type Flag, type Verb } from './verb.js';

const MANAGERS_OF_GATES: readonly Flag[] = [
  { flags: '--kcm <version>', about: 'Kubernetes version of the KCM' },
  { flags: '--ccm <version>', about: 'version of the k8s.io/cloud-provider library of the CCM' },
  {
    flags: '--provider <name>',
    about: 'in-tree cloud provider of the KCM: aws, azure, gce or vsphere',
  },
];

/** Verbs about gates and probes. */
export const GATE_VERBS: readonly Verb[] = [
  {
    name: 'gates list',
    about:
      'Lists what can be judged on the metrics of KCM and CCM, which versions serve it, and what on objects of the cluster. Runs judge it unless their policy switches it off (gates.metrics).',
    examples: [
      'ccm-migrate gates list',
      'ccm-migrate gates list --kcm 1.26 --ccm 1.29 --provider aws',
    ],
    arguments: [],
    flags: MANAGERS_OF_GATES,
    exitStatuses: ['reached'],
    load: async () => (await import('../commands/gates.js')).listGates,
  },
  {
    name: 'gates explain',
    about: 'Explains what a gate measures, when it fails, and what it cannot see.',
    examples: ['ccm-migrate gates explain nodeSyncErrors --kcm 1.26'],
    arguments: [{ syntax: '<gate>', about: 'a name such as nodeSyncErrors' }],
    flags: MANAGERS_OF_GATES,
    exitStatuses: ['reached'],
    load: async () => (await import('../commands/gates.js')).explainGate,
  },
  {
    name: 'gates test',
    about:
      'Reads a cluster as the guard of a run would, and prints what each gate says of it, with its numbers. Changes nothing.',
    examples: [
      'ccm-migrate gates test -f fleet/ --cluster eu-1',
      'ccm-migrate gates test -f fleet/ --cluster eu-1 --for 5m -o json',
    ],
    arguments: [],
    flags: [
      FILES,
      CLUSTER,
      {
        flags: '--for <duration>',
        about: 'go on sampling for so long, at most 1h; without it, each page is read once',
      },
    ],
    exitStatuses: ['reached', 'failed', 'checksFailed', 'inconclusive', 'configInvalid'],
    load: async () => (await import('../commands/gates-test.js')).testGates,
  },
  {
    name: 'probe clean',
    about:
      'Deletes the Service that a probe has left on a cluster (gates.probes), and waits until it is gone. A run deletes it itself, also when it is stopped; this is for runs that were ended by force.',
    examples: ['ccm-migrate probe clean -f fleet/ --cluster eu-1'],
    arguments: [],
    flags: [
      FILES,
      CLUSTER,
      { flags: '--timeout <duration>', about: 'how long to wait until it is gone', preset: '3m' },
    ],
    exitStatuses: ['reached', 'failed', 'inconclusive', 'configInvalid'],
    load: async () => (await import('../commands/probe-clean.js')).cleanProbes,
  },
];
