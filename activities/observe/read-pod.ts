import { COMPONENTS } from '../../domain/controllers/names.js';
import { MANAGERS } from '../../domain/vocabulary.js';
import type { PodObject } from './objects.js';
import type { PodReading } from './readings.js';

/** The fields we read of a manager's pod; nothing for any other pod. */
// eslint-disable-next-line complexity -- a flat list of defaults for absent fields; one question is decided
export function readPod(pod: PodObject): readonly PodReading[] {
  const component = pod.metadata?.labels?.['component'];
  const manager = MANAGERS.find((one) => COMPONENTS[one] === component);
  const node = pod.spec?.nodeName;
  if (manager === undefined || node === undefined) return [];
  const statuses = pod.status?.containerStatuses ?? [];
  return [
    {
      node,
      manager,
      uid: pod.metadata?.uid ?? '',
      image: pod.spec?.containers?.[0]?.image ?? '',
      restarts: Math.max(0, ...statuses.map(({ restartCount }) => restartCount ?? 0)),
      crashLooping: isCrashLooping(pod),
      fromDaemonSet: (pod.metadata?.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet'),
    },
  ];
}

/**
 * Whether a container of this pod ended and waits to be restarted. A static pod written with content that its kubelet has run
 * before may find that earlier container and wait for its back-off: it also reports CrashLoopBackOff although nothing crashed
 * (docs/truth.md). What ended before the pod object was created belongs to the earlier pod. Where a time is missing, it
 * counts.
 */
function isCrashLooping({ metadata, status }: PodObject): boolean {
  const madeAtMs = Date.parse(metadata?.creationTimestamp ?? '');
  return (status?.containerStatuses ?? []).some(({ state, lastState }) => {
    if (state?.waiting?.reason !== 'CrashLoopBackOff') return false;
    const endedAtMs = Date.parse(lastState?.terminated?.finishedAt ?? '');
    return !(endedAtMs < madeAtMs);
  });
}
