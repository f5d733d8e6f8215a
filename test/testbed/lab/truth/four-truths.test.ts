import { expect, it, jest } from '@jest/globals';
import { foundCluster } from '../../../proven/found-clusters.js';
import { decisionIn } from '../../../proven/views.js';
import { MAIN, MIGRATION, OWNED } from '../../simulator/environment.js';
import { describeInLab } from '../wanted.js';
import { setLeaseGrant } from './access.js';
import { figure } from './figures.js';
import { onLab } from './on-lab.js';
import { expectSaid } from './product.js';
import { callsOfBoth, firstCallsOfBoth, type CallsOfBoth } from './two-callers.js';
import { until, untilSo } from './until.js';

jest.setTimeout(600_000);

/** On one node of 1.30.14: the four claims that every check shows again. */
describeInLab('claims about two owners and none are true on real binaries', () => {
  const lab = onLab({ nodes: 1, from: '1.30.14', to: '1.30.14' });

  it('P1 the official guide on 1.30 protects nothing: both managers run everything and call the cloud for the same Service', async () => {
    const row = foundCluster('P1');
    await lab.environment.lay(row.spec);
    for (const controller of OWNED) await lab.environment.untilOwnedBy(row.found, controller);
    await lab.environment.addService('first');
    // A loop that has just started takes seconds until it works.
    await firstCallsOfBoth(lab.environment, 0);
    const since = lab.environment.lab.cloud.journal().length;
    await lab.environment.addService('web');
    const { apartMs } = await firstCallsOfBoth(lab.environment, since);
    figure('P1', 'EnsureLoadBalancer of both, ms apart', String(apartMs));
    await expectSaid(lab.product, row);
  });

  it('P5 without the grant a KCM keeps its main lock and runs no cloud controller, yet healthz reports ok', async () => {
    const row = foundCluster('P5');
    await lab.environment.lay(row.spec);
    await lab.environment.untilRefused('cp-1', 'kcm');
    expect(await lab.environment.holder(MAIN.kcm)).toMatch(/^cp-1_/);
    expect(await lab.environment.role('cp-1', 'kcm', MAIN.kcm)).toBe('held');
    expect(await lab.environment.role('cp-1', 'kcm', MIGRATION)).toBe('waiting');
    await lab.environment.untilRunning('cp-1', 'kcm', ['nodeipam']);
    expect(await lab.environment.ask('cp-1', 'kcm', '/healthz')).toBe('ok');
    await expectSaid(lab.product, row);
  });

  it('P9 a CCM that comes before the KCM has retried takes the migration Lease', async () => {
    const row = foundCluster('P9');
    await lab.environment.lay(row.spec);
    await setLeaseGrant(lab.environment.cluster, true);
    await lab.environment.untilOwnedBy(row.found);
    await untilSo('the KCM may try', async () => {
      return (await lab.environment.role('cp-1', 'kcm', MIGRATION)) === 'waiting';
    });
    expect(await lab.environment.holder(MIGRATION)).toBe(await lab.environment.holder(MAIN.ccm));
    await expectSaid(lab.product, row);
    await lab.environment.untilOwners({
      service: 'ccm',
      route: 'ccm',
      'cloud-node-lifecycle': 'ccm',
    });
  });

  /** Pauses the holder until another manager took over, and wakes it; null when it ended without a call of its own. */
  async function wokenHolder(service: string): Promise<CallsOfBoth | null> {
    await lab.environment.lay(foundCluster('P3').spec);
    await lab.environment.untilOwnedBy('kcm');
    const [paused = 0] = lab.environment.pids('cp-1', 'kcm');
    lab.environment.node('cp-1').signalManager('kcm', 'SIGSTOP');
    const taken = await untilSo('the CCM holds the migration Lease', async () => {
      return (await lab.environment.holder(MIGRATION)) === (await lab.environment.holder(MAIN.ccm));
    });
    figure('P13', 'taken over from the paused holder, s', taken);
    const observation = await lab.product.inspect();
    expect(decisionIn(lab.product, observation, 'ccm')).toBe('CCM2010');
    expect(decisionIn(lab.product, observation, 'kcm')).toBe('CCM2010');
    lab.environment.node('cp-1').signalManager('kcm', 'SIGCONT');
    const since = lab.environment.lab.cloud.journal().length;
    const woke = performance.now();
    await lab.environment.addService(service);
    const hasEnded = (): boolean => !lab.environment.pids('cp-1', 'kcm').includes(paused);
    const { seen } = await until('the woken holder calls or ends', () => {
      return callsOfBoth(lab.environment, since) ?? (hasEnded() ? 'ended' : null);
    });
    await untilSo('the woken holder ends', hasEnded);
    figure('P13', 'the woken holder ended after, s', (performance.now() - woke) / 1000);
    await lab.environment.untilOwnedBy('ccm');
    return seen === 'ended' ? null : seen;
  }

  it('P13 a paused holder that wakes continues as a second owner for ten seconds', async () => {
    // The moment of the pause decides whether it continues when it wakes, or notices at once that its time is over.
    let both: CallsOfBoth | null = null;
    for (let times = 1; both === null && times <= 3; times += 1) {
      both = await wokenHolder(`late-${String(times)}`);
    }
    expect(both).not.toBeNull();
    figure('P13', 'EnsureLoadBalancer of both, ms apart', String(both?.apartMs));
  });
});
