import { describe, expect, it } from '@jest/globals';
import { readAuditLine } from '../../../../testbed/lab/truth/audit-entry.js';

function event(changes: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    stage: 'ResponseComplete',
    requestURI: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/lock',
    verb: 'update',
    user: { username: 'system:kube-controller-manager', groups: ['system:authenticated'] },
    sourceIPs: ['198.18.17.11'],
    userAgent: 'kube-controller-manager/v1.29.15',
    objectRef: { resource: 'leases', namespace: 'kube-system', name: 'lock' },
    responseStatus: { metadata: {}, code: 200 },
    requestObject: { spec: { holderIdentity: 'cp-1_a' } },
    requestReceivedTimestamp: '2026-01-01T00:00:01.250000Z',
    stageTimestamp: '2026-01-01T00:00:01.255999Z',
    ...changes,
  });
}

const WRITE = {
  fromMs: Date.UTC(2026, 0, 1, 0, 0, 1, 250),
  toMs: Date.UTC(2026, 0, 1, 0, 0, 1, 255),
  lease: 'kube-system/lock',
  holder: 'cp-1_a',
  user: 'system:kube-controller-manager',
  address: '198.18.17.11',
};

describe('a line of the audit log is read as a write of a Lease only if it is one', () => {
  it.each<[string, Readonly<Record<string, unknown>>, unknown]>([
    ['an update by a holder', {}, WRITE],
    [
      'a create that names the Lease in its body',
      {
        verb: 'create',
        objectRef: { resource: 'leases', namespace: 'kube-system' },
        requestObject: { metadata: { name: 'lock' }, spec: { holderIdentity: 'cp-1_a' } },
      },
      WRITE,
    ],
    [
      'a patch that empties it',
      { verb: 'patch', requestObject: { spec: { holderIdentity: '' } } },
      { ...WRITE, holder: '' },
    ],
    [
      'a patch of something else',
      { verb: 'patch', requestObject: { metadata: { labels: {} } } },
      { ...WRITE, holder: null },
    ],
    ['a deletion', { verb: 'delete', requestObject: undefined }, { ...WRITE, holder: '' }],
    ['a refused write', { responseStatus: { code: 409 } }, null],
    ['a write without a response', { responseStatus: {} }, null],
    ['a dry run', { requestURI: '/apis/…/lock?dryRun=All' }, null],
    ['a write of something else', { objectRef: { resource: 'nodes', name: 'cp-1' } }, null],
  ])('a line of the audit log is read: %s', (_case, changes, expected) => {
    expect(readAuditLine(event(changes))?.leaseWrite).toEqual(expected);
  });

  it('a line about a read counts as no change', () => {
    const requestURI = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const asked = readAuditLine(event({ verb: 'create', requestURI }));
    expect(asked?.request).toMatchObject({ mutating: false, path: requestURI });
    expect(readAuditLine(event({}))?.request.mutating).toBe(true);
  });

  it('an unfinished request is skipped, and a line that is no entry is rejected', () => {
    expect(readAuditLine(event({ stage: 'ResponseStarted' }))).toBeNull();
    expect(() => readAuditLine('{"kind":"Pod"}')).toThrow('not an audit event');
    expect(() => readAuditLine(event({ stageTimestamp: 'soon' }))).toThrow('not a time');
  });
});
