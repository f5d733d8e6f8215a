import type { CloudCall, Draws } from '../model.js';

/** The caller: one process of one manager. */
export type CloudCaller = Pick<CloudCall, 'node' | 'manager' | 'pid' | 'identity' | 'version'>;

/** How long a call takes. */
const CALL_MS = [20, 80] as const;

export interface FakeCloudOptions {
  readonly cluster: string;
  readonly nowMs: () => number;
  readonly draws: Draws;
}

/** The cloud behind one cluster: instances, load balancers and routes, and a journal of every call. */
export class FakeCloud {
  readonly instances = new Set<string>();
  readonly loadBalancers = new Map<string, string>();
  /** Route's target node → destination CIDR. */
  readonly routes = new Map<string, string>();
  private readonly options: FakeCloudOptions;
  private readonly entries: CloudCall[] = [];
  private addressesGiven = 0;

  constructor(options: FakeCloudOptions) {
    this.options = options;
  }

  get journal(): readonly CloudCall[] {
    return this.entries;
  }

  /** Records a call and returns how long it takes; the caller must apply its effect at once. */
  record(
    caller: CloudCaller,
    controller: CloudCall['controller'],
    op: string,
    args: string,
  ): number {
    const { draws, cluster, nowMs } = this.options;
    const durationMs = Math.round(draws.between(...CALL_MS));
    const { node, manager, pid, identity, version } = caller;
    this.entries.push({
      ...{ atMs: nowMs(), durationMs, op, args, controller, cluster },
      ...{ node, manager, pid, identity, version },
    });
    return durationMs;
  }

  /** The address of a load balancer, which is created when it does not exist. */
  ensureLoadBalancer(name: string): string {
    const known = this.loadBalancers.get(name);
    if (known !== undefined) return known;
    const address = this.freeAddress();
    this.loadBalancers.set(name, address);
    return address;
  }

  /** Addresses are never reused: a re-created load balancer is recognizable by its new address. */
  private freeAddress(): string {
    this.addressesGiven += 1;
    return `198.18.${String(this.addressesGiven >> 8)}.${String(this.addressesGiven & 255)}`;
  }
}

/** Source: kubernetes/cloud-provider cloud.go `DefaultLoadBalancerName`. */
export function loadBalancerName(serviceUid: string): string {
  return `a${serviceUid.replaceAll('-', '')}`.slice(0, 32);
}
