import { describe, expect, it } from '@jest/globals';
import type { GuardInput, GuardMemory, OwnershipTrace } from '../../../activities/contract.js';
import { bounded, memoryAtStart, newsIn } from '../../../activities/guard/guard-memory.js';
import {
  addLook,
  emptyTrace,
  summarizeTrace,
  unseenSince,
} from '../../../activities/guard/ownership-trace.js';
import { clusterOf, type ClusterSpec } from '../../support/cluster-builder.js';
import { runContext } from '../run-context.js';

const BOTH: ClusterSpec = {
  nodes: [
    { kcm: 'inTree', ccm: 'off' },
    { kcm: 'inTree', ccm: 'none' },
  ],
  kcmLeader: 0,
  ccmLeader: 0,
  migration: 'free',
};
const CCM_OWNS: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'on' },
    { kcm: 'inTreeLm', ccm: 'on' },
  ],
  kcmLeader: 0,
  ccmLeader: 0,
  migration: { manager: 'ccm', node: 0 },
};

describe('what the guard remembers', () => {
  const input = (memory: GuardMemory | null = null): GuardInput => ({
    ...runContext(),
    nonce: 'n',
    memory,
  });
  const begun = memoryAtStart(undefined, input(), 1000);

  it('begins with nothing, goes on with another guard, and first of all with its own attempt', () => {
    const other = { ...begun, looks: 5 };
    const own = { ...begun, looks: 7 };
    expect(begun).toMatchObject({ looks: 0, reachable: {}, apiReachable: true });
    expect(memoryAtStart(undefined, input(other), 0).looks).toBe(5);
    expect(memoryAtStart(own, input(other), 0).looks).toBe(7);
    expect(memoryAtStart({ progress: 'x' }, input(other), 0).looks).toBe(5);
    const { reachable: _reachable, apiReachable: _apiReachable, ...older } = own;
    expect(memoryAtStart(older, input(), 0)).toEqual(own);
  });

  it('stays within 16 KiB whatever it has seen, and keeps its figures', () => {
    const verdict = { gate: 'g', hardness: 'hard', verdict: 'fail', code: 'CCM3001' } as const;
    const breaches = Array.from({ length: 20 }, (_, nth) => ({
      ...verdict,
      gate: `g${String(nth)}`,
      detail: 'é'.repeat(5000),
    }));
    const sightings = Array.from({ length: 500 }, (_, nth) => ({
      ...{ namespace: 'n'.repeat(60), name: `${'l'.repeat(200)}${String(nth)}` },
      ...{ resourceVersion: '1', firstSeenAtMs: nth },
    }));
    const small = bounded({ ...begun, looks: 9, breaches, sightings });
    expect(Buffer.byteLength(JSON.stringify(small))).toBeLessThanOrEqual(16 * 1024);
    expect(small).toMatchObject({ looks: 9, trace: begun.trace });
    expect(bounded(begun)).toEqual(begun);
  });

  it('tells what somebody waits for from figures that move all the time', () => {
    expect(newsIn({ ...begun, looks: 9, trace: { ...begun.trace, atMs: 5 } })).toBe(newsIn(begun));
    expect(newsIn({ ...begun, reachable: { 'cp-1': false } })).not.toBe(newsIn(begun));
    expect(newsIn({ ...begun, apiReachable: false })).not.toBe(newsIn(begun));
  });

  it('counts a time in which nobody looked as unknown, not as what was seen before it', () => {
    const both = { ...clusterOf(BOTH), observedAtMs: 2000 };
    const seen = addLook(emptyTrace(['service', 'route'], 0), both, () => null);
    const gap = (trace: OwnershipTrace): OwnershipTrace =>
      addLook(trace, { ...clusterOf(CCM_OWNS), observedAtMs: 62_000 }, () => null);
    expect(summarizeTrace(gap(seen))).toMatchObject({ overlapSeconds: 60, unknownSeconds: 0 });
    expect(summarizeTrace(gap(unseenSince(seen)))).toMatchObject({
      ...{ overlapSeconds: 0, unknownSeconds: 60 },
    });
    // Nothing was seen yet, so nothing was missed.
    const fresh = emptyTrace(['service'], 0);
    expect(unseenSince(fresh)).toEqual(fresh);
  });
});
