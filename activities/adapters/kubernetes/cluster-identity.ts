import { createHash } from 'node:crypto';
import { failure } from '../../failures.js';
import type { KubernetesApi } from '../../ports.js';

/** What a node must confirm about its cluster before it answers us: docs/contracts/node-access-api.md. */
export interface ClusterIdentity {
  /** Name in the inventory, for people. */
  readonly name: string;
  /** UID of namespace kube-system. */
  readonly uid: string;
  /** SHA-256 of the DER of each certificate that may be the cluster's own authority, in hexadecimal. */
  readonly authorities: readonly string[];
}

export type Identify = () => Promise<ClusterIdentity>;

export interface IdentitySources {
  readonly name: string;
  /** The planned UID. Without one the API is queried once. */
  readonly uid: string | undefined;
  /** From the inventory, instead of those of the kubeconfig. */
  readonly named: readonly string[] | undefined;
  /** PEM: what the kubeconfig trusts. */
  readonly ca: string;
  readonly api: KubernetesApi;
}

/** During a CA rotation there are two; more means a bundle of other authorities. */
const MOST_AUTHORITIES = 16;

/**
 * The cluster identity that a node must match. The authority comes from the operator's inventory or kubeconfig, never from
 * the cluster: ConfigMap `kube-root-ca.crt` is served by the same API server that may lie about its nodes.
 */
export function identifyCluster({ name, uid, named, ca, api }: IdentitySources): Identify {
  let asked: Promise<string> | null = null;
  const planned = uid;
  const authorities = named ?? authoritiesOf(ca);
  return async () => {
    if (authorities.length === 0 || authorities.length > MOST_AUTHORITIES) {
      throw failure(
        'InvalidInput',
        `cluster ${name}: its kubeconfig trusts ${String(authorities.length)} authorities, so none of them identifies the nodes of this cluster. Set the cluster's own as certificateAuthorities in the inventory (docs/node-access-ssh.md)`,
      );
    }
    asked ??=
      planned === undefined ? askUid(name, api) : Promise.resolve(checkedUid(name, planned));
    try {
      return { name, uid: await asked, authorities };
    } catch (error) {
      asked = null;
      throw error;
    }
  };
}

/** SHA-256 of each certificate in a PEM text, as the node's own program computes it. */
export function authoritiesOf(pem: string): readonly string[] {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g);
  const digests = [...blocks].map(([, body = '']) =>
    createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex'),
  );
  return [...new Set(digests)];
}

async function askUid(name: string, api: KubernetesApi): Promise<string> {
  const found = await api.get({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' });
  return checkedUid(name, found?.object.metadata?.uid ?? '');
}

/** One word, because it is stored on nodes: UIDs are UUIDs (k8s.io/apimachinery pkg/util/uuid). */
function checkedUid(name: string, uid: string): string {
  if (/^[\w.-]{1,64}$/.test(uid)) return uid;
  throw failure(
    'ClusterMismatch',
    `cluster ${name}: its namespace kube-system has no UID, so its nodes cannot be identified`,
  );
}
