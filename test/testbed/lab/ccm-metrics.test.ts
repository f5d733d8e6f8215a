import { expect, it, jest } from '@jest/globals';
import { readCcmDenied } from '../../../activities/observe/read-access.js';
import { metricsRefusal } from '../../../testbed/simulator/managers/metrics-refusal.js';
import { ccm, external, node } from '../simulator/environment.js';
import { onLab } from './truth/on-lab.js';
import { untilSo } from './truth/until.js';
import { describeInLab } from './wanted.js';

jest.setTimeout(600_000);

const BINDING =
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:cloud-controller-manager:delegation';
const ASKED_FOR_IT =
  'create subjectaccessreviews (ClusterRoleBinding to ClusterRole system:auth-delegator)';

describeInLab('a CCM without the right to delegate reviews refuses its metrics', () => {
  const lab = onLab({ nodes: 1, from: '1.30.14', to: '1.30.14' });

  const metrics = (): Promise<string | null> =>
    lab.product.ports.processes.metrics('cp-1', 'ccm').catch(String);

  const denied = (): Promise<readonly string[] | null> =>
    readCcmDenied(
      lab.product.ports.api,
      { policy: lab.product.context.policy, serviceAccountCredentials: false },
      {},
    );

  it('a CCM refuses its metrics as the simulator does, and lacks only our grant', async () => {
    const { cluster } = lab.environment;
    await lab.environment.lay({ plans: [node(external(), ccm({ migration: 'off' }))] });
    await untilSo('its metrics are read', async () =>
      ((await metrics()) ?? '').includes('leader_election_master_status'),
    );
    await cluster.api.must('DELETE', BINDING);
    // It caches allowed requests for ten seconds (k8s.io/apiserver DelegatingAuthorizationOptions).
    await untilSo(
      'its metrics are refused',
      async () => (await metrics())?.includes('system:auth-delegator') === true,
    );
    const user = { user: 'system:cloud-controller-manager', groups: [] };
    expect(
      await cluster.askManager(lab.environment.node('cp-1'), 'ccm', '/metrics', 'admin'),
    ).toEqual({
      status: 500,
      text: `${metricsRefusal(user, () => ({ allowed: false })) ?? ''}\n`,
    });
    expect(await denied()).toContain(ASKED_FOR_IT);

    await lab.product.fence();
    await lab.product.take({ kind: 'setAccess', access: 'ccmAccess', want: 'present' });
    expect(await denied()).toEqual([]);
    await untilSo('its metrics are read again', async () =>
      ((await metrics()) ?? '').includes('leader_election_master_status'),
    );
  });
});
