import type { ServedBalancer } from '../../base/cloud-api.js';
import type { Cancel, CloudCall, Draws } from '../model.js';
import { CloudFaults } from './cloud-faults.js';

/** The caller: one process of one manager. */
export type CloudCaller = Pick<CloudCall, 'node' | 'manager' | 'pid' | 'identity' | 'version'>;

/** How long a call takes. */
const CALL_MS = [20, 80] as const;

/** How long a call takes from now on, and the error that it ends with. */
export interface CallAnswer {
  readonly tookMs: number;
  readonly error: string | null;
}

export interface FakeCloudOptions {
  readonly cluster: string;
  readonly nowMs: () => number;
  readonly draws: Draws;
}

/** The cloud behind one cluster: instances, load balancers and routes, a journal of every call, and faults. */
export class FakeCloud {
  readonly instances = new Set<string>();
  readonly loadBalancers = new Map<string, string>();
  /** The Nodes behind each of them, as they were given last. */
  private readonly hosts = new Map<string, readonly string[]>();
  /** Route's target node → destination CIDR. */
  readonly routes = new Map<string, string>();
  readonly faults: CloudFaults;
  private readonly options: FakeCloudOptions;
  private readonly entries: CloudCall[] = [];
  /** Judges each hanging call again. */
  private readonly hanging = new Set<() => void>();
  private addressesGiven = 0;

  constructor(options: FakeCloudOptions) {
    this.options = options;
    this.faults = new CloudFaults(options.draws.fork('faults'), () => {
      for (const judge of [...this.hanging]) judge();
    });
  }

  get journal(): readonly CloudCall[] {
    return this.entries;
  }

  /** How many calls have no answer yet and will have none until their fault ends. */
  get hangingCalls(): number {
    return this.hanging.size;
  }

  /**
   * Records a call. `answered` is told once what the cloud makes of it: at once, unless the call hangs, then when its
   * fault ends. The caller applies the effect of a call without error at that moment and goes on after the time that
   * it takes. Returns null, or how to give up a call that hangs because the caller's process has ended: it then has no
   * effect any more.
   */
  call(
    caller: CloudCaller,
    { controller, op, args }: Pick<CloudCall, 'controller' | 'op' | 'args'>,
    answered: (answer: CallAnswer) => void,
  ): Cancel | null {
    const { draws, cluster, nowMs } = this.options;
    const tookMs = Math.round(draws.between(...CALL_MS));
    const { node, manager, pid, identity, version } = caller;
    const atMs = nowMs();
    const index = this.entries.push({
      ...{ atMs, durationMs: null, op, args, controller, cluster },
      ...{ node, manager, pid, identity, version },
    });
    const judge = (): void => {
      const verdict = this.faults.judge({ controller, manager, op });
      if (verdict.kind === 'hang') {
        this.hanging.add(judge);
        return;
      }
      this.hanging.delete(judge);
      const answer = { tookMs: tookMs + verdict.delayMs, error: verdict.error };
      this.close(index - 1, answer);
      answered(answer);
    };
    judge();
    return this.hanging.has(judge) ? () => this.hanging.delete(judge) : null;
  }

  private close(index: number, { tookMs, error }: CallAnswer): void {
    const entry = this.entries[index];
    if (entry === undefined) return;
    const durationMs = this.options.nowMs() - entry.atMs + tookMs;
    this.entries[index] = { ...entry, durationMs, ...(error === null ? {} : { error }) };
  }

  /** Gives a load balancer that exists these Nodes; false where there is none. */
  setBackends(name: string, nodes: readonly string[]): boolean {
    if (!this.loadBalancers.has(name)) return false;
    this.hosts.set(name, nodes);
    return true;
  }

  /** What the cloud itself answers about its load balancers. */
  listLoadBalancers(): readonly ServedBalancer[] {
    return [...this.loadBalancers].map(([id, address]) => ({
      ...{ id, addresses: [address], backends: this.hosts.get(id) ?? [] },
    }));
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
