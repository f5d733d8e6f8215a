import { describe, expect, it } from '@jest/globals';
import type { Inspection } from '../../../activities/inspection.js';
import { createWorkingCopies } from '../../../cli/plan/working-copies.js';
import { compareWrites } from '../../../testbed/demo/planned-writes.js';
import { stepChanges } from '../../../cli/plan/step-changes.js';
import { digestText } from '../../../domain/digest.js';
import { EMPTY_CHAIN, nextRecord } from '../../../domain/evidence/chain.js';
import type { StepEffect } from '../../../domain/decision/step.js';
import { unifiedDiff } from '../../../domain/yaml/redacted-diff.js';
import { clusterOf, policyOf, UNTOUCHED } from '../../support/cluster-builder.js';

const KCM = `apiVersion: v1
kind: Pod
metadata: { name: kube-controller-manager, namespace: kube-system }
spec:
  containers:
    - name: kube-controller-manager
      image: kcm:v1.29.15
      command:
        - kube-controller-manager
        - --cloud-provider=labcloud
        - --cluster-name=kubernetes # as ever
        - --leader-elect=true
`;

const CCM = KCM.replaceAll('kube-controller-manager', 'cloud-controller-manager').replace(
  'kcm:v1.29.15',
  'ccm:v1.30.14',
);

const CONFIGURATION = `apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
controllerManager:
  extraArgs:
    cloud-provider: labcloud
`;

const OBSERVATION = clusterOf(UNTOUCHED);
const [FIRST = '', SECOND = ''] = OBSERVATION.nodes.map(({ name }) => name);

const INSPECTION: Inspection = {
  snapshot: { observation: OBSERVATION, firstSeen: [] },
  manifests: { [FIRST]: { kcm: KCM }, [SECOND]: { kcm: KCM } },
  baseline: null,
  clusterConfiguration: CONFIGURATION,
  ccmDenied: null,
  probeRefused: null,
  gatesUnread: [],
  beside: {},
};

function changesOf(...effects: readonly StepEffect[]) {
  const steps = effects.map((effect) => ({
    step: { name: 'verify' as const, phase: 'verify' as const, effect, why: '', cures: [] },
    before: OBSERVATION,
  }));
  return stepChanges({
    steps,
    inspection: INSPECTION,
    policy: policyOf(),
    materials: { ccmManifest: CCM },
  });
}

const enable = (node: string): StepEffect => ({
  kind: 'changeManager',
  node,
  want: { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
  release: 'mainThenMigration',
});

const subjects = (changes: ReturnType<typeof changesOf>): readonly (readonly string[])[] =>
  changes.map((step) => step.map(({ subject, action }) => `${action} ${subject}`));

describe('the changes that a plan shows for a step', () => {
  it('a step shows its file, the edited manifest and the kubeadm configuration, each once', () => {
    const [one, two] = changesOf(enable(FIRST), enable(SECOND));
    expect(subjects([one ?? [], two ?? []])).toEqual([
      [
        expect.stringMatching(
          `create ${FIRST}:/etc/kubernetes/ccm-migrate/leader-migration-[0-9a-f]{12}.yaml`,
        ),
        `update ${FIRST}:/etc/kubernetes/manifests/kube-controller-manager.yaml`,
        'update ConfigMap kube-system/kubeadm-config',
      ],
      [
        expect.stringMatching(`create ${SECOND}:/etc/kubernetes/ccm-migrate/`),
        `update ${SECOND}:/etc/kubernetes/manifests/kube-controller-manager.yaml`,
      ],
    ]);
    expect(one?.[1]?.diff).toContain('+        - --enable-leader-migration=true');
    expect(one?.[1]?.diff).toContain(' - --cluster-name=kubernetes # as ever');
  });

  it('a step is diffed against the result of the step before', () => {
    const changes = changesOf(enable(FIRST), enable(FIRST));
    expect(changes[1]).toEqual([]);
  });

  it.each<[string, StepEffect, readonly string[]]>([
    [
      'a joining machine',
      { kind: 'addMachine', machine: 'cp-9', side: 'target' },
      [
        'create cp-9:/etc/kubernetes/manifests/kube-controller-manager.yaml',
        expect.stringContaining('leader-migration-'),
        'create cp-9:/etc/kubernetes/manifests/cloud-controller-manager.yaml',
        'update ConfigMap kube-system/kubeadm-config',
      ] as string[],
    ],
    [
      'a deleted machine',
      { kind: 'removeMachine', node: FIRST, release: 'none' },
      [`delete machine ${FIRST}`],
    ],
    [
      'a parked KCM',
      {
        kind: 'changeManager',
        node: FIRST,
        want: { manager: 'kcm', role: 'parked' },
        release: 'none',
      },
      [`delete ${FIRST}:/etc/kubernetes/manifests/kube-controller-manager.yaml`],
    ],
    [
      'the grant',
      { kind: 'setAccess', access: 'leaseGrant', want: 'present' },
      [
        'create Role kube-system/ccm-migrate-leader-migration',
        'create RoleBinding kube-system/ccm-migrate-leader-migration',
      ],
    ],
    [
      'the revoked grant',
      { kind: 'setAccess', access: 'leaseGrant', want: 'absent' },
      [
        'delete Role kube-system/ccm-migrate-leader-migration',
        'delete RoleBinding kube-system/ccm-migrate-leader-migration',
      ],
    ],
    [
      'the baseline',
      { kind: 'recordBaseline' },
      ['create ConfigMap kube-system/ccm-migrate-baseline'],
    ],
    [
      'a released Lease',
      { kind: 'releaseLease', lease: { namespace: 'kube-system', name: 'x' }, holder: 'dead' },
      ['update Lease kube-system/x'],
    ],
    [
      'a paused manager that is ended',
      { kind: 'endPausedManager', node: 'cp-1', manager: 'ccm' },
      ['delete paused process of the ccm on cp-1'],
    ],
    [
      'kubelets',
      { kind: 'switchKubelets', to: 'external', batchSize: 1 },
      [`update kubelets of ${String(OBSERVATION.inventory.workers.total)} workers`],
    ],
    ['an election', { kind: 'awaitElection', until: 'kcmMainLeader' }, []],
  ])('each kind of step lists what it writes: %s', (_case, effect, expected) => {
    expect(subjects(changesOf(effect))).toEqual([expected]);
  });
});

describe('working copies', () => {
  it('unchanged content gives no change, and a change names the digest of its new content', () => {
    const workingCopies = createWorkingCopies(new Map([['a', 'one\n']]));
    expect(workingCopies.put('a', 'one\n')).toBeNull();
    expect(workingCopies.put('a', 'two\n')).toEqual({
      ...{ subject: 'a', action: 'update', after: digestText('two\n') },
      diff: '@@ -1 +1 @@\n-one\n+two\n',
    });
    expect(workingCopies.put('a', null)).toMatchObject({ action: 'delete', after: '' });
    expect(workingCopies.put('a', null)).toBeNull();
  });

  it.each([
    ['env:\n  - name: OS_PASSWORD\n    value: canary-1\n', 'canary-1'],
    ['env: [{ name: OS_PASSWORD, value: canary-2 }]\n', 'canary-2'],
    ['args: [--token=canary-3]\n', 'canary-3'],
  ])('the changes show no credential of a node: %s', (text, canary) => {
    const change = createWorkingCopies(new Map()).put('cp-1:/x', text);
    expect(change?.diff).toContain('[redacted]');
    expect(change?.diff).not.toContain(canary);
  });

  it("the changes show kubeadm's arguments", () => {
    const change = createWorkingCopies(new Map()).put(
      'c',
      '- name: cloud-provider\n  value: external\n',
    );
    expect(change?.diff).toContain('value: external');
  });

  it('diffs keep two lines of context', () => {
    const lines = ['1', '2', '3', '4', '5', '6'].map((line) => `${line}\n`);
    const changed = lines.with(3, 'x\n');
    expect(unifiedDiff(lines.join(''), changed.join(''))).toBe(
      '@@ -2,5 +2,5 @@\n 2\n 3\n-4\n+x\n 5\n 6\n',
    );
    expect(unifiedDiff('a', 'a')).toBe('');
  });
});

describe('compareWrites', () => {
  it('writes that differ from the plan are named, intermediate copies are ignored', () => {
    const object = 'cp-1:/etc/kubernetes/manifests/kube-controller-manager.yaml';
    const intent = {
      id: '1',
      runId: 'r',
      workflowId: 'w',
      cluster: 'c',
      epoch: 1,
      step: 's',
      actor: 'a',
      reason: '',
      planDigest: '',
      at: '',
      before: '',
      proof: '',
    };
    const record = (id: string, path: string, after: string) =>
      nextRecord(EMPTY_CHAIN, {
        kind: 'intent',
        intent: { ...intent, id, verb: 'writeFile', object: path, after },
      });
    const change = { subject: object, action: 'update' as const, after: 'sha256:1', diff: '' };
    const plan = {
      steps: [{ number: 1, name: '', phase: '', node: '', why: '', changes: [change] }],
    };
    const records = [
      record('1', object, 'sha256:1'),
      record('2', object, 'sha256:2'),
      record('3', 'cp-1:/etc/kubernetes/ccm-migrate/next/kcm.yaml', 'sha256:9'),
    ];
    expect(compareWrites(plan, records)).toEqual({ files: 2, unplanned: [object] });
  });
});
