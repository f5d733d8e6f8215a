import type { ClusterEnvironment } from '../cluster/cluster-environment.js';
import { setReady } from '../kubelets/node-object.js';

/** Default of the KCM's `--node-monitor-grace-period`: a Node without heartbeats for this long is no longer Ready. */
const GRACE_MS = 40_000;
const GRACE_RETRY_MS = 5000;

/**
 * Tracks a Node whose kubelet cannot reach an API server: the KCM's node controller marks it lost after a while, if
 * one runs.
 */
export class NodeLoss {
  private readonly environment: ClusterEnvironment;
  private readonly node: string;
  private sinceMs: number | null = null;

  constructor(environment: ClusterEnvironment, node: string) {
    this.environment = environment;
    this.node = node;
  }

  begin(): void {
    const { clock, store, mainLoops } = this.environment;
    const sinceMs = clock.nowMs();
    this.sinceMs = sinceMs;
    const declare = (): void => {
      if (this.sinceMs !== sinceMs) return;
      if (mainLoops.count > 0) setReady(store, this.node, 'Unknown', clock.nowMs());
      else clock.schedule(GRACE_RETRY_MS, declare);
    };
    clock.schedule(GRACE_MS, declare);
  }

  end(): void {
    this.sinceMs = null;
  }
}
