import { describe, expect, it } from '@jest/globals';
import { USER_AGENTS } from '../../../../config/names.js';
import { ofEachOwned, type Truth } from '../../../../testbed/base/truth/truth.js';
import {
  burntIn,
  fencedWithin,
  mostAtOnce,
  simulatedAccount,
  type SimulatedAccount,
} from '../../../../testbed/bench/simulated/request-account.js';
import {
  journalFigures,
  percentEach,
} from '../../../../testbed/bench/simulated/simulated-figures.js';
import type { SimulatedRequest } from '../../../../testbed/demo/simulator-control.js';

function request(atMs: number, more: Partial<SimulatedRequest> = {}): SimulatedRequest {
  return {
    ...{ atMs, userAgent: USER_AGENTS.steps, verb: 'get', resource: 'nodes', name: 'cp-1' },
    ...{ path: '/api/v1/nodes/cp-1', mutating: false, fault: '', tookEffect: false },
    ...more,
  };
}

const write = (atMs: number, more: Partial<SimulatedRequest> = {}): SimulatedRequest =>
  request(atMs, { verb: 'patch', mutating: true, tookEffect: true, ...more });
const fence = (atMs: number): SimulatedRequest =>
  write(atMs, { resource: 'leases', name: 'ccm-migrate', userAgent: USER_AGENTS.guard });

function truth(owner: string, overlapSeconds = 0): Truth {
  const intervals = [{ fromMs: 0, toMs: null, owners: [`${owner}:cp-1#7`] }];
  const controllers = ofEachOwned(() => ({
    ...{ overlapSeconds, orphanSeconds: 0, moves: 1, intervals, orphans: [] },
  }));
  return { nowMs: 100_000, controllers, cloudCalls: 0 };
}

const CLUSTER = { name: 'moving-z1-1', region: '', zone: 'z1' };

/** Fenced for ten seconds, changed for six of them. */
function account(fromMs: number, owner = 'ccm', zone = 'z1', overlap = 0): SimulatedAccount {
  const journal = [
    ...[fence(fromMs), write(fromMs + 2_000), write(fromMs + 8_000), fence(fromMs + 10_000)],
  ];
  return simulatedAccount({ ...CLUSTER, zone }, journal, truth(owner, overlap), 0);
}

describe('what the simulator says of a cluster', () => {
  it('a cluster is fenced from our first write to the last, and changes without those to the fence', () => {
    expect(account(1_000)).toMatchObject({
      fenced: { fromMs: 1_000, toMs: 11_000 },
      changing: { fromMs: 3_000, toMs: 9_000 },
      changes: 2,
    });
  });

  it('only our writes that took effect count, and only since the fleet was applied', () => {
    const others = [
      write(2_000, { userAgent: 'kube-controller-manager' }),
      write(2_100, { tookEffect: false }),
      write(500),
    ];
    const seen = simulatedAccount(CLUSTER, others, truth('kcm'), 1_000);
    expect(seen).toMatchObject({ fenced: null, changing: null, changes: 0 });
  });

  it('requests are those of steps and of the guard to the API server, and of both to nodes and machines', () => {
    const { guard } = USER_AGENTS;
    const journal = [
      ...[request(1), request(2, { path: '/apis/apps/v1/daemonsets?limit=500' })],
      request(3, { path: '/version' }),
      request(4, { userAgent: guard }),
      ...[request(5, { path: '/nodes/cp-1/v1/files' }), request(6, { path: '/machines/v1' })],
      request(7, { path: '/nodes/cp-1/v1/files', userAgent: guard }),
      request(8, { userAgent: 'cloud-controller-manager' }),
    ];
    const { requests } = simulatedAccount(CLUSTER, journal, truth('ccm'), 0);
    expect(requests).toEqual({ steps: 3, guard: 1, nodes: 3 });
  });
});

describe('limits by the journal', () => {
  it('most at once, in a zone too, where one that ends when another begins does not count twice', () => {
    const accounts = [
      account(0),
      account(1_000, 'ccm', 'z2'),
      account(6_000, 'ccm', 'z2'),
      account(12_000),
    ];
    // Changing: 2–8, 3–9, 8–14, 14–20 s. Fenced: 0–10, 1–11, 6–16, 12–22 s.
    expect(mostAtOnce(accounts)).toEqual({ changing: 2, changingInZone: 2, unproven: 3 });
    expect(mostAtOnce([])).toEqual({ changing: 0, changingInZone: 0, unproven: 0 });
  });

  it.each([
    ['it ended with its KCMs', account(0, 'kcm'), 1],
    ['it ended without owner', account(0, 'none'), 1],
    ['it had two owners', account(0, 'ccm', 'z1', 3), 1],
    ['it is migrated', account(0), 0],
    ['it was never changed', simulatedAccount(CLUSTER, [fence(0)], truth('kcm'), 0), 0],
  ])('a cluster is burnt or not: %s', (_, one, burnt) => {
    expect(burntIn([one], Infinity)).toBe(burnt);
  });

  it('a cluster whose run still writes is not burnt yet', () => {
    const one = account(0, 'kcm');
    expect(burntIn([one], 70_000)).toBe(0);
    expect(burntIn([one], 70_001)).toBe(1);
  });

  it('clusters fenced within a window are counted for the part of it in which they were', () => {
    const accounts = [account(0), account(8_000), account(50_000)];
    expect(fencedWithin(accounts, { fromMs: 5_000, toMs: 12_000 })).toBe(5_000 + 4_000);
  });

  it('requests of clusters that did not migrate are no requests of a migration', () => {
    const { migrated, burnt, stepRequests } = journalFigures(
      [account(0), account(0, 'kcm')],
      Infinity,
    );
    expect([migrated, burnt, stepRequests?.count]).toEqual([1, 1, 1]);
  });
});

it('what a process costs without clusters is no part of what each of them costs', () => {
  const without = { seconds: 10, worker: 1, server: 2 };
  const spent = { seconds: 20, worker: 6, server: 8 };
  const each = percentEach(spent, without, 4);
  expect(each.worker).toBeCloseTo(5);
  expect(each.server).toBeCloseTo(5);
});
