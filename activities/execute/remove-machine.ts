import type { ReleaseSequence } from '../../domain/decision/step.js';
import type { ControlPlaneNode } from '../../domain/observation/observation.js';
import { MANAGERS } from '../../domain/vocabulary.js';
import { failure } from '../failures.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import { objectName } from '../fence/find-effect.js';
import { nextPath } from '../node-paths.js';
import { objectChange } from '../object-change.js';
import { type NodeObject, type PodObject, nameOf } from '../observe/objects.js';
import type { CollectedSnapshot } from '../observe/collect-snapshot.js';
import type { Machine, Machines } from '../ports.js';
import { machineKey, machinesOf } from './add-machine.js';
import { endStaticPod, readDisk } from './change-static-pod.js';
import { dropNodeFiles } from './node-file-writes.js';
import { readObject, removeObject } from './object-writes.js';
import { terminatedWithMachine, releaseLeases } from './release-leases.js';
import type { EffectReport, StepSession } from './step-session.js';
import {
  NO_OWNERSHIP_LOSS,
  observeAgain,
  observeUntil,
  ownershipLossOf,
  note,
  progress,
  requestOptions,
  safePoint,
  timingsOf,
} from './step-session.js';

/**
 * Removes a control-plane machine: cordon and drain, then its provider deletes it (etcd member first, by contract), its
 * absence is proven there, its Node is removed, and what its managers held is released with that proof.
 */
export async function removeMachine(
  session: StepSession,
  nodeName: string,
  release: ReleaseSequence,
): Promise<EffectReport> {
  const machines = machinesOf(session);
  const node = session.before.nodes.find(({ name }) => name === nodeName);
  const machine = await machineOf(session, machines, nodeName);
  if (machine === null && node === undefined) return NO_OWNERSHIP_LOSS;
  const name = machine?.name ?? nodeName;
  let handed = NO_OWNERSHIP_LOSS;
  if (machine !== null) {
    if (node !== undefined) await drainNode(session, node);
    safePoint(session);
    if (node !== undefined) handed = await handOverFirst(session, node, release);
    await removeAtProvider(session, machines, machine);
  }
  const lost = handed.lost === null ? ownershipLossOf(session, nodeName, MANAGERS, null) : handed;
  await requireGone(session, machines, name);
  note(session, `machine ${name} deleted at its provider`);
  if (node !== undefined) await releaseAll(session, machines, node, name, release);
  return { ...lost, snapshot: await observeWithoutNode(session, nodeName) };
}

/**
 * A holder on a reachable node is stopped before its machine: its host proves that at once, while the provider confirms only
 * after the machine is deleted (5 s without an owner against 2 s in the simulator).
 */
async function handOverFirst(
  session: StepSession,
  node: ControlPlaneNode,
  release: ReleaseSequence,
): Promise<EffectReport> {
  let handed = NO_OWNERSHIP_LOSS;
  for (const manager of MANAGERS) {
    const { manifest, processes } = node[manager];
    const holds = processes.some(({ identity }) => identity !== null);
    if (!node.reachable || !holds || manifest.state !== 'present') continue;
    if (manifest.source !== 'staticPod') continue;
    const disk = await readDisk(session, node.name, manager);
    // Left by an interrupted change: if this step is interrupted too, it would replace the manifest removed for good.
    if (disk.next !== null) await dropNodeFiles(session, node.name, [nextPath(manager)]);
    const report = await endStaticPod(session, node, manager, disk.manifest, release);
    handed = report.lost === null ? handed : report;
  }
  return handed;
}

async function machineOf(
  session: StepSession,
  machines: Machines,
  node: string,
): Promise<Machine | null> {
  const all = await machines.list(requestOptions(session));
  return all.find((each) => each.node === node || each.name === node) ?? null;
}

async function removeAtProvider(
  session: StepSession,
  machines: Machines,
  { name, state }: Machine,
): Promise<void> {
  if (state === 'deleting') return;
  const guard = { epoch: session.token.epoch, idempotencyKey: machineKey(session, name) };
  progress(session, `machine ${name} is being deleted`);
  await fencedMutation(
    session,
    { verb: 'removeMachine', object: `Machine ${name}`, before: name, after: '' },
    () => machines.remove(name, guard, requestOptions(session)),
  );
}

async function requireGone(session: StepSession, machines: Machines, name: string): Promise<void> {
  const gone = await observeUntil(session, {
    what: `the end of machine ${name}`,
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => ((await isListed(session, machines, name)) ? null : true),
  });
  if (gone !== null) return;
  throw failure(
    'EffectNotSeen',
    `machine ${name} is still at its provider. See why there, then \`ccm-migrate retry\``,
  );
}

async function isListed(session: StepSession, machines: Machines, name: string): Promise<boolean> {
  return (await machines.list(requestOptions(session))).some((each) => each.name === name);
}

async function releaseAll(
  session: StepSession,
  machines: Machines,
  node: ControlPlaneNode,
  machine: string,
  release: ReleaseSequence,
): Promise<void> {
  const stillThere = (): Promise<boolean> => isListed(session, machines, machine);
  for (const manager of MANAGERS) {
    const terminated = terminatedWithMachine(node, manager, stillThere);
    if (terminated !== null) await releaseLeases(session, terminated, release);
  }
}

/**
 * The provider removes the Node last, by contract. If it still exists in the step's last observation, we wait a moment and
 * then remove it.
 */
async function observeWithoutNode(session: StepSession, name: string): Promise<CollectedSnapshot> {
  const { snapshot } = session;
  const pods = snapshot.live.controlPlanePods.filter(({ spec }) => spec?.nodeName !== name);
  const observe = (): Promise<CollectedSnapshot> => observeAgain(session, snapshot, [], pods);
  const isThere = ({ observation }: CollectedSnapshot): boolean =>
    observation.nodes.some((node) => node.name === name);
  const gone = await observeUntil(session, {
    what: `the end of Node ${name}`,
    withinMs: 4 * timingsOf(session).pollMs,
    snapshot: async () => {
      const seen = await observe();
      return isThere(seen) ? null : seen;
    },
  });
  if (gone !== null) return gone;
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  const node = await readObject(session, ref);
  if (node !== null) await removeObject(session, ref, node);
  return observe();
}

/**
 * Cordons a node and evicts its pods one by one, honouring disruption budgets; between pods the step may be interrupted.
 * Static pods and DaemonSet pods are removed with the machine. A node that is not Ready cannot terminate its pods: they are
 * removed with it too.
 */
async function drainNode(
  session: StepSession,
  { name, cordoned, ready }: Pick<ControlPlaneNode, 'name' | 'cordoned' | 'ready'>,
): Promise<void> {
  if (!cordoned) await cordon(session, name);
  if (ready !== 'yes') return;
  const pods = (await podsOn(session, name)).filter(mustBeEvicted);
  for (const pod of pods) {
    safePoint(session);
    await evict(session, pod);
  }
  if (pods.length > 0) note(session, `${String(pods.length)} pods evicted from ${name}`);
}

/** Sets one field to a fixed value, so no precondition is needed. */
async function cordon(session: StepSession, name: string): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  const labels =
    session.snapshot.live.nodeObjects.find((node) => nameOf(node) === name)?.metadata?.labels ?? {};
  const node = (unschedulable: boolean): NodeObject => {
    return { kind: 'Node', metadata: { labels }, spec: { unschedulable } };
  };
  await fencedMutation(
    session,
    { verb: 'patch', object: objectName(ref), ...objectChange(node(false), node(true)) },
    () =>
      session.ports.api.mergePatch(ref, { spec: { unschedulable: true } }, requestOptions(session)),
  );
}

async function podsOn(session: StepSession, node: string): Promise<readonly PodObject[]> {
  const { items } = await session.ports.api.list<PodObject>(
    { apiVersion: 'v1', kind: 'Pod' },
    { ...requestOptions(session), fieldSelector: `spec.nodeName=${node}` },
  );
  return items;
}

function mustBeEvicted({ metadata, status }: PodObject): boolean {
  const mirror = metadata?.annotations?.['kubernetes.io/config.mirror'] !== undefined;
  const daemon = (metadata?.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet');
  const finished = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return !mirror && !daemon && !finished;
}

async function evict(session: StepSession, pod: PodObject): Promise<void> {
  const { clock } = session;
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const object = objectName({ kind: 'Pod', namespace, name });
  const deadline = clock.nowMs() + timingsOf(session).effectMs;
  for (;;) {
    const answer = { kind: 'blocked' as 'evicted' | 'gone' | 'blocked' };
    await fencedMutation(
      session,
      { verb: 'evict', object, ...objectChange({ ...pod, kind: 'Pod' }, null) },
      async () => {
        answer.kind = await session.ports.api.evict({ namespace, name }, requestOptions(session));
        if (answer.kind === 'blocked') {
          throw failure('PreconditionFailed', `a disruption budget keeps pod ${namespace}/${name}`);
        }
      },
    ).catch((error: unknown) => {
      if (answer.kind !== 'blocked' || clock.nowMs() >= deadline) throw error;
    });
    if (answer.kind !== 'blocked') return;
    progress(session, `a disruption budget keeps pod ${namespace}/${name}`);
    safePoint(session);
    await clock.sleep(timingsOf(session).pollMs, session.scope.signal);
  }
}
