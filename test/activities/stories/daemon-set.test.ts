import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DAEMON_SET } from '../daemon-set-manifest.js';
import { blocksRun, preflight } from '../../../domain/preflight/preflight.js';
import { OLD, simulatorPolicy } from '../simulator-policy.js';
import { openStage, type Stage } from '../stage.js';

jest.setTimeout(120_000);

describe('a DaemonSet of its vendor with the same selector', () => {
  // As in upstream's manifest: kubernetes/cloud-provider-aws v1.30.0 examples/existing-cluster/base.
  const labels = { 'k8s-app': 'aws-cloud-controller-manager' };
  const vendors = {
    ...{ apiVersion: 'apps/v1', kind: 'DaemonSet' },
    metadata: { name: 'aws-cloud-controller-manager', namespace: 'kube-system', labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { nobody: 'has-it' },
          containers: [
            {
              name: 'aws-cloud-controller-manager',
              image: `registry.k8s.io/provider-aws/cloud-controller-manager:v${OLD}`,
              args: ['--cloud-provider=aws'],
            },
          ],
        },
      },
    },
  };
  const ours = DAEMON_SET.replaceAll(
    '{ component: cloud-controller-manager }',
    '{ k8s-app: aws-cloud-controller-manager }',
  );

  let stage: Stage;
  afterEach(() => stage.close());

  it('is noticed before ours is created, and an approval does not create ours beside it', async () => {
    stage = await openStage({
      spec: { nodes: 1 },
      policy: { ccm: { ...simulatorPolicy().ccm, deployAs: 'daemonSet' } },
      ccmManifest: ours,
    });
    await stage.ports.api.create(vendors);
    await stage.fence();
    const { observation } = await stage.look();
    const findings = preflight(observation, stage.context.policy, { ccmManifest: ours });
    expect(findings.filter(blocksRun).map(({ code, subject }) => `${code} ${subject}`)).toContain(
      'CCM1404 daemonSet aws-cloud-controller-manager',
    );
    await stage.take({ kind: 'recordBaseline' });
    await expect(
      stage.take({ kind: 'setAccess', access: 'ccmAccess', want: 'present' }),
    ).rejects.toThrow(
      /DaemonSet kube-system\/aws-cloud-controller-manager \(selector k8s-app=aws-cloud-controller-manager\)/,
    );
    const { items } = await stage.ports.api.list({
      ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: 'kube-system' },
    });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['aws-cloud-controller-manager']);
  });
});

describe('a CCM as DaemonSet, started and stopped by our label', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage({
      policy: { ccm: { ...simulatorPolicy().ccm, deployAs: 'daemonSet' } },
      ccmManifest: DAEMON_SET,
    });
  });
  afterEach(() => stage.close());

  it('goes forward and back, and leaves no workload behind', async () => {
    await stage.migrate('ccm');
    const there = await stage.look();
    expect(there.observation.ccmWorkload).toMatchObject({ source: 'daemonSet', owner: 'ours' });
    expect(there.observation.nodes.map(({ side }) => side)).toEqual(['target', 'target', 'target']);
    expect(stage.cluster.truth().controllers.service).toMatchObject({
      overlapSeconds: 0,
      moves: 2,
    });
    await stage.migrate('kcm');
    const back = await stage.look();
    expect(back.observation.ccmWorkload.source).toBe('none');
    expect(stage.cluster.truth().controllers.service.overlapSeconds).toBe(0);
  });
});
