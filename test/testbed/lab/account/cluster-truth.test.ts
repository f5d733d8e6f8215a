import { describe, expect, it } from '@jest/globals';
import type { LeaseWrite } from '../../../../testbed/lab/truth/audit-entry.js';
import {
  at,
  began,
  called,
  emptied,
  ended,
  EXTERNAL,
  held,
  heldByCcm,
  heldByKcm,
  LOCK,
  said,
  truthOf,
  WITHOUT_MIGRATION,
  type Story,
} from './given.js';

const KCM = 'cp-1_a';
const CCM = 'cp-2_ccm';

/** A KCM under the shared lock ends at 20 s; the standby CCM takes the lock at 23 s. */
const HANDOVER: Story = {
  writes: [
    heldByKcm(KCM, 2),
    held(LOCK, KCM, 3),
    heldByCcm(CCM, 12),
    held(LOCK, KCM, 19),
    emptied(LOCK, 21),
    held(LOCK, CCM, 23),
    held(LOCK, CCM, 25),
  ],
  monitor: [began('kcm', 100, 1), began('ccm', 200, 10, { node: 'cp-2' }), ended(100, 20)],
  until: 60,
};

const byArrival = (one: LeaseWrite, other: LeaseWrite): number => one.toMs - other.toMs;

function owners(story: Story, controller: 'service' | 'route' = 'service') {
  return truthOf(story).controllers[controller].intervals.map(({ fromMs, owners: own }) => [
    (fromMs - at(0)) / 1000,
    own.join(' and '),
  ]);
}

describe('owners follow from audit log and processes', () => {
  it('ownership begins when a lock is acquired and ends with its process', () => {
    expect(owners(HANDOVER)).toEqual([
      [3, 'kcm:cp-1#100'],
      [20, ''],
      [23, 'ccm:cp-2#200'],
    ]);
    const truth = truthOf(HANDOVER);
    expect(truth.contradictions).toEqual([]);
    expect(truth.controllers.service).toMatchObject({
      ...{ orphanSeconds: 3, overlapSeconds: 0, moves: 1 },
    });
  });

  it('a renewal that arrives just after the end of its process still belongs to it', () => {
    const writes = [...(HANDOVER.writes ?? []), held(LOCK, KCM, 20.4)].toSorted(byArrival);
    expect(truthOf({ ...HANDOVER, writes }).contradictions).toEqual([]);
  });

  it('a process is distinguished from its successor on the node, which starts at once', () => {
    const next = 'cp-1_b';
    const truth = truthOf({
      writes: [heldByKcm(KCM, 2), heldByKcm(KCM, 19), heldByKcm(next, 20.5)],
      monitor: [began('kcm', 100, 1, EXTERNAL), ended(100, 20), began('kcm', 101, 20.2, EXTERNAL)],
      until: 60,
    });
    expect(truth.contradictions).toEqual([]);
    expect(truth.kcmLeadership.moves).toBe(1);
  });

  it('a process keeps running without its Lease until it exits: an emptied Lease of a live holder is an overlap', () => {
    const alive = {
      ...HANDOVER,
      monitor: [...(HANDOVER.monitor ?? []).slice(0, 2), ended(100, 33)],
    };
    expect(truthOf(alive).controllers.service).toMatchObject({
      ...{ orphanSeconds: 0, overlapSeconds: 10, moves: 1 },
    });
  });

  it('a paused process runs nothing, and runs again when it wakes', () => {
    const story: Story = {
      writes: [heldByKcm(KCM, 2), held(LOCK, KCM, 3), heldByCcm(CCM, 12), held(LOCK, CCM, 25)],
      monitor: [
        began('kcm', 100, 1),
        began('ccm', 200, 10, { node: 'cp-2' }),
        { kind: 'paused', id: '100:1', atMs: at(8) },
        { kind: 'woke', id: '100:1', atMs: at(30) },
        ended(100, 40),
      ],
      until: 60,
    };
    expect(owners(story)).toEqual([
      [3, 'kcm:cp-1#100'],
      [8, ''],
      [25, 'ccm:cp-2#200'],
      [30, 'ccm:cp-2#200 and kcm:cp-1#100'],
      [40, 'ccm:cp-2#200'],
    ]);
  });

  it('without Leader Migration the main lock decides, and an external KCM owns nothing', () => {
    const story: Story = {
      writes: [heldByKcm(KCM, 2), heldByKcm('cp-2_b', 25)],
      monitor: [
        began('kcm', 100, 1, WITHOUT_MIGRATION),
        began('kcm', 300, 1, { ...EXTERNAL, node: 'cp-2' }),
        ended(100, 20),
      ],
      until: 60,
    };
    expect(owners(story)).toEqual([
      [2, 'kcm:cp-1#100'],
      [20, ''],
    ]);
  });

  it('the leading KCM is known whatever its cloud provider', () => {
    const story: Story = {
      ...HANDOVER,
      writes: [...(HANDOVER.writes ?? []), heldByKcm('cp-2_b', 25)],
      monitor: [...(HANDOVER.monitor ?? []), began('kcm', 300, 1, { ...EXTERNAL, node: 'cp-2' })],
    };
    const { kcmLeadership } = truthOf(story);
    expect(
      kcmLeadership.intervals.map(({ fromMs, owners: own }) => [(fromMs - at(0)) / 1000, ...own]),
    ).toEqual([[2, 'kcm:cp-1#100'], [20], [25, 'kcm:cp-2#300']]);
    expect(kcmLeadership).toMatchObject({ orphanSeconds: 5, overlapSeconds: 0, moves: 1 });
  });

  it('routes have an owner only where a manager is configured to make them', () => {
    const noRoutes = began('kcm', 100, 1, {
      ...WITHOUT_MIGRATION,
      arguments: ['--cloud-provider=labcloud', '--configure-cloud-routes=false'],
    });
    const story = { writes: [heldByKcm(KCM, 2)], monitor: [noRoutes], until: 9 };
    expect(owners(story, 'route')).toEqual([]);
    expect(owners(story)).toEqual([[2, 'kcm:cp-1#100']]);
  });
});

describe('contradictions between sources are reported', () => {
  it.each<[string, Partial<Story>, RegExp]>([
    [
      'a holder where no process lived',
      { writes: [heldByKcm('cp-2_b', 30)] },
      /kube-controller-manager held by cp-2_b from 198\.18\.17\.12 .* 0 processes match/,
    ],
    [
      'a renewal after the death of the only process',
      { writes: [...(HANDOVER.writes ?? []), heldByKcm(KCM, 30)] },
      /held by cp-1_a .* 0 processes match/,
    ],
    [
      'two processes that could both be it',
      { monitor: [...(HANDOVER.monitor ?? []), began('kcm', 101, 0)] },
      /2 processes match/,
    ],
    [
      'a Lease written by another user in a holder’s name',
      {
        writes: [...(HANDOVER.writes ?? []), held(LOCK, CCM, 40, { user: 'kubernetes-admin' })],
      },
      /kubernetes-admin wrote kube-system\/cloud-provider-extraction-migration in the name of cp-2_ccm/,
    ],
    [
      'a program of no known version',
      { monitor: [...(HANDOVER.monitor ?? []), began('kcm', 102, 50, { version: null })] },
      /process 102 \(kcm of cp-1\): its program is not one of the lab/,
    ],
    [
      'a migration file that could not be read',
      { monitor: [...(HANDOVER.monitor ?? []), began('kcm', 102, 50, { migrationFile: null })] },
      /process 102 .* no such file/,
    ],
    [
      'a death that was not observed closely enough',
      {
        monitor: [...(HANDOVER.monitor ?? []).slice(0, 2), ended(100, 20, 3)],
      },
      /process 100 .* it was not observed in between/,
    ],
    [
      'a process that reports running what its locks do not permit',
      { monitor: [...(HANDOVER.monitor ?? []), said(200, 15, ['service'])] },
      /ccm of cp-2 .* that it runs service; according to its locks it did from 00:00:23/,
    ],
    [
      'a process that does not report running what its locks permit',
      { monitor: [...(HANDOVER.monitor ?? []), said(200, 54, ['route', 'cloud-node-lifecycle'])] },
      /ccm of cp-2 .* that it does not run service/,
    ],
    [
      'a process that no longer reports running what it ran',
      { monitor: [...(HANDOVER.monitor ?? []), said(200, 30, ['service']), said(200, 31, [])] },
      /ccm of cp-2 .* 00:00:31.000 that it does not run service/,
    ],
    [
      'a cloud call by a manager that is no owner',
      { journal: [called('cloud-controller-manager', 'EnsureLoadBalancer', 15, 'cp-2')] },
      /called for EnsureLoadBalancer at 00:00:15.000 by ccm of cp-2/,
    ],
    [
      'a cloud call without a caller',
      { journal: [called('kube-controller-manager', 'ListRoutes', 40)] },
      /called for ListRoutes .* kcm of cp-1 \(process 0\)/,
    ],
  ])('a contradiction is reported: %s', (_case, changes, expected) => {
    const { contradictions } = truthOf({ ...HANDOVER, ...changes });
    expect(contradictions.join('\n')).toMatch(expected);
  });

  it('sources that agree are not reported', () => {
    const { contradictions, sources } = truthOf({
      ...HANDOVER,
      monitor: [
        ...(HANDOVER.monitor ?? []),
        said(200, 22, ['cloud-node']),
        said(200, 45, ['cloud-node', 'service', 'route', 'cloud-node-lifecycle']),
      ],
      journal: [
        called('kube-controller-manager', 'EnsureLoadBalancer', 10),
        called('cloud-controller-manager', 'InstanceMetadata', 15, 'cp-2'),
        called('cloud-controller-manager', 'EnsureLoadBalancer', 24, 'cp-2'),
        called('kubelet', 'InstanceExists', 24),
      ],
    });
    expect(contradictions).toEqual([]);
    expect(sources).toMatchObject({ confirmed: 3, processes: 2, metricSamples: 2, cloudCalls: 4 });
    // No metrics of the KCM were read while it owned them for 17 s.
    expect(sources.unconfirmed).toEqual([
      'kcm:cp-1#100 service',
      'kcm:cp-1#100 route',
      'kcm:cp-1#100 cloud-node-lifecycle',
    ]);
  });
});
