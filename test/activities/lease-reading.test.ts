import { describe, expect, it } from '@jest/globals';
import type { LeaseReading } from '../../activities/lease-reading.js';
import {
  freshnessOf,
  hostnameOf,
  readLease,
  recordFirstSeen,
} from '../../activities/lease-reading.js';

const lease = (resourceVersion: string, seconds = 15): LeaseReading => ({
  namespace: 'kube-system',
  name: 'kube-controller-manager',
  resourceVersion,
  holder: 'cp-1_a',
  leaseDurationSeconds: seconds,
  transitions: 0,
  released: '',
  acquiredAtMs: 0,
});

/** Observes versions at times, then returns the freshness at the last of them. */
function afterObservations(
  observations: readonly (readonly [version: string, atMs: number])[],
  seconds = 15,
) {
  let firstSeen = recordFirstSeen([], [], 0);
  for (const [version, atMs] of observations) {
    firstSeen = recordFirstSeen([lease(version, seconds)], firstSeen, atMs);
  }
  const [version, atMs] = observations.at(-1) ?? ['1', 0];
  return freshnessOf(lease(version, seconds), firstSeen, atMs);
}

describe('freshness of a Lease from two observations on our clock', () => {
  it.each([
    ['one observation', [['1', 0]], { kind: 'seenOnce' }],
    [
      'the same version soon after',
      [
        ['1', 0],
        ['1', 3000],
      ],
      { kind: 'seenOnce' },
    ],
    [
      'another version',
      [
        ['1', 0],
        ['2', 2000],
      ],
      { kind: 'advancing' },
    ],
    [
      'changed once, then not yet again',
      [
        ['1', 0],
        ['2', 2000],
        ['2', 5000],
      ],
      { kind: 'advancing' },
    ],
    [
      'the same version for a lease time',
      [
        ['1', 100],
        ['1', 15_100],
      ],
      { kind: 'silent', sinceMs: 100 },
    ],
    [
      'changed once, then silent',
      [
        ['1', 0],
        ['2', 2000],
        ['2', 17_000],
      ],
      { kind: 'silent', sinceMs: 2000 },
    ],
    [
      'silent, then renewed',
      [
        ['1', 0],
        ['1', 16_000],
        ['2', 17_000],
      ],
      { kind: 'advancing' },
    ],
    [
      'our clock went back',
      [
        ['1', 60_000],
        ['1', 10_000],
      ],
      { kind: 'seenOnce' },
    ],
  ] as const)(
    'the freshness of a Lease follows from its observations: %s',
    (_name, observations, expected) => {
      expect(afterObservations(observations)).toEqual(expected);
    },
  );

  it('freshness uses the duration in the record, so a released Lease settles after its one second', () => {
    expect(
      afterObservations(
        [
          ['1', 0],
          ['1', 1000],
        ],
        1,
      ),
    ).toEqual({ kind: 'silent', sinceMs: 0 });
  });

  it('freshness keeps no more than two versions of a Lease and forgets Leases that are gone', () => {
    let firstSeen = recordFirstSeen([lease('1')], [], 0);
    for (const version of ['2', '3', '4']) {
      firstSeen = recordFirstSeen([lease(version)], firstSeen, Number(version) * 1000);
    }
    expect(firstSeen.map(({ resourceVersion }) => resourceVersion)).toEqual(['3', '4']);
    expect(recordFirstSeen([], firstSeen, 9000)).toEqual([]);
  });
});

describe('reading a Lease object', () => {
  it('a Lease with missing members is read as client-go does', () => {
    expect(readLease({ metadata: { name: 'x', namespace: 'n' } })).toEqual({
      namespace: 'n',
      name: 'x',
      resourceVersion: '',
      holder: '',
      leaseDurationSeconds: 15,
      transitions: 0,
      released: '',
      acquiredAtMs: null,
    });
  });

  it.each([
    ['cp-1_5b4c', 'cp-1'],
    ['node_with_underscores_5b4c', 'node_with_underscores'],
    ['bare', 'bare'],
  ])('the hostname of %s is %s', (holder, hostname) => {
    expect(hostnameOf(holder)).toBe(hostname);
  });
});
