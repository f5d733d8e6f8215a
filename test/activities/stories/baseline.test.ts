import { expect, it, jest } from '@jest/globals';
import { manifestPath, parkedPath } from '../../../activities/node-paths.js';
import { openEnvironment } from '../environment.js';

jest.setTimeout(120_000);

/** An operator began by hand, or an earlier run was stopped after its first node: nothing in place shows what to roll back to. */
it('the baseline is recorded from a manifest that is parked where none is in place', async () => {
  const environment = await openEnvironment({ spec: { nodes: 1 } });
  try {
    const files = environment.cluster.node('cp-1')?.files;
    const content = files?.read(manifestPath('kcm'))?.content ?? '';
    expect(content).toContain('kube-controller-manager');
    files?.write(parkedPath('kcm'), content);
    files?.remove(manifestPath('kcm'));
    await environment.fence();
    await environment.clock.sleep(60_000);
    expect((await environment.snapshot()).decision.next).toMatchObject({
      kind: 'step',
      planned: { step: { name: 'recordBaseline' } },
    });
    const { observation } = await environment.take({ kind: 'recordBaseline' });
    expect(observation.baseline).toMatchObject({ kcm: { cloudLoops: true } });
    const kept = await environment.ports.api.get({
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      ...{ namespace: 'kube-system', name: 'ccm-migrate-baseline' },
    });
    expect(JSON.stringify(kept?.object)).toContain(JSON.stringify(content).slice(1, 60));
  } finally {
    await environment.close();
  }
});
