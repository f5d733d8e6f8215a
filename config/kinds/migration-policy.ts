import { breachRule, breachRulesByPhase } from './breach-rule.js';
import { metricGates } from './metric-gates.js';
import { z } from 'zod';
import { duration } from '../duration.js';
import { filePath, kindSchema, dnsName } from './envelope.js';

/** Of Kubernetes, in full and without `v`. */
export const kubernetesVersion = z
  .string()
  .regex(
    /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/,
    'write a full version without "v", for example 1.30.14',
  );

const image = z.string().min(1).max(512).regex(/^\S+$/, 'must not contain spaces');

const leaseTimings = z
  .strictObject({
    leaseDuration: duration('1s', '5m', 'How long a Lease is valid without renewal.').default(
      '15s',
    ),
    renewDeadline: duration(
      '1s',
      '5m',
      'How long a leader tries to renew before it exits.',
    ).default('10s'),
    retryPeriod: duration('100ms', '1m', 'How often a candidate tries.').default('2s'),
  })
  .meta({ description: 'Leader election timings; upstream uses 15s, 10s and 2s.' });

const nodeChange = z.enum(['replace', 'inPlace']);

const nodes = z
  .strictObject({
    forward: nodeChange.default('replace'),
    rollback: nodeChange.default('inPlace'),
  })
  .meta({
    description:
      'How control-plane nodes change: replace requests machines from the machines API, inPlace edits the node.',
  });

const lock = z
  .strictObject({
    namespace: dnsName.default('kube-system'),
    name: dnsName.default('cloud-provider-extraction-migration'),
    controllers: z
      .array(z.enum(['service', 'route', 'cloud-node-lifecycle', 'nodeipam']))
      .min(1)
      .default(['service', 'route', 'cloud-node-lifecycle']),
  })
  .meta({ description: 'The migration lock and the controllers it covers.' });

const source = z.strictObject({
  version: kubernetesVersion.meta({ description: 'Current Kubernetes version of the managers.' }),
  cloudProvider: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/)
    .meta({ description: 'In-tree provider, the current value of --cloud-provider.' }),
  kcmImage: image,
});

const target = z.strictObject({
  version: kubernetesVersion.meta({
    description: 'Kubernetes version of the managers after the migration.',
  }),
  kcmImage: image,
});

/** Names must be written out: a wildcard would grant more than was requested. */
const named = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[^*\s]+$/, 'name each: "*" is not accepted');
const names = z.array(named).min(1).max(50);

const accessRule = z.strictObject({
  namespace: dnsName.optional().meta({
    description: 'For a Role in this namespace; for the ClusterRole when omitted.',
  }),
  apiGroups: z
    .array(z.union([z.literal(''), named]))
    .min(1)
    .max(50)
    .default([''])
    .meta({ description: 'API groups; "" is the core group.' }),
  resources: names.meta({ description: 'Plural resources, for example secrets or nodes/status.' }),
  resourceNames: z.array(named).max(50).default([]).meta({
    description: 'Objects by name; all of them when omitted. create cannot be bound to a name.',
  }),
  verbs: names,
});

const ccm = z.strictObject({
  image,
  version: kubernetesVersion.meta({
    description:
      'Version of its k8s.io/cloud-provider library: decides the controller names it registers.',
  }),
  deployAs: z.enum(['staticPod', 'daemonSet']).default('staticPod'),
  leaderMigration: z.enum(['implemented', 'absent']).default('implemented').meta({
    description:
      'Whether this build honours Leader Migration; some accept the flags and ignore them.',
  }),
  manifest: filePath.meta({
    description: 'File with its static pod manifest or DaemonSet, from the folder of this file.',
  }),
  leaseTimings: leaseTimings.prefault({}),
  accessRules: z.array(accessRule).max(50).default([]).meta({
    description:
      'What this CCM needs from the API server beyond the rights of every CCM and the built-in ones of aws, azure, gce, openstack and vsphere (docs/ccm-access.md).',
  }),
});

const timings = z
  .strictObject({
    request: duration('100ms', '5m', 'Deadline of one API or node request.').default('10s'),
    effect: duration('1s', '30m', 'How long a step waits for its effect.').default('2m'),
    election: duration('1s', '30m', 'How long an election may take.').default('90s'),
    poll: duration('20ms', '1m', 'How often an awaited effect is polled.').default('250ms'),
    fenceRenew: duration('100ms', '1m', 'Renewal of the fence while changes may happen.').default(
      '5s',
    ),
    fenceRenewIdle: duration('100ms', '10m', 'Renewal of the fence in soaks and holds.').default(
      '30s',
    ),
    guard: duration('100ms', '1m', 'How often the guard observes.').default('1s'),
    guardIdle: duration(
      '100ms',
      '5m',
      'How often the guard observes in soaks, holds and pauses.',
    ).default('10s'),
    guardWait: duration(
      '1s',
      '10m',
      'How long a step waits for the guard before its first write.',
    ).default('30s'),
    settle: duration(
      '100ms',
      '10m',
      'How long the cause of a hold must have passed before the run continues by itself.',
    ).default('30s'),
    awaitChange: duration('1s', '12h', 'How long one wait for a change lasts.').default('5m'),
    step: duration('10s', '12h', 'Longest time for one step.').default('15m'),
    heartbeat: duration('500ms', '1m', 'After how long a silent worker counts as lost.').default(
      '10s',
    ),
  })
  .meta({ description: 'Waits of a run. The defaults suit default lease timings.' });

const balancerProbe = z.strictObject({
  annotations: z.record(z.string().min(1).max(317), z.string().max(1000)).default({}).meta({
    description: 'Of its Service, such as those of your cloud for an internal load balancer.',
  }),
  within: duration(
    '1s',
    '1h',
    'How long each of its three effects may take: an address, a changed port, its deletion.',
  ).default('3m'),
});

const probes = z
  .strictObject({
    balancer: z
      .union([z.literal('off'), balancerProbe])
      .default('off')
      .meta({
        description:
          'Whether a run makes, changes and deletes a load balancer before its first change and once its target is reached. Needs namespace ccm-migrate-probe (docs/probes.md).',
      }),
  })
  .meta({
    description: 'What a run tries out on the cluster, because quiet clusters tell nothing.',
  });

const gates = z
  .strictObject({
    orphanBudget: duration(
      '1s',
      '1h',
      'Longest time without any owner of the cloud controllers.',
    ).default('45s'),
    onBreach: breachRule.default('hold'),
    onBreachByPhase: breachRulesByPhase.prefault({}),
    staleHolder: z.enum(['hold', 'kill']).default('hold').meta({
      description:
        'What happens to a manager that a signal has stopped: the run holds, or a step ends its process, so that it cannot wake as a second owner.',
    }),
    metrics: metricGates.prefault({}),
    probes: probes.prefault({}),
  })
  .meta({ description: 'Budgets of the hard gates; a breach stops the next change.' });

const approvals = z
  .strictObject({
    handover: z.enum(['required', 'notRequired']).default('notRequired').meta({
      description:
        'Whether a person must approve before the first step that takes cloud loops away from the source side.',
    }),
  })
  .meta({ description: 'Where the run waits for a person.' });

const automation = z
  .strictObject({
    pause: z.enum(['allowed', 'refused']).default('allowed'),
    rollBack: z.enum(['allowed', 'refused']).default('refused'),
  })
  .meta({
    description:
      'What alerts may cause through `ccm-migrate server`, where their token allows it too. A rollback that is refused pauses.',
  });

const rollWorkers = z
  .strictObject({
    enabled: z.boolean().default(false),
    batchSize: z.number().int().min(1).max(1000).default(10),
  })
  .meta({ description: 'Whether the kubelets of the workers become external too.' });

const waiver = z.strictObject({
  code: z.string().regex(/^CCM\d{4}$/, 'must be a finding code such as CCM1107'),
  observationDigest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'must be the observationDigest of `ccm-migrate check -o json`'),
  actor: z.string().min(1),
  reason: z.string().min(1),
});

const spec = z.strictObject({
  strategy: z.enum(['leaderMigration', 'gap']).default('leaderMigration'),
  nodes: nodes.prefault({}),
  lock: lock.prefault({}),
  source,
  target,
  ccm,
  clusterAccess: z.enum(['created', 'provided']).default('created').meta({
    description:
      'Whether runs create and remove the access of KCM and CCM, or an administrator has applied what `ccm-migrate access grants` prints and no run writes any RBAC object (docs/cluster-access.md).',
  }),
  kcm: z
    .strictObject({ leaseTimings: leaseTimings.prefault({}) })
    .prefault({})
    .meta({ description: 'Settings of the kube-controller-managers that must agree.' }),
  machines: z
    .strictObject({
      etcdMemberRemoval: z
        .enum(['machinesApi', 'us'])
        .default('machinesApi')
        .meta({ description: 'Who removes the etcd member of a removed machine.' }),
      autoRepair: z.enum(['frozen', 'unknown']).default('unknown').meta({
        description:
          'Set frozen once automatic repair and scaling of the control plane are off, or create machines of the target side. Until then `apply` refuses to replace machines (nodes.forward: replace), and a fleet leaves such clusters out.',
      }),
    })
    .prefault({})
    .meta({ description: 'How machines are added and removed.' }),
  rollWorkers: rollWorkers.prefault({}),
  disableLeaderMigration: z.enum(['never', 'afterSoak']).default('never'),
  leaderMigrationAfterRollback: z
    .enum(['keep', 'off'])
    .default('keep')
    .meta({ description: 'What a completed rollback leaves on the kube-controller-managers.' }),
  soak: duration('0s', '24h', 'How long the completed migration is watched.').default('15m'),
  gates: gates.prefault({}),
  approvals: approvals.prefault({}),
  automation: automation.prefault({}),
  timings: timings.prefault({}),
  waivers: z.array(waiver).max(100).default([]),
});

/** How clusters migrate. Every default is defined here and nowhere else. */
export const WrittenPolicy = kindSchema('MigrationPolicy', spec).meta({
  title: 'MigrationPolicy',
  description: 'How clusters migrate: versions, images, order, waits and budgets.',
});

export type WrittenPolicy = z.output<typeof WrittenPolicy>;
