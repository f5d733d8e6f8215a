import { describe, expect, it } from '@jest/globals';
import type { ContainerState, PodObject } from '../../../activities/observe/objects.js';
import { readPod } from '../../../activities/observe/read-live.js';

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
    ['the previous pod of the same text ended', WAITS, '2026-03-01T10:00:04Z', MADE, false],
    ['the time of its end is unknown', WAITS, null, MADE, true],
    ['the time when its pod was made is unknown', WAITS, '2026-03-01T10:00:04Z', null, true],
    [
      'it waits for another reason',
      { waiting: { reason: 'ContainerCreating' } },
      MADE,
      MADE,
      false,
    ],
    ['it runs', {}, '2026-03-01T10:00:06Z', MADE, false],
  ] as const)(
    'a crash loop of a manager is recognised: %s',
    (_name, state, endedAt, madeAt, expected) => {
      const [reading] = readPod(podOf(state, endedAt, madeAt));
      expect(reading).toMatchObject({ node: 'cp-1', manager: 'ccm', crashLooping: expected });
    },
  );

  it('crash loops are checked for managers only', () => {
    const pod = podOf(WAITS, null, MADE);
    expect(readPod({ ...pod, metadata: { labels: { component: 'etcd' } } })).toEqual([]);
    expect(readPod({ ...pod, spec: {} })).toEqual([]);
  });
});
