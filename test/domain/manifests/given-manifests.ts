import { readFileSync } from 'node:fs';
import { managerConfig } from '../../../domain/managers/manager-arguments.js';
import type { ManagerManifest } from '../../../domain/manifests/manifest.js';
import { readManagerManifest } from '../../../domain/manifests/manifest.js';
import type { ManagerConfig } from '../../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import type { Rendering } from '../../../domain/manifests/rendered.js';
import type { Manager } from '../../../domain/vocabulary.js';

const fixture = (name: string): string =>
  readFileSync(new URL(`../yaml/fixtures/${name}.yaml`, import.meta.url), 'utf8');

export const KCM = fixture('kcm');
export const CCM_DAEMON_SET = fixture('ccm-daemon-set');

export const CCM_POD = `apiVersion: v1
kind: Pod
metadata:
  name: acme-ccm
spec:
  hostNetwork: true
  containers:
  - name: ccm
    image: registry.example/ccm:v1.30.0
    command:
    - /bin/cloud-controller-manager
    - --cloud-provider=acme
    - --cluster-name=kubernetes
    - --leader-elect-lease-duration=60s
`;

const TIMINGS = { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 };

const POLICY: MigrationPolicy = {
  strategy: 'leaderMigration',
  nodes: { forward: 'inPlace', rollback: 'inPlace' },
  lock: {
    namespace: 'kube-system',
    name: 'cloud-provider-extraction-migration',
    controllers: ['service', 'route', 'cloud-node-lifecycle'],
  },
  source: { version: '1.29.15', kcmImage: 'registry.example/kcm:v1.29.15', cloudProvider: 'acme' },
  target: {
    version: '1.30.14',
    kcmImage: 'registry.example/kcm:v1.30.14',
    cloudProvider: 'external',
  },
  ccm: {
    image: 'registry.example/ccm:v1.30.2',
    version: '1.30.2',
    deployAs: 'staticPod',
    leaderMigration: 'implemented',
    timings: { ...TIMINGS, retryPeriodSeconds: 1 },
    accessRules: [],
  },
  kcmTimings: TIMINGS,
  etcdMemberRemoval: 'machinesApi',
  autoRepair: 'frozen',
  rollWorkers: { enabled: false, batchSize: 1 },
  disableLeaderMigration: 'never',
  leaderMigrationAfterRollback: 'off',
  soakSeconds: 60,
  orphanBudgetMs: 45_000,
  onBreach: 'hold',
  handoverApproval: 'notRequired',
  waivers: [],
};

/** A policy that differs from the usual one in these parts. */
export function policyWith(
  parts: Partial<Omit<MigrationPolicy, 'lock' | 'source' | 'target' | 'ccm'>> & {
    readonly lock?: Partial<MigrationPolicy['lock']>;
    readonly source?: Partial<MigrationPolicy['source']>;
    readonly target?: Partial<MigrationPolicy['target']>;
    readonly ccm?: Partial<MigrationPolicy['ccm']>;
  } = {},
): MigrationPolicy {
  return {
    ...POLICY,
    ...parts,
    lock: { ...POLICY.lock, ...parts.lock },
    source: { ...POLICY.source, ...parts.source },
    target: { ...POLICY.target, ...parts.target },
    ccm: { ...POLICY.ccm, ...parts.ccm },
  };
}

export function manifestOf(text: string): ManagerManifest {
  const result = readManagerManifest(text);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.manifest;
}

/** The manifest of a rendering, which must exist. */
export function textOf(rendering: Rendering): string {
  if (rendering.kind === 'impossible') throw new Error(JSON.stringify(rendering.finding));
  if (rendering.manifest === null) throw new Error('no manifest');
  return rendering.manifest;
}

/** The settings that a rendered manager will run with, its own Leader Migration file read back. */
export function configOf(rendering: Rendering, manager: Manager, version: string): ManagerConfig {
  const texts =
    rendering.kind === 'rendered'
      ? [...Object.values(rendering.files), ...Object.values(rendering.configMap?.data ?? {})]
      : [];
  const [text] = texts;
  const context = {
    versionHint: version,
    ...(text === undefined ? {} : { leaderMigrationFile: text }),
  };
  return managerConfig(manager, manifestOf(textOf(rendering)), context);
}

/** Removed (-) and added (+) lines, in order. */
export function difference(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line.trim()}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line.trim()}`),
  ];
}
