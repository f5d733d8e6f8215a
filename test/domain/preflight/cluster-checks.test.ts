import { describe, expect, it } from '@jest/globals';
import { makeFinding } from '../../../domain/findings/catalogue.js';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import type { PreflightExtra } from '../../../domain/preflight/preflight-check.js';
import {
  blocksRun,
  PREFLIGHT_CHECKS,
  preflight,
  preflightReport,
} from '../../../domain/preflight/preflight.js';
import { policyOf } from '../../support/cluster-builder.js';
import { CCM_DAEMON_SET, CCM_POD } from '../manifests/given-manifests.js';
import type { Row } from './given.js';
import { cluster, findings, node, UNAVOIDABLE, withInventory, withLiveness } from './given.js';

const part = (change: Partial<ClusterObservation>): Row => ({
  observation: { ...cluster(), ...change },
});
const replace = policyOf({ nodes: { forward: 'inPlace', rollback: 'replace' } });
const member = { node: 'cp-1', name: 'm1', voter: 'yes', healthy: 'yes', leader: true } as const;
const others = ['cp-2', 'cp-3'].map((node) => ({ ...member, node, name: node }));

describe('a clean cluster', () => {
  it('a clean cluster shows only what is unavoidable', () => {
    expect(findings({})).toEqual([]);
    expect(findings({}, true).map((one) => one.slice(0, 7))).toEqual([...UNAVOIDABLE]);
  });
});

describe('access and workloads', () => {
  const access = (kcm: 'yes' | 'no', ccm: 'yes' | 'no', leaseGrant: 'present' | 'absent'): Row =>
    part({ access: { leaseGrant, mayUseMigrationLease: { kcm, ccm }, ccmAccess: 'absent' } });
  const bare = CCM_DAEMON_SET.replace('hostNetwork: true', 'hostNetwork: false').replace(
    /tolerations:[\s\S]*?containers:/,
    'containers:',
  );
  const workload = (owner: 'ours' | 'foreign' | 'unknown'): Row =>
    part({ ccmWorkload: { source: 'daemonSet', owner, name: 'ccm', template: null } });

  it.each<readonly [string, Row, ...string[]]>([
    [
      'a grant that does not work',
      access('yes', 'no', 'present'),
      'CCM1401 error migration Lease: refused: ccm',
    ],
    ['a grant that works', access('yes', 'yes', 'present')],
    ['no grant yet', access('no', 'no', 'absent')],
    [
      'missing rights',
      { extra: { ccmDenied: ['delete nodes', 'patch services/status'] } },
      'CCM1402 error cloud-controller-manager: delete nodes, patch services/status',
    ],
    ['a workload that can start', { extra: { ccmManifest: CCM_DAEMON_SET } }],
    [
      'a workload that cannot',
      { extra: { ccmManifest: bare } },
      'CCM1403 error cloud-controller-manager manifest: without hostNetwork, a toleration of node.cloudprovider.kubernetes.io/uninitialized, a toleration of node-role.kubernetes.io/control-plane',
    ],
    [
      'a workload that tolerates all',
      {
        extra: {
          ccmManifest: bare
            .replace('containers:', 'tolerations: [{operator: Exists}]\n            containers:')
            .replace('hostNetwork: false', 'hostNetwork: true'),
        },
      },
    ],
    [
      'a workload that tolerates the wrong effect',
      {
        extra: {
          ccmManifest: CCM_DAEMON_SET.replace('effect: NoSchedule\n', 'effect: NoExecute\n'),
        },
      },
      'CCM1403 error cloud-controller-manager manifest: without a toleration of node.cloudprovider.kubernetes.io/uninitialized',
    ],
    ['a static pod', { extra: { ccmManifest: CCM_POD } }],
    [
      'a static pod that needs the API server',
      {
        extra: {
          ccmManifest: CCM_POD.replace(
            'hostNetwork: true',
            'hostNetwork: true\n  serviceAccountName: ccm\n  volumes: [{ name: c, configMap: { name: conf } }]',
          ),
        },
      },
      'CCM1403 error cloud-controller-manager manifest: a static pod that refers to ServiceAccount ccm, ConfigMap conf',
    ],
    [
      'no manifest at all',
      { extra: { ccmManifest: '' } },
      'CCM5014 error cloud-controller-manager manifest: 1:1: the document is empty',
    ],
    ['a foreign workload', workload('foreign'), 'CCM1404 error daemonSet ccm: owner foreign'],
    [
      'a workload without an owner',
      workload('unknown'),
      'CCM1404 error daemonSet ccm: owner unknown',
    ],
    ['a workload of ours', workload('ours')],
    [
      "the guide's patch",
      { extra: { patchedRoles: ['system::leader-locking-kube-controller-manager'] } },
      'CCM1405 warning Role system::leader-locking-kube-controller-manager: create bound to the migration Lease',
    ],
    [
      'what gates cannot read',
      {
        extra: {
          gatesUnread: [
            { source: 'pages', place: 'kcm on cp-2', why: 'kcm on cp-2: answered 401' },
            { source: 'objects', place: 'Services, Nodes and Events', why: 'events: refused' },
            { source: 'own', place: 'errors', why: 'no series of calls now' },
            { source: 'cloud', place: 'load balancers of the cloud', why: 'answered 403' },
          ],
        },
      },
      'CCM1406 warning metrics of kcm on cp-2: kcm on cp-2: answered 401; read for gates.metrics.catalogue: nodes',
      'CCM1406 warning Services, Nodes and Events: events: refused; read for gates.metrics.objects: watch',
      'CCM1406 warning gate errors: no series of calls now; read for gates.metrics.own',
      'CCM1406 warning load balancers of the cloud: answered 403; read for cloudApi of the inventory',
    ],
    ['gates that can be read', { extra: { gatesUnread: [] } }],
    [
      'a probe that would be refused',
      { extra: { probeRefused: 'namespaces "ccm-migrate-probe" not found' } },
      'CCM1407 warning Service ccm-migrate-probe/balancer: namespaces "ccm-migrate-probe" not found',
    ],
    ['a probe that would be made', { extra: { probeRefused: null } }],
  ])('access and workloads are checked: %s', (_, row, ...expected) =>
    expect(findings(row)).toEqual(expected),
  );
});

describe('everything else', () => {
  const etcd = (change: Partial<ClusterObservation['etcd']>): Row => ({
    observation: {
      ...cluster(),
      etcd: { topology: 'stacked', members: [member, ...others], ...change },
    },
    policy: replace,
  });

  it.each<readonly [string, Row, ...string[]]>([
    [
      'in-tree volumes',
      { observation: withInventory(cluster(), () => ({ persistentVolumes: { inTree: 2 } })) },
      'CCM1501 error PersistentVolumes: 2 in-tree',
    ],
    [
      'a waiting load balancer',
      {
        observation: withInventory(cluster(), (i) => ({
          services: { ...i.services, loadBalancers: 4, pending: 1 },
          exceptions: ['Service a/b has no address'],
        })),
      },
      'CCM1502 warning Services: 1 of 4 wait; Service a/b has no address',
    ],
    ['healthy etcd', etcd({})],
    [
      'a learner',
      etcd({ members: [member, ...others, { ...member, name: 'm4', voter: 'no' }] }),
      'CCM1503 error etcd: m4 not a healthy voter',
    ],
    [
      'a sick member',
      etcd({ members: [{ ...member, healthy: 'unknown' }, ...others] }),
      'CCM1503 error etcd: m1 not a healthy voter',
    ],
    ['no etcd pod', etcd({ members: others }), 'CCM1503 error etcd: cp-1 not a healthy voter'],
    ['unknown etcd', etcd({ topology: 'unknown' }), 'CCM1503 error etcd: topology unknown'],
    ['external etcd', etcd({ topology: 'external', members: [{ ...member, healthy: 'no' }] })],
    ['unknown etcd that stays', { ...etcd({ topology: 'unknown' }), policy: policyOf() }],
    [
      'kubeadm that does not follow',
      part({ kubeadm: { configMap: 'present', followsManifests: 'no' } }),
      'CCM1504 warning ConfigMap kube-system/kubeadm-config: controllerManager differs from the manifests',
    ],
    ['no kubeadm', part({ kubeadm: { configMap: 'absent', followsManifests: 'no' } })],
    [
      'two owners',
      { observation: cluster('inTree', 'off') },
      'CCM1505 error cloud controllers: owner both',
    ],
    ['no owner', part({ leases: [] }), 'CCM1505 error cloud controllers: owner none'],
    [
      'a Lease that an outside process renews',
      part({
        leases: cluster().leases.map((lease) => ({
          ...lease,
          holder: 'bastion_1',
          holderState: 'unknown',
        })),
      }),
      'CCM1507 error kube-controller-manager: Lease kube-system/kube-controller-manager is held by bastion_1',
    ],
    [
      'KCMs without an elected leader',
      {
        observation: {
          ...cluster(),
          nodes: cluster().nodes.map((one) => ({
            ...one,
            kcm: {
              ...one.kcm,
              processes: one.kcm.processes.map((process) => ({
                ...process,
                config: { ...process.config, leaderElect: false },
              })),
            },
          })),
        },
      },
      'CCM1001 error node cp-1 kube-controller-manager: --leader-elect=false',
      'CCM1001 error node cp-2 kube-controller-manager: --leader-elect=false',
      'CCM1001 error node cp-3 kube-controller-manager: --leader-elect=false',
      'CCM2018 error cloud controllers: kcm:cp-1#100 (--leader-elect=false); kcm:cp-2#102 (--leader-elect=false); kcm:cp-3#104 (--leader-elect=false)',
    ],
    [
      'source machines that may be repaired',
      {
        observation: { ...cluster(), etcd: { topology: 'external', members: [] } },
        policy: policyOf({
          nodes: { forward: 'replace', rollback: 'inPlace' },
          autoRepair: 'unknown',
        }),
      },
      'CCM2012 warning policy.machines.autoRepair: unknown; until it is frozen, apply refuses to replace machines',
    ],
    ['no control-plane Nodes', part({ nodes: [] }), 'CCM1508 error c1: no control-plane Node'],
    [
      'a paused manager',
      withLiveness('kcm', 'paused'),
      'CCM1506 error node cp-2: kcm process 102 is paused',
    ],
    [
      'a crashing manager',
      withLiveness('ccm', 'crashLooping'),
      'CCM1506 error node cp-2: ccm process 103 is crashLooping',
    ],
  ])('preflight checks the cluster: %s', (_, row, ...expected) => {
    const seen = findings(row).filter(
      (one) =>
        !(
          expected.length > 0 &&
          expected[0]?.startsWith('CCM1505') !== true &&
          one.startsWith('CCM1505')
        ),
    );
    expect(seen).toEqual(expected);
  });
});

describe('preflight', () => {
  it('preflight sorts by severity, highest first', () => {
    const row = { ...node({ ready: 'no', hostname: 'x' }), extra: { patchedRoles: ['a', 'b'] } };
    expect(findings(row).map((one) => one.slice(0, 7))).toEqual([
      'CCM1201',
      'CCM1405',
      'CCM1405',
      'CCM1204',
    ]);
  });

  it('preflight reports a result for each check, and passes none that was not observed', () => {
    const { observation } = node({});
    const results = (extra: PreflightExtra): Readonly<Record<string, string>> =>
      Object.fromEntries(
        preflightReport(observation ?? cluster(), policyOf(), extra).checks.map(
          ({ name, result }) => [name, result],
        ),
      );
    const [bare, seen, preview] = [
      results({}),
      results({
        ...{ ccmDenied: [], ccmManifest: '', patchedRoles: [], gatesUnread: [] },
        ...{ kcmManifests: {}, apiEndpointNode: 'cp-1' },
        apiServerArguments: { 'cp-1': [], 'cp-2': [], 'cp-3': [] },
      }),
      results({ notChecked: ['files'] }),
    ];
    expect(Object.keys(bare)).toEqual(PREFLIGHT_CHECKS.map(({ name }) => name));
    const unseen = Object.entries(bare).filter(([, result]) => result === 'notChecked');
    expect(unseen.map(([name]) => name)).toEqual([
      ...['API servers without cloud flags', 'no settings that the target KCM refuses'],
      ...['the API has an address of its own', 'the CCM has all rights', 'the CCM can start'],
      ...['bootstrap roles untouched', 'the gates can be read', 'the probe can be made'],
    ]);
    const stillUnseen = Object.entries(seen).filter(([, result]) => result === 'notChecked');
    expect(stillUnseen.map(([name]) => name)).toEqual(['the probe can be made']);
    expect(seen).toMatchObject({
      ...{ 'the API has an address of its own': 'found', 'bootstrap roles untouched': 'passed' },
      'API servers without cloud flags': 'passed',
    });
    expect(bare['leader election is on']).toBe('passed');
    const flags = 'API servers without cloud flags';
    expect(results({ apiServerArguments: { 'cp-1': [], 'cp-2': [] } })[flags]).toBe('notChecked');
    const flagged = { 'cp-1': ['--cloud-provider=x'] };
    expect(results({ apiServerArguments: flagged })[flags]).toBe('found');
    expect(seen['the gates can be read']).toBe('passed');
    const unread = { gatesUnread: [], notChecked: ['files'] };
    expect(results(unread)['the gates can be read']).toBe('notChecked');
    expect(preview).toMatchObject({
      ...{ 'leader election is on': 'presumed', 'nodes are Ready': 'passed' },
      'hosts of the control plane are looked at': 'found',
    });
  });

  it('a probe counts as checked only where the API server was asked', () => {
    const probes = { balancer: { annotations: {}, withinMs: 60_000 } };
    const resultWith = (extra: PreflightExtra): string | undefined =>
      preflightReport(cluster(), policyOf({ probes }), extra).checks.find(
        ({ name }) => name === 'the probe can be made',
      )?.result;
    expect(resultWith({})).toBe('notChecked');
    expect(resultWith({ probeRefused: null })).toBe('passed');
    expect(resultWith({ probeRefused: 'a quota' })).toBe('found');
  });

  it('preflight finds the same with and without the report of each check', () => {
    const { observation = cluster() } = node({ ready: 'no', hostname: 'x' });
    const extra = { patchedRoles: ['system::leader-locking'] };
    const { findings: found, checks } = preflightReport(observation, policyOf(), extra);
    expect(found).toEqual(preflight(observation, policyOf(), extra));
    const codes = new Set<string>(found.map(({ code }) => code));
    for (const check of checks)
      expect(check.result === 'found').toBe(check.codes.some((code) => codes.has(code)));
    expect(codes.size).toBeGreaterThan(2);
  });

  it('preflight has a name for every check, once', () => {
    const names = PREFLIGHT_CHECKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    ['CCM1001', true],
    ['CCM1005', false],
    ['CCM1505', false],
    ['CCM1205', false],
  ] as const)('%s keeps a run from beginning: %s', (code, blocks) => {
    expect(blocksRun(makeFinding(code, { subject: 's', seen: 's' }))).toBe(blocks);
  });
});
