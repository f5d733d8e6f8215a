import { describe, expect, it } from '@jest/globals';
import type { ContainerState, PodObject } from '../../../activities/observe/objects.js';
import { readPod } from '../../../activities/observe/read-pod.js';

const WAITS: ContainerState = { waiting: { reason: 'CrashLoopBackOff' } };
const MADE = '2026-03-01T10:00:05Z';

function podOf(state: ContainerState, endedAt: string | null, madeAt: string | null): PodObject {
  const lastState = endedAt === null ? {} : { terminated: { finishedAt: endedAt } };
  return {
    metadata: {
      ...{ name: 'ccm', labels: { component: 'cloud-controller-manager' } },
      ...(madeAt === null ? {} : { creationTimestamp: madeAt }),
    },
    spec: { nodeName: 'cp-1' },
    status: { containerStatuses: [{ restartCount: 1, state, lastState }] },
  };
}

describe('whether a manager crashes again and again', () => {
  it.each([
    ['it ended after its pod was made', WAITS, '2026-03-01T10:00:06Z', MADE, true],
    ['it ended in the second in which its pod was made', WAITS, MADE, MADE, true],
    [
      'what ended was the pod of the same text before it',
      WAITS,
      '2026-03-01T10:00:04Z',
      MADE,
      false,
    ],
    ['nobody knows when it ended', WAITS, null, MADE, true],
    ['nobody knows when its pod was made', WAITS, '2026-03-01T10:00:04Z', null, true],
    [
      'it waits for something else',
      { waiting: { reason: 'ContainerCreating' } },
      MADE,
      MADE,
      false,
    ],
    ['it runs', {}, '2026-03-01T10:00:06Z', MADE, false],
  ] as const)('%s', (_name, state, endedAt, madeAt, expected) => {
    const [reading] = readPod(podOf(state, endedAt, madeAt));
    expect(reading).toMatchObject({ node: 'cp-1', manager: 'ccm', crashLooping: expected });
  });

  it('is asked of managers alone', () => {
    const pod = podOf(WAITS, null, MADE);
    expect(readPod({ ...pod, metadata: { labels: { component: 'etcd' } } })).toEqual([]);
    expect(readPod({ ...pod, spec: {} })).toEqual([]);
  });
});
