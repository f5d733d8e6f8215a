import { describe, expect, it } from '@jest/globals';
import { MINORS } from '../../../domain/managers/minors.js';
import {
  editManagerManifest,
  type ManifestEdits,
} from '../../../domain/manifests/edit-manifest.js';
import { protectionOf } from '../../../domain/ownership/protection.js';
import type { MachineRequest, RenderRequest } from '../../../domain/manifests/render-manager.js';
import { renderMachineFiles, renderManager } from '../../../domain/manifests/render-manager.js';
import type { Rendering } from '../../../domain/manifests/rendered.js';
import {
  CCM_DAEMON_SET,
  CCM_POD,
  configOf,
  KCM,
  manifestOf,
  policyWith,
  textOf,
} from './given-manifests.js';

const ON = { manager: 'ccm', role: 'running', leaderMigration: 'on' } as const;
const OFF = { manager: 'ccm', role: 'running', leaderMigration: 'off' } as const;
const AS_DAEMON_SET = {
  policy: policyWith({ ccm: { deployAs: 'daemonSet' } }),
  materials: { ccmManifest: CCM_DAEMON_SET },
};

function render(want: RenderRequest['want'], parts: Partial<RenderRequest> = {}): Rendering {
  return renderManager({
    want,
    current: null,
    baseline: KCM,
    policy: policyWith(),
    materials: { ccmManifest: CCM_POD },
    ...parts,
  });
}

function kcmWith(edits: ManifestEdits): string {
  const result = editManagerManifest(KCM, edits);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.text;
}

describe('CCM as a static pod', () => {
  it('agrees with the KCM, whatever its own manifest said', () => {
    const rendering = render(ON);
    expect(textOf(rendering)).toMatchSnapshot();
    const config = configOf(rendering, 'ccm', '1.30.2');
    expect(config).toMatchObject({
      image: 'registry.example/ccm:v1.30.2',
      clusterName: 'prod-7',
      clusterCidr: '10.244.0.0/16',
      routes: true,
      timings: { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 1 },
    });
    expect(protectionOf(config, policyWith())).toBe('protected');
  });

  it('is unchanged when rendered from its own output', () => {
    const rendering = render(ON);
    expect(render(ON, { materials: { ccmManifest: textOf(rendering) } })).toEqual(rendering);
  });

  it('runs without Leader Migration', () => {
    const rendering = render(OFF, { materials: { ccmManifest: textOf(render(ON)) } });
    expect(rendering).toEqual(render(OFF));
    expect(rendering).toMatchObject({ files: {}, configMap: null });
    expect(configOf(rendering, 'ccm', '1.30.2').leaderMigration).toEqual({ kind: 'off' });
  });

  it.each([
    ['no routes', { setArguments: { 'allocate-node-cidrs': 'false' } }, { routes: false }],
    ['no pod range', { removeArguments: ['cluster-cidr'] }, { clusterCidr: '' }],
    [
      'slow elections',
      {
        setArguments: {
          'leader-elect-lease-duration': '1m',
          'leader-elect-renew-deadline': '40s500ms',
        },
      },
      { timings: { leaseDurationSeconds: 60, renewDeadlineSeconds: 40.5, retryPeriodSeconds: 1 } },
    ],
  ])('follows the settings of the KCM: %s', (_, edits, expected) => {
    const materials = {
      ccmManifest: CCM_POD.concat('    - --cluster-cidr=10.0.0.0/8\n    - --leader-elect=false\n'),
    };
    const rendering = render(ON, { baseline: kcmWith(edits), materials });
    expect(configOf(rendering, 'ccm', '1.30.2')).toMatchObject({ ...expected, leaderElect: true });
  });

  it('allocates pod ranges only where node IPAM migrates', () => {
    const controllers = ['service', 'route', 'cloud-node-lifecycle', 'nodeipam'] as const;
    const policy = policyWith({ lock: { controllers } });
    expect(manifestOf(textOf(render(ON, { policy }))).arguments).toContain(
      '--allocate-node-cidrs=true',
    );
    const materials = { ccmManifest: CCM_POD.concat('    - --allocate-node-cidrs\n') };
    expect(textOf(render(ON, { materials }))).not.toContain('allocate-node-cidrs');
  });

  it.each(MINORS)('is protected with library 1.%i', (minor) => {
    const policy = policyWith({ ccm: { version: `1.${minor}.0` } });
    expect(protectionOf(configOf(render(ON, { policy }), 'ccm', `1.${minor}.0`), policy)).toBe(
      'protected',
    );
  });

  it.each([
    [
      'a build that ignores Leader Migration',
      { policy: policyWith({ ccm: { leaderMigration: 'absent' } }) },
      'CCM2009 Leader Migration is wanted on',
    ],
    [
      'no baseline',
      { baseline: null },
      'CCM2002 none, so the settings that must agree are unknown',
    ],
    ['an unreadable baseline', { baseline: '' }, 'CCM2015 1:1: the document is empty'],
    [
      'an unreadable manifest',
      { materials: { ccmManifest: 'a: &b 1' } },
      'CCM2015 1:7: anchors are not allowed: write it out',
    ],
    [
      'a workload',
      { materials: { ccmManifest: CCM_DAEMON_SET } },
      'CCM5014 is a DaemonSet, the policy needs a Pod',
    ],
    [
      'a pod as a workload',
      { policy: policyWith({ ccm: { deployAs: 'daemonSet' } }) },
      'CCM5014 is a Pod, the policy needs a DaemonSet',
    ],
    [
      'an image that is none',
      { policy: policyWith({ ccm: { image: '' } }) },
      'CCM2015 13:12: spec.containers[0].image: must not be empty',
    ],
  ])('is impossible with %s', (_, parts, seen) => {
    const rendering = render(ON, parts);
    expect(
      rendering.kind === 'impossible' && `${rendering.finding.code} ${rendering.finding.seen}`,
    ).toBe(seen);
  });

  it('needs no known version without Leader Migration', () => {
    const policy = policyWith({ ccm: { version: 'edge', leaderMigration: 'absent' } });
    expect(textOf(render(OFF, { policy }))).toBe(textOf(render(OFF)));
  });

  it('needs no manifest when it is stopped', () => {
    expect(render({ manager: 'ccm', role: 'stopped' })).toMatchObject({
      manifest: null,
      files: {},
    });
  });
});

describe('CCM as a DaemonSet', () => {
  it('runs where our label is and is replaced only by us', () => {
    const rendering = render(ON, AS_DAEMON_SET);
    expect(manifestOf(textOf(rendering))).toMatchObject({
      name: 'cloud-controller-manager',
      namespace: 'kube-system',
      nodeSelector: { 'ccm-migrate.dev/run-ccm': 'true' },
      updateStrategy: 'OnDelete',
      labels: { app: 'ccm', component: 'cloud-controller-manager' },
    });
    expect(protectionOf(configOf(rendering, 'ccm', '1.30.2'), policyWith())).toBe('protected');
  });

  it('reads Leader Migration from a ConfigMap named by content', () => {
    const rendering = render(ON, AS_DAEMON_SET);
    const pod = render(ON);
    if (rendering.kind === 'impossible' || pod.kind === 'impossible') throw new Error('impossible');
    const [path = ''] = Object.keys(pod.files);
    const hash = path.slice(-17, -5);
    expect(rendering.files).toEqual({});
    expect(rendering.configMap).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `ccm-leader-migration-${hash}`,
        namespace: 'kube-system',
        labels: { 'app.kubernetes.io/managed-by': 'ccm-migrate' },
      },
      data: { [`leader-migration-${hash}.yaml`]: pod.files[path] },
      immutable: true,
    });
    const { arguments: words, mounts, volumes } = manifestOf(textOf(rendering));
    expect(words).toContain(
      `--leader-migration-config=/etc/ccm-migrate/leader-migration-${hash}.yaml`,
    );
    expect(mounts.at(-1)).toEqual({
      volume: 'ccm-migrate-leader-migration',
      path: '/etc/ccm-migrate',
      readOnly: true,
      subPath: '',
    });
    expect(volumes.at(-1)).toMatchObject({ configMap: `ccm-leader-migration-${hash}` });
  });

  it('is unchanged when rendered from its own output, and without Leader Migration again', () => {
    const rendering = render(ON, AS_DAEMON_SET);
    const own = { ...AS_DAEMON_SET, materials: { ccmManifest: textOf(rendering) } };
    expect(render(ON, own)).toEqual(rendering);
    expect(render(OFF, own)).toMatchObject({ configMap: null, files: {} });
    expect(textOf(render(OFF, own))).not.toContain('migration-config');
  });
});

describe('files of a new machine', () => {
  const request = (parts: Partial<MachineRequest>): MachineRequest => ({
    side: 'target',
    leaderMigration: 'on',
    baseline: KCM,
    policy: policyWith(),
    materials: { ccmManifest: CCM_POD },
    ...parts,
  });
  const paths = (parts: Partial<MachineRequest>): readonly string[] => {
    const result = renderMachineFiles(request(parts));
    if (result.kind === 'impossible') return [result.finding.code];
    return Object.keys(result.files)
      .map((path) => path.replace(/[0-9a-f]{12}/, 'HASH'))
      .sort();
  };
  const file = '/etc/kubernetes/ccm-migrate/leader-migration-HASH.yaml';
  const ccm = '/etc/kubernetes/manifests/cloud-controller-manager.yaml';
  const kcm = '/etc/kubernetes/manifests/kube-controller-manager.yaml';

  it.each([
    ['target', {}, [file, ccm, kcm]],
    ['target without Leader Migration', { leaderMigration: 'off' }, [ccm, kcm]],
    ['target with a DaemonSet', AS_DAEMON_SET, [kcm]],
    ['source', { side: 'source' }, [file, kcm]],
    ['source without Leader Migration', { side: 'source', leaderMigration: 'off' }, [kcm]],
    ['source without a baseline', { side: 'source', baseline: null }, ['CCM2002']],
  ] as const)('a new machine gets exactly the files of its side: %s', (_, parts, expected) =>
    expect(paths(parts)).toEqual(expected),
  );

  it('the files of a new machine are those of the same manager in place', () => {
    const result = renderMachineFiles(request({}));
    if (result.kind === 'impossible') throw new Error(result.finding.seen);
    const external = render({ manager: 'kcm', role: 'external' }, { current: KCM });
    expect(result.files[kcm]).toBe(textOf(external));
    expect(result.files[ccm]).toBe(textOf(render(ON)));
  });
});
