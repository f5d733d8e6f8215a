import { describe, expect, it } from '@jest/globals';
import {
  type ApiWrite,
  type ReconciledRun,
  reconcileRequests,
} from '../../../domain/evidence/reconcile-requests.js';
import type { EvidenceIntent, EvidenceRecord } from '../../../domain/evidence/record.js';

type Entry = Pick<EvidenceRecord, 'entry'>;
let count = 0;

/** One change on record, with how it ended; without an outcome it is open. */
function change(
  verb: EvidenceIntent['verb'],
  object: string,
  kind: 'applied' | 'foundApplied' | 'foundNotApplied' | 'refused' | null = 'applied',
): readonly Entry[] {
  const id = `i-${String((count += 1))}`;
  const intent = { id, verb, object } as EvidenceIntent;
  const outcome: readonly Entry[] =
    kind === null
      ? []
      : [{ entry: { kind: 'outcome', intentId: id, outcome: { kind, at: '', detail: '' } } }];
  return [{ entry: { kind: 'intent', intent } }, ...outcome];
}

const HOUR_MS = 3_600_000;
const run = (...changes: readonly (readonly Entry[])[]): ReconciledRun => ({
  ...{ fromMs: 10 * HOUR_MS, toMs: 11 * HOUR_MS, records: changes.flat() },
});
const write = (verb: string, object: string, changes: Partial<ApiWrite> = {}): ApiWrite => ({
  ...{ verb, object, atMs: 10.5 * HOUR_MS, succeeded: true, ...changes },
});

const ROLE = 'Role kube-system/ccm';
const ROLE_PATH = 'roles kube-system/ccm';
const FENCE = 'leases kube-system/ccm-migrate';
const faults = (writes: readonly ApiWrite[], ...runs: readonly ReconciledRun[]) =>
  reconcileRequests(writes, runs).faults;

describe('the requests of an API server and the record', () => {
  it('agree on each change, by its verb and object', () => {
    const writes = [
      write('create', ROLE_PATH),
      write('patch', 'configmaps kube-system/kubeadm-config'),
      write('create', 'pods/eviction default/web-1'),
      write('delete', 'nodes cp-1'),
      write('update', FENCE),
      write('patch', FENCE),
      write('patch', FENCE),
    ];
    const recorded = run(
      change('create', ROLE),
      change('patch', 'ConfigMap kube-system/kubeadm-config', 'foundApplied'),
      change('evict', 'Pod default/web-1'),
      change('delete', 'Node cp-1'),
      change('update', 'Lease kube-system/ccm-migrate'),
      change('writeFile', 'cp-1:/etc/kubernetes/manifests/kcm.yaml'),
      change('addMachine', 'Machine cp-4'),
    );
    expect(reconcileRequests(writes, [recorded])).toEqual({
      ...{ faults: [], matched: 4, renewals: 3, refused: 0 },
    });
    expect(reconcileRequests([], [])).toEqual({ faults: [], matched: 0, renewals: 0, refused: 0 });
  });

  it.each<[string, readonly ApiWrite[], readonly ReconciledRun[], string]>([
    [
      'a write that is not on record',
      [write('create', ROLE_PATH)],
      [run()],
      `create ${ROLE_PATH} was carried out once, and is on record 0 times`,
    ],
    [
      'one more than is on record',
      [write('create', ROLE_PATH), write('create', ROLE_PATH)],
      [run(change('create', ROLE))],
      `create ${ROLE_PATH} was carried out 2 times, and is on record once`,
    ],
    [
      'one that the record calls refused',
      [write('create', ROLE_PATH)],
      [run(change('create', ROLE, 'refused'))],
      `create ${ROLE_PATH} was carried out once, and is on record 0 times`,
    ],
    [
      'another verb',
      [write('delete', ROLE_PATH)],
      [run(change('create', ROLE, null))],
      `delete ${ROLE_PATH} was carried out once, and is on record 0 times`,
    ],
    [
      'a change that the server never saw',
      [],
      [run(change('create', ROLE))],
      `create ${ROLE_PATH} is on record once, and was carried out 0 times`,
    ],
    [
      'a fence that the server never saw taken',
      [write('patch', FENCE)],
      [run(change('update', 'Lease kube-system/ccm-migrate'))],
      `update ${FENCE} is on record once, and was carried out 0 times`,
    ],
    [
      'a refused write that was never intended',
      [write('create', ROLE_PATH, { succeeded: false })],
      [run()],
      `create ${ROLE_PATH} was refused, and is not on record`,
    ],
    [
      'writes of the fence before any run',
      [write('patch', FENCE, { atMs: 9 * HOUR_MS }), write('patch', FENCE)],
      [run()],
      `${FENCE} was written once while no run on record went on`,
    ],
    [
      'writes of the fence after it',
      [write('patch', FENCE, { atMs: 12 * HOUR_MS })],
      [run()],
      `${FENCE} was written once while no run on record went on`,
    ],
  ])('differ with %s', (_case, writes, runs, fault) => {
    expect(faults(writes, ...runs)).toEqual([fault]);
  });

  it('agree where an attempt was refused, or left open, or its effect was found gone', () => {
    const refused = write('create', ROLE_PATH, { succeeded: false });
    expect(faults([refused], run(change('create', ROLE, 'refused')))).toEqual([]);
    expect(faults([refused], run(change('create', ROLE, 'foundNotApplied')))).toEqual([]);
    for (const open of [null, 'foundApplied', 'foundNotApplied'] as const) {
      expect(faults([write('create', ROLE_PATH)], run(change('create', ROLE, open)))).toEqual([]);
    }
    expect(reconcileRequests([refused], [run(change('create', ROLE))]).refused).toBe(1);
  });

  it('count each renewal to any of the runs that went on, in whatever order they are', () => {
    const spans = [
      [7, 8],
      [1, 6],
      [2, 3],
      [20, 10],
    ] as const;
    const runs = spans.map(([from, to]) => ({
      ...{ records: [], fromMs: from * HOUR_MS, toMs: to * HOUR_MS },
    }));
    const inside = [7.5, 5, 2.5, 1].map((hour) => write('patch', FENCE, { atMs: hour * HOUR_MS }));
    expect(reconcileRequests(inside, runs).faults).toEqual([]);
    const outside = [6.5, 0, 9, 15].map((hour) => write('patch', FENCE, { atMs: hour * HOUR_MS }));
    expect(reconcileRequests([...inside, ...outside], runs).faults).toEqual([
      expect.stringContaining('was written 4 times while no run on record went on'),
    ]);
  });

  it('agree on a fence that is renewed when the clocks differ a little', () => {
    const late = write('patch', FENCE, { atMs: 11 * HOUR_MS + 30_000 });
    expect(faults([late, { ...late, succeeded: false, atMs: 0 }], run())).toEqual([]);
    const open = { ...run(), toMs: Infinity };
    expect(faults([write('patch', FENCE, { atMs: 20 * HOUR_MS })], open)).toEqual([]);
  });
});
