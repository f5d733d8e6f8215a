import { describe, expect, it } from '@jest/globals';
import { nextStep } from '../../../../domain/decision/next-step.js';
import type {
  CcmSource,
  CcmWorkload,
  ClusterObservation,
} from '../../../../domain/observation/observation.js';
import type { Target } from '../../../../domain/vocabulary.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../../support/cluster-builder.js';
import type { CcmKind, KcmKind } from '../../../support/manager-configs.js';

const APPROVED = policyOf({
  waivers: [{ code: 'CCM2007', observationDigest: '', actor: 'bo', reason: 'agreed' }],
});

const alike = (kcm: KcmKind, ccm: CcmKind, more: Partial<ClusterSpec> = {}): ClusterSpec => ({
  nodes: [
    { kcm, ccm },
    { kcm, ccm },
  ],
  kcmLeader: 0,
  ccmLeader: 1,
  migration: 'free',
  granted: true,
  ...more,
});

/** The same cluster with CCMs that another owner starts. */
function startedBy(
  source: CcmSource,
  spec: ClusterSpec,
  owner: CcmWorkload['owner'] = 'foreign',
): ClusterObservation {
  const observation = clusterOf(spec);
  return {
    ...observation,
    ccmWorkload: { source, owner, name: 'helm-ccm', template: null },
    nodes: observation.nodes.map(({ ccm, ...node }) => ({
      ...node,
      ccm:
        ccm.manifest.state === 'present' ? { ...ccm, manifest: { ...ccm.manifest, source } } : ccm,
    })),
  };
}

function said(observation: ClusterObservation, target: Target, policy = policyOf()): string {
  const decision = nextStep(observation, target, policy);
  if (decision.kind === 'blocked') {
    return decision.findings.map(({ code, seen }) => `${code} ${seen}`).join('; ');
  }
  return decision.kind === 'step' ? decision.step.name : decision.kind;
}

const DELETE = /`kubectl -n kube-system delete daemonset helm-ccm`.*`helm -n kube-system uninstall/;
const SCALE = /`kubectl -n kube-system scale deployment helm-ccm --replicas=0`/;
const MIGRATED = alike('external', 'on', { migration: { manager: 'ccm', node: 1 } });

describe('a CCM that another owner starts', () => {
  it.each(['ccm', 'kcm'] as const)(
    'needs an approval before either direction begins: target %s',
    (target) => {
      const bare = startedBy('daemonSet', alike('inTree', 'none', { ccmLeader: 'free' }));
      expect(said(bare, target)).toMatch(/^CCM2007 its owner is foreign/);
      expect(said(bare, target)).toMatch(DELETE);
      expect(said(bare, target, policyOf({ strategy: 'gap' }))).toMatch(/^CCM2007/);
      const deployment = startedBy('deployment', MIGRATED, 'unknown');
      expect(said(deployment, target)).toMatch(/^CCM2007/);
      expect(said(deployment, target)).toMatch(SCALE);
    },
  );

  it.each(['systemd', 'unknown'] as const)('cannot be adopted: %s', (source) => {
    const observation = startedBy(source, MIGRATED);
    expect(said(observation, 'ccm', APPROVED)).toMatch(/^CCM2014/);
    expect(said(observation, 'kcm', APPROVED)).toMatch(/^CCM2014/);
  });

  it.each<{ what: string; spec: ClusterSpec; target: Target }>([
    { what: 'R1 two owners', spec: alike('inTree', 'off', { migration: 'free' }), target: 'ccm' },
    {
      what: 'R3 beside an unprotected KCM',
      spec: alike('inTree', 'on', { ccmLeader: 'free' }),
      target: 'kcm',
    },
    {
      what: 'R4 outside the lock',
      spec: alike('inTreeLm', 'off', {
        ccmLeader: 'free',
        migration: { manager: 'kcm', node: 0 },
      }),
      target: 'ccm',
    },
    {
      what: 'the lock for the rollback',
      spec: alike('external', 'off'),
      target: 'kcm',
    },
    {
      what: 'the last CCMs',
      spec: alike('inTreeLm', 'on', { migration: { manager: 'kcm', node: 0 } }),
      target: 'kcm',
    },
  ])('is not changed by us: $what', ({ spec, target }) => {
    expect(said(startedBy('daemonSet', spec), target, APPROVED)).toMatch(/^CCM2014/);
    expect(said(startedBy('daemonSet', spec), target, APPROVED)).toMatch(DELETE);
    expect(said(startedBy('systemd', spec), target, APPROVED)).toMatch(
      /CCM2014.*systemctl disable/,
    );
    expect(said(startedBy('daemonSet', spec, 'ours'), target)).not.toMatch(/^CCM/);
  });

  it('keeps Leader Migration on when policy wants it off: it is not ours to change', () => {
    const policy = { ...APPROVED, disableLeaderMigration: 'afterSoak' } as const;
    expect(said(startedBy('daemonSet', MIGRATED), 'ccm', policy)).toMatch(/^CCM2014/);
  });

  it('is stopped by its owner at the end of the rollback', () => {
    const back = alike('inTreeLm', 'none', {
      ccmLeader: 'free',
      migration: { manager: 'kcm', node: 0 },
    });
    expect(said(startedBy('deployment', back), 'kcm', APPROVED)).toMatch(SCALE);
    expect(said(startedBy('deployment', back, 'ours'), 'kcm')).toBe('removeCcmAccess');
  });

  it('is waited for once nothing starts it any more', () => {
    const started = startedBy(
      'daemonSet',
      alike('inTreeLm', 'on', { migration: { manager: 'kcm', node: 0 } }),
    );
    const gone = {
      ...started,
      nodes: started.nodes.map(({ ccm, ...node }) => ({
        ...node,
        ccm: { ...ccm, manifest: { state: 'absent' as const } },
      })),
    };
    expect(said(gone, 'kcm', APPROVED)).toBe('stopCcm');
  });

  it('may stay, once approved, where nothing has to be changed', () => {
    expect(said(startedBy('daemonSet', MIGRATED), 'ccm', APPROVED)).toBe('done');
  });
});
