import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DAEMON_SET } from '../daemon-set-manifest.js';
import { blocksRun, preflight } from '../../../domain/preflight/preflight.js';
import { OLD, simulatorPolicy } from '../simulator-policy.js';
import { openEnvironment, type Environment } from '../environment.js';

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

  let environment: Environment;
  afterEach(() => environment.close());

  it('is noticed before ours is created, and an approval does not create ours beside it', async () => {
    environment = await openEnvironment({
      spec: { nodes: 1 },
      policy: { ccm: { ...simulatorPolicy().ccm, deployAs: 'daemonSet' } },
      ccmManifest: ours,
    });
    await environment.ports.api.create(vendors);
    await environment.fence();
    const { observation } = await environment.snapshot();
    const findings = preflight(observation, environment.context.policy, { ccmManifest: ours });
    expect(findings.filter(blocksRun).map(({ code, subject }) => `${code} ${subject}`)).toContain(
      'CCM1404 daemonSet aws-cloud-controller-manager',
    );
    await environment.take({ kind: 'recordBaseline' });
    await expect(
      environment.take({ kind: 'setAccess', access: 'ccmAccess', want: 'present' }),
    ).rejects.toThrow(
      /DaemonSet kube-system\/aws-cloud-controller-manager \(selector k8s-app=aws-cloud-controller-manager\)/,
    );
    const { items } = await environment.ports.api.list({
      ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: 'kube-system' },
    });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['aws-cloud-controller-manager']);
  });
});

describe('a CCM as DaemonSet, started and stopped by our label', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment({
      policy: { ccm: { ...simulatorPolicy().ccm, deployAs: 'daemonSet' } },
      ccmManifest: DAEMON_SET,
    });
  });
  afterEach(() => environment.close());

  it('migrates forward and back, and leaves no workload behind', async () => {
    await environment.migrate('ccm');
    const there = await environment.snapshot();
    expect(there.observation.ccmWorkload).toMatchObject({ source: 'daemonSet', owner: 'ours' });
    expect(there.observation.nodes.map(({ side }) => side)).toEqual(['target', 'target', 'target']);
    expect(environment.cluster.truth().controllers.service).toMatchObject({
      overlapSeconds: 0,
      moves: 2,
    });
    await environment.migrate('kcm');
    const back = await environment.snapshot();
    expect(back.observation.ccmWorkload.source).toBe('none');
    expect(environment.cluster.truth().controllers.service.overlapSeconds).toBe(0);
  });
});
