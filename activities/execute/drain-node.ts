import type { ControlPlaneNode } from '../../domain/observation.js';
import { failure } from '../failures.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import { objectName } from '../fence/find-effect.js';
import { digestObject } from '../fence/object-digest.js';
import type { NodeObject, PodObject } from '../observe/objects.js';
import type { StepSession } from './step-session.js';
import { note, progress, requestOptions, safePoint, timingsOf } from './step-session.js';

/**
 * Cordons a node and evicts its pods one by one, honouring disruption budgets; between pods the step may be interrupted.
 * Static pods and DaemonSet pods are removed with the machine. A node that is not Ready cannot terminate its pods: they are
 * removed with it too.
 */
export async function drainNode(
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
  const labels = session.look.quick.quick.nodes.find((node) => node.name === name)?.labels ?? {};
  const digest = (unschedulable: boolean): string =>
    digestObject({ kind: 'Node', metadata: { labels }, spec: { unschedulable } } as NodeObject);
  await fencedMutation(
    session,
    { verb: 'patch', object: objectName(ref), before: digest(false), after: digest(true) },
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
      { verb: 'evict', object, before: digestObject({ ...pod, kind: 'Pod' }), after: '' },
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
