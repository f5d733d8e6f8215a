import { describe, expect, it } from '@jest/globals';
import { accountOf, mostChanging } from '../../../../testbed/demo/fleet/fleet-journal.js';
import type { SimulatedRequest } from '../../../../testbed/demo/simulator-control.js';
import type { Truth } from '../../../../testbed/base/truth/truth.js';

function requestAt(atMs: number, changes: Partial<SimulatedRequest> = {}): SimulatedRequest {
  return {
    ...{ atMs, verb: 'update', resource: 'node-access/files', name: 'cp-1', path: '/x' },
    ...{ userAgent: 'ccm-migrate', mutating: true, tookEffect: true, fault: '' },
    ...changes,
  };
}

function truthWith(...owners: readonly (readonly string[])[]): Truth {
  const [service = [], route = service, lifecycle = service] = owners;
  const loop = (own: readonly string[], overlapSeconds: number) => ({
    ...{ overlapSeconds, orphanSeconds: 1, moves: 0, orphans: [] },
    intervals: [
      { fromMs: 0, toMs: 5, owners: ['kcm:cp-9#1'] },
      { fromMs: 5, toMs: null, owners: own },
    ],
  });
  return {
    ...{ nowMs: 9, cloudCalls: 0 },
    controllers: {
      service: loop(service, 0),
      route: loop(route, 0.5),
      'cloud-node-lifecycle': loop(lifecycle, 0),
    },
  };
}

const CLUSTER = { name: 'eu-1', region: 'eu' };

describe('the account of a cluster', () => {
  it('a cluster changes from its first change to its last; fence, reads and others do not count', () => {
    const journal = [
      requestAt(1, { resource: 'leases', name: 'ccm-migrate' }),
      requestAt(2, { mutating: false, tookEffect: false }),
      requestAt(3, { tookEffect: false }),
      requestAt(4, { userAgent: 'kubectl' }),
      requestAt(5),
      requestAt(6, { userAgent: 'ccm-migrate-guard' }),
      requestAt(7, { resource: 'leases', name: 'ccm-migrate' }),
    ];
    expect(accountOf(CLUSTER, journal, truthWith(['ccm:cp-1#7']))).toEqual({
      ...CLUSTER,
      changing: { fromMs: 5, toMs: 6 },
      changes: 2,
      struck: 0,
      overlapSeconds: 0.5,
      orphanSeconds: 1,
      owners: ['ccm'],
    });
  });

  it('a cluster that nothing changed has no time of changing', () => {
    const account = accountOf(
      CLUSTER,
      [requestAt(1, { fault: 'resetBefore', tookEffect: false })],
      truthWith(['kcm:a#1']),
    );
    expect(account).toMatchObject({ changing: null, changes: 0, struck: 1, owners: ['kcm'] });
  });

  it.each<[string, Truth, readonly string[]]>([
    ['a loop without an owner', truthWith(['ccm:a#1'], []), ['ccm', 'none']],
    ['loops of two managers', truthWith(['ccm:a#1'], ['kcm:a#2']), ['ccm', 'kcm']],
    ['two processes of one manager', truthWith(['ccm:a#1', 'ccm:b#2']), ['ccm']],
  ])('the owners of a cluster show %s', (_case, truth, owners) => {
    expect(accountOf(CLUSTER, [], truth).owners).toEqual(owners);
  });
});

describe('the most clusters at one time', () => {
  const spans = (...all: readonly (readonly [number, number] | null)[]) =>
    all.map((span) => ({ changing: span === null ? null : { fromMs: span[0], toMs: span[1] } }));

  it.each([
    ['none', spans(null), 0],
    ['one after the other', spans([0, 1], [2, 3]), 1],
    ['two that touch', spans([0, 2], [2, 3]), 2],
    ['two inside a third', spans([0, 9], [2, 3], [5, 6]), 2],
    ['three at once', spans([0, 9], [2, 6], [5, 7]), 3],
  ])('the most clusters at one time are counted: %s', (_case, accounts, most) => {
    expect(mostChanging(accounts)).toBe(most);
  });
});
