import { describe, expect, it } from '@jest/globals';
import type { CloudJournalLine } from '../../../../testbed/lab/cloud/cloud-call.js';
import { differences, journalComplaints } from './cloud-complaints.js';

/** A mutating call about Service `web` by a CCM, from ms 0 to 50. */
function call(entry: Partial<CloudJournalLine>): CloudJournalLine {
  return {
    ...{ cluster: 'lab-1', node: 'cp-1', component: 'cloud-controller-manager', process: 'ccm-1' },
    ...{ pid: 1, version: 'v1.30.14', op: 'EnsureLoadBalancer', args: { service: 'default/web' } },
    ...{ index: 0, sentMs: 0, startMs: 0, endMs: 50, outcome: 'done', reason: '', changed: true },
    ...entry,
  };
}

const KCM = { component: 'kube-controller-manager', process: 'kcm-1' };
const DELETED = { op: 'EnsureLoadBalancerDeleted' };
const ROUTE = { op: 'CreateRoute', args: { node: 'worker-2', destination: '10.244.4.0/24' } };

describe('violations in the journal of a cloud are found', () => {
  it.each<[string, readonly CloudJournalLine[], readonly string[]]>([
    [
      'made, ensured by the next owner, deleted',
      [
        call(KCM),
        call({ startMs: 60, endMs: 110, changed: false }),
        call({ ...DELETED, startMs: 200, endMs: 250 }),
        call({ ...DELETED, startMs: 300, endMs: 350, changed: false }),
      ],
      [],
    ],
    [
      'two processes at the same time',
      [call(KCM), call({ startMs: 49, endMs: 99, changed: false })],
      [
        'Service default/web: EnsureLoadBalancer by kube-controller-manager of cp-1 (kcm-1) and EnsureLoadBalancer by cloud-controller-manager of cp-1 (ccm-1) at the same time',
      ],
    ],
    ['two Services at the same time', [call(KCM), call({ args: { service: 'default/api' } })], []],
    ['one process twice at the same time', [call({}), call({ startMs: 10, changed: false })], []],
    [
      'deleted twice',
      [call({ ...DELETED }), call({ ...DELETED, startMs: 60, endMs: 110 })],
      ['Service default/web: taken away 2 times'],
    ],
    [
      'brought back',
      [call({ ...DELETED }), call({ startMs: 60, endMs: 110 })],
      [
        'Service default/web: brought back: EnsureLoadBalancer by cloud-controller-manager of cp-1 (ccm-1)',
      ],
    ],
    [
      'a route that two make at the same time',
      [call({ ...ROUTE, ...KCM }), call(ROUTE)],
      [
        'route of worker-2 to 10.244.4.0/24: CreateRoute by kube-controller-manager of cp-1 (kcm-1) and CreateRoute by cloud-controller-manager of cp-1 (ccm-1) at the same time',
      ],
    ],
    ['questions', [call({ ...KCM, op: 'GetLoadBalancer' }), call({ op: 'GetLoadBalancer' })], []],
  ])('a journal of the cloud is checked: %s', (_case, journal, complaints) => {
    expect(journalComplaints(journal)).toEqual(complaints);
  });

  it('the cloud is compared with what must remain there', () => {
    expect(differences('load balancer', ['a', 'b'], ['b', 'c'])).toEqual([
      'load balancer a is not there',
      'load balancer c was left behind',
    ]);
  });
});
