import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { failure } from '../../../activities/failures.js';
import { KUBELET_FLAGS } from '../../../activities/node-paths.js';
import { withCloudProvider } from '../../../activities/observe/kubelet-flags.js';
import type { ClusterPorts } from '../../../activities/ports.js';
import type { StepEffect } from '../../../domain/decision/step.js';
import { failureOf } from '../adapters/http/tls-stub.js';
import { simulatorPolicy } from '../simulator-policy.js';
import { openEnvironment, type Environment, type EnvironmentOptions } from '../environment.js';

jest.setTimeout(120_000);

const ROLL = { rollWorkers: { enabled: true, batchSize: 2 } };
const WORKERS = ['worker-1', 'worker-2'] as const;

const switched = (to: 'inTree' | 'external'): StepEffect => ({
  kind: 'switchKubelets',
  to,
  batchSize: 2,
});

describe('kubelets of workers', () => {
  let environment: Environment;
  afterEach(() => environment.close());

  const open = async (options: EnvironmentOptions = {}): Promise<void> => {
    environment = await openEnvironment({
      ...options,
      spec: { nodes: 1, workers: 2, ...options.spec },
      policy: { ...ROLL, ...options.policy },
    });
    await environment.fence();
  };
  const runs = (name: string): string =>
    (environment.cluster.node(name)?.host().kubelets ?? [])
      .map((kubelet) => kubelet.arguments.find((word) => word.startsWith('--cloud')) ?? 'none')
      .join(' and ');
  const flags = (name: string): string =>
    environment.cluster.node(name)?.files.read(KUBELET_FLAGS)?.content ?? '';
  const write = (name: string, provider: string): void =>
    environment.cluster
      .node(name)
      ?.files.write(KUBELET_FLAGS, withCloudProvider(flags(name), provider));
  const workers = async () => (await environment.snapshot()).observation.inventory.workers;
  const verbs = async (): Promise<readonly string[]> =>
    (await environment.evidence()).flatMap(({ entry }) =>
      entry.kind === 'intent' && entry.intent.step !== 'takeFence'
        ? [`${entry.intent.verb} ${entry.intent.object}`]
        : [],
    );

  it('kubelets are written, restarted once, and proven to run with their new provider, forward and back', async () => {
    await open();
    const report = await environment.take(switched('external'));
    expect(WORKERS.map(runs)).toEqual(['--cloud-provider=external', '--cloud-provider=external']);
    expect(report.observation.inventory.workers).toMatchObject({
      kubeletExternal: 2,
      kubeletInTree: 0,
    });
    expect(await verbs()).toEqual([
      ...WORKERS.map((name) => `writeFile ${name}:${KUBELET_FLAGS}`),
      ...WORKERS.map((name) => `restartKubelet Kubelet ${name}`),
    ]);
    const again = await environment.take(switched('external'));
    expect(again.summary.mutations).toBe(0);
    await environment.take(switched('inTree'));
    expect(WORKERS.map(runs)).toEqual(['--cloud-provider=labcloud', '--cloud-provider=labcloud']);
    expect(await workers()).toMatchObject({ kubeletExternal: 0, kubeletInTree: 2 });
  });

  it('kubelets that were written and not restarted are not external, and the step completes them', async () => {
    await open();
    for (const name of WORKERS) write(name, 'external');
    expect(await workers()).toMatchObject({ total: 2, kubeletExternal: 0, kubeletInTree: 0 });
    await environment.take(switched('external'));
    expect(await verbs()).toEqual(WORKERS.map((name) => `restartKubelet Kubelet ${name}`));
    expect(await workers()).toMatchObject({ kubeletExternal: 2 });
  });

  it('kubelets that run externally, but would not after their next restart, are written and left running', async () => {
    await open();
    await environment.take(switched('external'));
    write('worker-1', 'labcloud');
    expect(await workers()).toMatchObject({ kubeletExternal: 1, kubeletInTree: 0 });
    const before = await verbs();
    await environment.take(switched('external'));
    const after = (await verbs()).slice(before.length);
    expect(after).toEqual([`writeFile worker-1:${KUBELET_FLAGS}`]);
    expect(await workers()).toMatchObject({ kubeletExternal: 2 });
  });

  it('kubelets that cannot be observed are neither external nor in-tree', async () => {
    await open({
      spec: { kubelet: 'external' },
      wrap: (ports) => withSnapshot(ports, 'worker-2', () => Promise.reject(unreachable())),
    });
    expect(await workers()).toMatchObject({ total: 2, kubeletExternal: 1, kubeletInTree: 0 });
    expect(String(await failureOf(environment.take(switched('inTree'))))).toContain('CCM4012');
    expect(WORKERS.map(runs)).toEqual(['--cloud-provider=external', '--cloud-provider=external']);
  });

  it('kubelets that are down are neither external nor in-tree', async () => {
    await open({ spec: { kubelet: 'external', kubeletDelays: { restart: [3e6, 3e6] } } });
    environment.cluster.node('worker-1')?.restartKubelet();
    expect(await workers()).toMatchObject({ kubeletExternal: 1, kubeletInTree: 0 });
  });

  it('kubelets whose unit does not read the flags are not even written', async () => {
    await open({
      wrap: (ports) => ({
        ...ports,
        kubelets: {
          ...ports.kubelets,
          unit: () => Promise.resolve({ state: 'active (running)', environmentFiles: ['/etc/x'] }),
        },
      }),
    });
    expect(String(await failureOf(environment.take(switched('external'))))).toContain(
      'does not read',
    );
    expect(flags('worker-1')).toContain('=labcloud');
    expect(await verbs()).toEqual([]);
  });

  it('kubelets that do not come up with the new flags get their old ones back, and the step reports why', async () => {
    const policy = simulatorPolicy();
    const source = { ...policy.source, cloudProvider: 'nosuchcloud' };
    await open({ policy: { source } });
    await environment.take(switched('external'));
    const failed = await failureOf(environment.take(switched('inTree')));
    expect(failed).toMatchObject({ type: 'EffectNotSeen' });
    expect(String(failed)).toContain('its unit is activating (auto-restart), exit-code');
    expect(String(failed)).toContain('Its old flags are back and it works with them');
    expect(WORKERS.map(runs)).toEqual(['--cloud-provider=external', '--cloud-provider=external']);
    expect(flags('worker-1')).toContain('=external');
  });

  it('kubelets are not believed before a heartbeat of the new process', async () => {
    await open({ spec: { kubeletDelays: { nodeStatus: [3e6, 3e6] } } });
    const failed = await failureOf(environment.take(switched('external')));
    expect(failed).toMatchObject({ type: 'EffectNotSeen' });
  });

  it('kubelets that keep running with their old provider are not believed, whatever was restarted', async () => {
    await open({
      wrap: (ports) => ({
        ...ports,
        kubelets: { ...ports.kubelets, restart: () => Promise.resolve('restarted' as const) },
      }),
    });
    const failed = await failureOf(environment.take(switched('external')));
    expect(failed).toMatchObject({ type: 'EffectNotSeen' });
    expect(WORKERS.map(runs)).toEqual(['--cloud-provider=labcloud', '--cloud-provider=labcloud']);
  });

  it('kubelets that an attempt before restarted are waited for, and not restarted again', async () => {
    await open();
    for (const name of WORKERS) {
      write(name, 'external');
      environment.cluster.node(name)?.restartKubelet();
    }
    await environment.take(switched('external'));
    expect(await verbs()).toEqual([]);
    expect(await workers()).toMatchObject({ kubeletExternal: 2 });
  });
});

const unreachable = (): Error => failure('Unreachable', 'no route to host');

function withSnapshot(
  ports: ClusterPorts,
  node: string,
  snapshot: ClusterPorts['processes']['snapshot'],
): ClusterPorts {
  return {
    ...ports,
    processes: {
      ...ports.processes,
      snapshot: (name, ...rest) =>
        name === node ? snapshot(name, ...rest) : ports.processes.snapshot(name, ...rest),
    },
  };
}
