import { describe, expect, it } from '@jest/globals';
import type { SimulatedKubelet, SimulatedNode } from '../../../../testbed/simulator/model.js';
import { Environment } from '../environment.js';

const FLAGS = '/var/lib/kubelet/kubeadm-flags.env';

function machine(environment: Environment, name: string): SimulatedNode {
  const node = environment.cluster.node(name);
  if (node === undefined) throw new Error(`no node ${name}`);
  return node;
}

function only(node: SimulatedNode): SimulatedKubelet {
  const [kubelet, ...others] = node.host().kubelets;
  if (kubelet === undefined || others.length > 0) throw new Error('not one kubelet');
  return kubelet;
}

function nodeText(environment: Environment): string {
  return JSON.stringify(environment.cluster.store.get({ resource: 'nodes', name: 'worker-1' }));
}

function write(node: SimulatedNode, provider: string): void {
  const content = node.files.read(FLAGS)?.content ?? '';
  node.files.write(FLAGS, content.replace(/(?<=--cloud-provider=)\w+/, provider));
}

describe('kubelets', () => {
  it('kubelets read their flags when they start, and then serve their Node, untainted', () => {
    const environment = new Environment({ workers: 1 }).wait(5);
    const worker = machine(environment, 'worker-1');
    const before = only(worker);
    expect(before.arguments).toContain('--cloud-provider=labcloud');
    write(worker, 'external');
    environment.wait(60);
    expect(only(worker)).toEqual(before);
    worker.restartKubelet();
    expect(worker.host().kubelets).toEqual([]);
    environment.wait(10);
    const after = only(worker);
    expect(after.arguments).toContain('--cloud-provider=external');
    expect(after.pid).not.toBe(before.pid);
    const [, heartbeat = ''] = /"lastHeartbeatTime":"([^"]+)"/.exec(nodeText(environment)) ?? [];
    expect(Date.parse(heartbeat)).toBeGreaterThan(after.startedAtMs);
    expect(nodeText(environment)).not.toContain('uninitialized');
    expect(environment.cluster.node('worker-2')).toBeUndefined();
  });

  it('kubelets exit with an unknown provider, and their unit retries', () => {
    const environment = new Environment({ workers: 1 }).wait(5);
    const worker = machine(environment, 'worker-1');
    write(worker, 'nosuchcloud');
    worker.restartKubelet();
    environment.wait(30);
    expect(worker.host().kubelets).toEqual([]);
    expect(worker.kubeletState()).toBe('activating (auto-restart), exit-code');
    write(worker, 'labcloud');
    environment.wait(15);
    expect(worker.host().kubelets).toHaveLength(1);
    expect(worker.kubeletState()).toBe('active (running)');
  });

  it('kubelets restart with each boot of their machine', () => {
    const environment = new Environment({ nodes: 1 }).wait(5);
    const node = machine(environment, 'cp-1');
    expect(node.host().kubelets).toHaveLength(1);
    environment.cluster.crashNode('cp-1');
    expect(node.host().kubelets).toEqual([]);
    environment.cluster.healNode('cp-1');
    expect(only(node).startedAtMs).toBe(node.host().bootTimeMs);
  });
});
