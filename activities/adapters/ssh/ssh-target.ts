import type { SshAccess } from '../../../config/loaded-inventories.js';
import { errorCode, failure } from '../../failures.js';
import type { ApiObject, KubernetesApi } from '../../ports.js';
import { pathSegment } from '../http/object-paths.js';
import {
  type HostPins,
  aliasOf,
  knownName,
  parseKnownHosts,
  pinsOfInventory,
  pinsOfKnownHosts,
} from './known-hosts.js';
import type { SshTarget } from './open-connection.js';
import { readRegularText } from '../../../config/regular-file.js';

interface NodeWithAddresses extends ApiObject {
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

export interface NodeOfCluster {
  /** Name in the inventory. */
  readonly cluster: string;
  readonly node: string;
}

/** Address of a node's sshd, from the inventory or else the Node's InternalIP, and the keys it may present. */
export async function sshTarget(
  { cluster, node }: NodeOfCluster,
  access: SshAccess,
  api: KubernetesApi,
): Promise<SshTarget> {
  pathSegment(node);
  const entry = Object.hasOwn(access.hosts, node) ? access.hosts[node] : undefined;
  const host = entry?.address ?? (await internalIp(node, api));
  const port = entry?.port ?? access.port;
  return { node, host, port, pins: await pinsOf({ cluster, node }, host, port, access) };
}

async function internalIp(node: string, api: KubernetesApi): Promise<string> {
  const ref = { apiVersion: 'v1', kind: 'Node', name: node };
  const found = await api.get<NodeWithAddresses>(ref);
  if (found === null) throw failure('Unreachable', `node ${node} is unknown`);
  const addresses = found.object.status?.addresses ?? [];
  const internal = addresses.find(({ type }) => type === 'InternalIP');
  if (internal !== undefined) return internal.address;
  throw failure(
    'Unreachable',
    `node ${node} has no InternalIP: set nodeAccess.hosts.${node}.address in the inventory`,
  );
}

/**
 * Keys in the inventory take precedence; otherwise those in the known_hosts file for this node of this cluster. An address
 * comes from the cluster, and a Node of another cluster may have the same name, so neither identifies a key. The file is read
 * each time, because machines are added and removed.
 */
async function pinsOf(
  { cluster, node }: NodeOfCluster,
  host: string,
  port: number,
  { hosts, knownHosts }: SshAccess,
): Promise<HostPins> {
  const keys = Object.hasOwn(hosts, node) ? hosts[node]?.hostKeys : undefined;
  if (keys !== undefined) return pinsOfInventory(keys, `nodeAccess.hosts.${node}.hostKeys`);
  if (knownHosts === undefined) return pinsOfInventory([], `nodeAccess.hosts of the inventory`);
  const alias = aliasOf(node, cluster);
  const names = { alias, others: [knownName(host, port), knownName(node, port)] };
  const known = parseKnownHosts(await fileText(knownHosts));
  return pinsOfKnownHosts(known, names, `${knownHosts} for ${alias}`);
}

async function fileText(path: string): Promise<string> {
  try {
    return await readRegularText(path);
  } catch (error) {
    throw failure(
      'InvalidInput',
      `nodeAccess.knownHosts ${path} cannot be read (${errorCode(error)})`,
    );
  }
}
