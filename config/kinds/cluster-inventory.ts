import { z } from 'zod';
import { filePath, httpsUrl, kindSchema, labels, dnsName } from './envelope.js';
import { writtenMetricSources } from './metric-sources.js';
import { sshAccess } from './ssh-access.js';

const nodeAccess = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('http'),
      url: httpsUrl.meta({ description: 'Base address of the node access API.' }),
    }),
    sshAccess,
    z.strictObject({ kind: z.literal('none') }),
  ])
  .meta({
    description:
      'How files and processes of control-plane nodes are reached. With none, check and plan are a preview and apply is refused.',
  });

const cluster = z.strictObject({
  name: dnsName,
  region: dnsName
    .default('default')
    .meta({ description: 'Decides which workers reach this cluster.' }),
  labels: labels.default({}),
  kubeconfig: filePath.meta({
    description:
      'Path of one kubeconfig, absolute or from the folder of this file. Never merged with another.',
  }),
  context: z.string().min(1).max(253).optional(),
  uid: z.string().min(1).max(64).optional().meta({
    description:
      'UID of namespace kube-system: another cluster behind the same address is refused.',
  }),
  certificateAuthorities: z
    .array(
      z
        .string()
        .regex(
          /^([0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$/,
          'must be the SHA-256 fingerprint of a certificate, as openssl x509 -fingerprint -sha256 prints it',
        ),
    )
    .min(1)
    .max(16)
    .optional()
    .meta({
      description:
        "SHA-256 fingerprints of the cluster's own certificate authority, as its nodes keep it in /etc/kubernetes/pki/ca.crt. Needed only where the kubeconfig trusts another one, such as that of a load balancer.",
    }),
  nodeAccess: nodeAccess.default({ kind: 'none' }),
  machinesApi: z.strictObject({ url: httpsUrl }).nullable().default(null).meta({
    description: 'Base address of the machines API; without it nodes change in place only.',
  }),
  cloudApi: z.strictObject({ url: httpsUrl }).optional().meta({
    description:
      "Base address of the cloud API, whose load balancers are compared with the start of a run; without it Services' addresses alone are.",
  }),
  allow: z
    .strictObject({
      exec: z.boolean().default(false).meta({
        description:
          'Whether the kubeconfig may start a credential plugin on this machine; only a token is taken from it.',
      }),
      fileReferences: z.boolean().default(false).meta({
        description: 'Whether the kubeconfig may name files for certificates, keys and tokens.',
      }),
    })
    .default({ exec: false, fileReferences: false }),
  metrics: writtenMetricSources.prefault({}),
});

/** The known clusters and how to reach each. Credentials stay in the kubeconfigs. */
export const ClusterInventory = kindSchema(
  'ClusterInventory',
  z.strictObject({ clusters: z.array(cluster).min(1).max(20_000) }),
).meta({
  title: 'ClusterInventory',
  description: 'The known clusters and how to reach each.',
});

export type ClusterInventory = z.output<typeof ClusterInventory>;
