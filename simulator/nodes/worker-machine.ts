import type { ClusterWorld } from '../cluster/cluster-world.js';
import { fieldAt, listOf, textOf } from '../documents/fields.js';
import type { KubeletCloudProvider } from '../kubelets/node-object.js';
import type { HostView, SimulatedNode } from '../model.js';
import { MemoryFileSystem } from './memory-file-system.js';
import { cloudProviderOf, KUBELET_FLAGS } from './node-settings.js';

const RESTART_MS = [2000, 5000] as const;
/** Written by kubelets with an external provider. Source: kubernetes/kubernetes pkg/kubelet/kubelet_node_status.go. */
const PROVIDED_IP = 'alpha.kubernetes.io/provided-node-ip';

/**
 * A worker as far as migrations touch it: the kubelet's flags. Its machine restarts the kubelet when they change (as a
 * systemd path unit would); a Node that is registered gets no taint by that.
 */
export class WorkerMachine implements SimulatedNode {
  readonly name: string;
  readonly reachable = true;
  readonly files = new MemoryFileSystem();
  private readonly world: ClusterWorld;

  constructor(world: ClusterWorld, name: string, flags: string) {
    this.world = world;
    this.name = name;
    this.files.write(KUBELET_FLAGS, flags);
    this.files.onChange((path) => {
      if (path !== KUBELET_FLAGS) return;
      world.clock.schedule(world.draws.between(...RESTART_MS), () => {
        this.restart(cloudProviderOf(this.files.read(KUBELET_FLAGS)?.content ?? ''));
      });
    });
  }

  host(): HostView {
    return { hostname: this.name, bootId: this.name, bootTimeMs: 0, processes: [] };
  }

  metrics(): null {
    return null;
  }

  configz(): null {
    return null;
  }

  kill(): boolean {
    return false;
  }

  private restart(provider: KubeletCloudProvider): void {
    const { store } = this.world;
    const answer = store.get({ resource: 'nodes', name: this.name });
    if (!answer.ok) return;
    const { metadata } = answer.object;
    const { [PROVIDED_IP]: _, ...others } = metadata.annotations ?? {};
    const [address] = listOf(fieldAt(answer.object, 'status', 'addresses'));
    const ip = textOf(fieldAt(address, 'address'));
    const annotations = provider === 'external' ? { ...others, [PROVIDED_IP]: ip } : others;
    store.update('nodes', { ...answer.object, metadata: { ...metadata, annotations } });
  }
}
