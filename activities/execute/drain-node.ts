import type { ControlPlaneNode } from '../../domain/observation/observation.js';
import { failure } from '../failures.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import { objectName } from '../fence/find-effect.js';
import { objectChange } from '../object-change.js';
import { type NodeObject, type PodObject, nameOf } from '../observe/objects.js';
import type { StepSession } from './step-session.js';
import {
  note,
  observeUntil,
  progress,
  requestOptions,
  safePoint,
  timingsOf,
} from './step-session.js';

/**
 * Cordons a node, evicts its pods one by one, honouring disruption budgets, and waits until they have left: one that was evicted runs on
 * for its grace period. Between pods and while it waits the step may be interrupted. Static pods and DaemonSet pods are removed with the
 * machine, and so is a pod that came since: it tolerates the cordon, and the next would. A node that is not Ready cannot terminate its
 * pods: they are removed with it too.
 */
export async function drainNode(
  session: StepSession,
  { name, cordoned, ready }: Pick<ControlPlaneNode, 'name' | 'cordoned' | 'ready'>,
): Promise<void> {
  if (!cordoned) await cordon(session, name);
  if (ready !== 'yes') return;
  const pods = (await podsOn(session, name)).filter(mustLeave);
  for (const pod of pods) {
    safePoint(session);
    if (pod.metadata?.deletionTimestamp === undefined) await evict(session, pod);
  }
  if (pods.length === 0) return;
  await awaitGone(session, name, new Set(pods.map(uidOf)));
  note(session, `${String(pods.length)} pods have left ${name}`);
}

async function awaitGone(
  session: StepSession,
  node: string,
  uids: ReadonlySet<string | undefined>,
): Promise<void> {
  let left: readonly PodObject[] = [];
  const gone = await observeUntil(session, {
    what: `the end of the pods on ${node}`,
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => {
      safePoint(session);
      left = (await podsOn(session, node)).filter((pod) => uids.has(uidOf(pod)));
      return left.length === 0 ? true : null;
    },
  });
  if (gone !== null) return;
  const names = left.map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`);
  throw failure(
    'EffectNotSeen',
    `${node} is not drained: ${names.slice(0, 5).join(', ')} still terminates. See why there, then \`ccm-migrate retry\``,
  );
}

function uidOf({ metadata }: PodObject): string | undefined {
  return metadata?.uid;
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

function mustLeave({ metadata, status }: PodObject): boolean {
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
