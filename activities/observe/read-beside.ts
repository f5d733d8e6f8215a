import type { AccessRule } from '../../domain/access/access-objects.js';
import { GUIDE_ROLE, showsGuidePatch } from '../../domain/access/access-reviews.js';
import { readManagerManifest } from '../../domain/manifests/manifest.js';
import type { PreflightExtra } from '../../domain/preflight/preflight-check.js';
import { SYSTEM_NAMESPACE } from '../../domain/manifests/paths.js';
import { failureTypeOf } from '../failures.js';
import type { ApiObject, CallOptions, ClusterPorts, KubernetesApi, NodeFiles } from '../ports.js';
import { endpointNode } from './api-endpoint.js';
import type { NodeObject } from './objects.js';
import { nameOf } from './objects.js';
import { serverHost } from './shared-address.js';

/** The API server's static pod in kubeadm's layout. */
const API_SERVER_MANIFEST = '/etc/kubernetes/manifests/kube-apiserver.yaml';
/** Of the kubelet and of the KCM, in kubeadm's layout. */
const NODE_KUBECONFIGS = [
  '/etc/kubernetes/kubelet.conf',
  '/etc/kubernetes/controller-manager.conf',
] as const;

/** What preflight needs and no decision does. Left out means that it could not be read. */
export type BesideReadings = Pick<
  PreflightExtra,
  'apiServerArguments' | 'apiEndpointNode' | 'patchedRoles'
>;

/** Reads what an observation leaves out: from the nodes that answer, and the built-in Role. */
export async function readBeside(
  ports: ClusterPorts,
  { nodes, nodeObjects, lockName }: BesideInput,
  options: CallOptions,
): Promise<BesideReadings> {
  const [apiServerArguments, apiEndpointNode, patchedRoles] = await Promise.all([
    readApiServers(ports.files, nodes, options),
    readEndpoint(ports.files, nodes, nodeObjects, options),
    readPatchedRoles(ports.api, lockName, options),
  ]);
  return {
    apiServerArguments,
    ...(apiEndpointNode === undefined ? {} : { apiEndpointNode }),
    ...(patchedRoles === null ? {} : { patchedRoles }),
  };
}

interface BesideInput {
  readonly nodes: readonly BesideNode[];
  /** Of the same observation. */
  readonly nodeObjects: readonly NodeObject[];
  readonly lockName: string;
}

interface BesideNode {
  readonly name: string;
  readonly reachable: boolean;
}

/** A node without that manifest, or with one that cannot be read, is left out: its API server may have any flag. */
async function readApiServers(
  files: NodeFiles,
  nodes: readonly BesideNode[],
  options: CallOptions,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const read = await Promise.all(
    nodes.map(async (node): Promise<readonly (readonly [string, readonly string[]])[]> => {
      const text = await contentOf(files, node, API_SERVER_MANIFEST, options);
      if (text === null) return [];
      // The reader wants one container with its arguments, whatever program they start.
      const result = readManagerManifest(text);
      return result.kind === 'invalid' ? [] : [[node.name, result.manifest.arguments]];
    }),
  );
  return Object.fromEntries(read.flat());
}

/** Kubeconfigs hold a client key too; only the address is kept. */
async function readEndpoint(
  files: NodeFiles,
  nodes: readonly BesideNode[],
  nodeObjects: readonly NodeObject[],
  options: CallOptions,
): Promise<string | null | undefined> {
  const seen = await Promise.all(
    nodes.map(async (node) => {
      const hosts = await Promise.all(
        NODE_KUBECONFIGS.map(async (path) =>
          serverHost((await contentOf(files, node, path, options)) ?? ''),
        ),
      );
      const found = nodeObjects.find((object) => nameOf(object) === node.name);
      return { node: found ?? { metadata: { name: node.name } }, hosts };
    }),
  );
  return endpointNode(seen);
}

interface RoleObject extends ApiObject {
  readonly rules?: readonly AccessRule[] | null;
}

/** Null when we may not read it. An absent Role has no patch. */
async function readPatchedRoles(
  api: KubernetesApi,
  lockName: string,
  options: CallOptions,
): Promise<readonly string[] | null> {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', name: GUIDE_ROLE };
  try {
    const found = await api.get<RoleObject>({ ...role, namespace: SYSTEM_NAMESPACE }, options);
    const rules = found?.object.rules ?? [];
    return showsGuidePatch(rules, { name: lockName }) ? [GUIDE_ROLE] : [];
  } catch (error) {
    if (failureTypeOf(error) === 'Forbidden') return null;
    throw error;
  }
}

/** Null when the file does not exist or the node does not answer. */
async function contentOf(
  files: NodeFiles,
  { name, reachable }: BesideNode,
  path: string,
  options: CallOptions,
): Promise<string | null> {
  if (!reachable) return null;
  try {
    return (await files.read(name, path, options))?.content ?? null;
  } catch (error) {
    const type = failureTypeOf(error);
    if (type === 'Unreachable' || type === 'Timeout') return null;
    throw error;
  }
}
