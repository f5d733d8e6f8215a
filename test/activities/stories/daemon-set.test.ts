import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OLD, openStage, simulatorPolicy, type Stage } from '../stage.js';

jest.setTimeout(120_000);

const DAEMON_SET = [
  'apiVersion: apps/v1',
  'kind: DaemonSet',
  'metadata: { name: vendor, namespace: kube-system }',
  'spec:',
  '  selector: { matchLabels: { component: cloud-controller-manager } }',
  '  template:',
  '    metadata: { labels: { component: cloud-controller-manager } }',
  '    spec:',
  '      serviceAccountName: cloud-controller-manager',
  '      hostNetwork: true',
  '      tolerations: [{ operator: Exists }]',
  '      containers:',
  '        - name: cloud-controller-manager',
  `          image: registry.k8s.io/cloud-controller-manager:v${OLD}`,
  '          command: [cloud-controller-manager, --cloud-provider=labcloud, --cluster-name=kubernetes, --bind-address=127.0.0.1]',
  '',
].join('\n');

describe('a CCM as DaemonSet, started and stopped by our label', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage({
      policy: { ccm: { ...simulatorPolicy().ccm, deployAs: 'daemonSet' } },
      ccmManifest: DAEMON_SET,
    });
  });
  afterEach(() => stage.close());

  it('goes there and back, and leaves no workload behind', async () => {
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
