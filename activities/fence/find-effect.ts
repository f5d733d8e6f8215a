import { digestJson } from '../../domain/digest.js';
import type { EvidenceIntent } from '../../domain/evidence/record.js';
import type {
  ApiObject,
  CallOptions,
  ClusterPorts,
  HostState,
  ObjectRef,
  ProcessName,
} from '../ports.js';
import { digestObject } from '../object-digest.js';

/**
 * What an observation found of an attempt with unknown outcome. `changed`: the content is neither the old nor the new
 * one.
 */
export type FoundEffect = 'applied' | 'notApplied' | 'changed';

export type EffectTrace = Pick<EvidenceIntent, 'verb' | 'object' | 'before' | 'after'>;

const VERSIONS: Readonly<Record<string, string>> = {
  Lease: 'coordination.k8s.io/v1',
  ConfigMap: 'v1',
  ServiceAccount: 'v1',
  Node: 'v1',
  Service: 'v1',
  Pod: 'v1',
  Role: 'rbac.authorization.k8s.io/v1',
  RoleBinding: 'rbac.authorization.k8s.io/v1',
  ClusterRole: 'rbac.authorization.k8s.io/v1',
  ClusterRoleBinding: 'rbac.authorization.k8s.io/v1',
  DaemonSet: 'apps/v1',
  Deployment: 'apps/v1',
};

/** The name of an API object in evidence, for example `Lease kube-system/ccm-migrate` or `Node cp-1`. */
export function objectName(ref: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): string {
  const { kind, namespace, name } = ref;
  return namespace === undefined || namespace === ''
    ? `${kind} ${name}`
    : `${kind} ${namespace}/${name}`;
}

/** The name of a node's kubelet in evidence. */
export function kubeletName(node: string): string {
  return `Kubelet ${node}`;
}

/** The name of a process on a node in evidence, for example `Process cp-1/812`. */
export function processName(node: string, pid: number): string {
  return `Process ${node}/${String(pid)}`;
}

/** The name of a file on a node in evidence. */
export function fileName(node: string, path: string): string {
  return `${node}:${path}`;
}

/** Checks whether an attempted mutation took effect, from its evidence intent alone. */
export async function findEffect(
  ports: ClusterPorts,
  trace: EffectTrace,
  options: CallOptions,
): Promise<FoundEffect> {
  const beside = findBeside(ports, trace, options);
  if (beside !== null) return beside;
  const file = /^([^\s:]+):(\/.*)$/.exec(trace.object);
  if (file?.[1] !== undefined && file[2] !== undefined) {
    const found = await ports.files.read(file[1], file[2], options);
    return compare(found?.hash ?? '', trace);
  }
  const ref = parseObjectName(trace.object);
  return ref === null ? 'changed' : findObject(ports, trace, ref, options);
}

/** Handles what is neither a file nor an API object; null for the others. */
function findBeside(
  ports: ClusterPorts,
  trace: EffectTrace,
  options: CallOptions,
): Promise<FoundEffect> | null {
  const [, kind, name = ''] = /^(Machine|Kubelet|Process) (.+)$/.exec(trace.object) ?? [];
  if (kind === 'Machine') return findMachine(ports, trace, name, options);
  if (kind === 'Process') return findProcess(ports, trace, name, options);
  return kind === 'Kubelet' ? findRestart(ports, trace, name, options) : null;
}

async function findObject(
  ports: ClusterPorts,
  trace: EffectTrace,
  ref: ObjectRef,
  options: CallOptions,
): Promise<FoundEffect> {
  const found = await ports.api.get<ApiObject>(ref, options);
  const object = found === null ? null : { kind: ref.kind, ...found.object };
  const isRelease = ref.kind === 'Lease' && trace.verb === 'patch';
  // Its finalizers may keep an object that the server has agreed to delete.
  if (trace.verb === 'delete' && object?.metadata?.deletionTimestamp !== undefined)
    return 'applied';
  if (isRelease && object !== null && digestObject(emptied(object)) === trace.after) {
    return 'applied';
  }
  return compare(digestObject(object), trace);
}

/**
 * The Lease without its holder. A waiting candidate takes an emptied Lease at once, and an expired one without us; the
 * release note distinguishes the two.
 */
function emptied(lease: ApiObject): ApiObject {
  const { metadata } = lease;
  return { kind: 'Lease', ...(metadata === undefined ? {} : { metadata }) };
}

function compare(digest: string, { before, after }: EffectTrace): FoundEffect {
  if (digest === after) return 'applied';
  return digest === before ? 'notApplied' : 'changed';
}

async function findMachine(
  ports: ClusterPorts,
  { verb }: EffectTrace,
  name: string,
  options: CallOptions,
): Promise<FoundEffect> {
  const machine = (await ports.machines?.list(options))?.find((each) => each.name === name);
  if (verb === 'addMachine') return machine === undefined ? 'notApplied' : 'applied';
  return machine === undefined || machine.state === 'deleting' ? 'applied' : 'notApplied';
}

/**
 * One process of a kubelet, as named in the evidence of its restart: boot, pid and start time identify it uniquely. Empty
 * when there is none.
 */
export function kubeletDigest({ bootId, kubelets }: HostState): string {
  const names = kubelets.map(({ pid, startTicks }) => `${bootId} ${pid} ${startTicks}`).sort();
  return names.length === 0 ? '' : digestJson(names);
}

/** A restart took effect when the previous kubelet is gone: the step waits for the new one and proves it. */
async function findRestart(
  { processes }: ClusterPorts,
  { before }: EffectTrace,
  node: string,
  options: CallOptions,
): Promise<FoundEffect> {
  return kubeletDigest(await processes.host(node, options)) === before ? 'notApplied' : 'applied';
}

/** One process of one boot; the same process id later is another one. */
export function processDigest(bootId: string, { pid, startTicks }: ProcessName): string {
  return digestJson(`${bootId} ${pid} ${startTicks}`);
}

/** A process was ended when its node shows it no more; what the kubelet started since is another one. */
async function findProcess(
  { processes }: ClusterPorts,
  { before }: EffectTrace,
  name: string,
  options: CallOptions,
): Promise<FoundEffect> {
  const at = name.lastIndexOf('/');
  const { bootId, processes: found } = await processes.host(name.slice(0, at), options);
  const namesakes = found.filter(({ pid }) => String(pid) === name.slice(at + 1));
  // Without its start, it may be that very one.
  const isThere = namesakes.some(
    ({ pid, startTicks }) =>
      startTicks === null || processDigest(bootId, { pid, startTicks }) === before,
  );
  return isThere ? 'notApplied' : 'applied';
}

function parseObjectName(text: string): ObjectRef | null {
  const match = /^(\w+) (?:([^\s/]+)\/)?([^\s/]+)$/.exec(text);
  const [, kind, namespace, name] = match ?? [];
  const apiVersion = VERSIONS[kind ?? ''];
  if (kind === undefined || name === undefined || apiVersion === undefined) return null;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}
