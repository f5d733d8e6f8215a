import type { ServedBalancer } from '../../base/cloud-api.js';
import type { SentCloudCall } from './cloud-call.js';

/** The cloud's response to a call, and whether the call changed its state. */
export interface CloudAnswer {
  readonly body: Readonly<Record<string, unknown>>;
  readonly changed: boolean;
}

/** An unknown call, or one that lacks an argument: a defect of the provider, never a fault. */
export class NotACloudCall extends Error {
  override readonly name = 'NotACloudCall';
}

/** The cloud resources of one cluster: machines, load balancers, routes. */
export class ClusterCloud {
  /** Machine's name → its address. */
  readonly instances = new Map<string, { readonly address: string; readonly shutdown: boolean }>();
  readonly loadBalancers = new Map<string, { address: string; nodes: string }>();
  /** Route's name → node and destination. */
  readonly routes = new Map<string, { readonly node: string; readonly destination: string }>();
  private readonly nextAddress: () => string;

  constructor(nextAddress: () => string) {
    this.nextAddress = nextAddress;
  }

  /** As in docs/contracts/cloud-api.md. */
  listLoadBalancers(): readonly ServedBalancer[] {
    return [...this.loadBalancers].map(([id, { address, nodes }]) => ({
      ...{ id, addresses: [address], backends: nodes === '' ? [] : nodes.split(',') },
    }));
  }

  answer(call: SentCloudCall): CloudAnswer {
    const found = this.ofInstance(call) ?? this.ofLoadBalancer(call) ?? this.ofRoute(call);
    if (found === null) throw new NotACloudCall(`unknown cloud call ${call.op}`);
    return found;
  }

  private ofInstance({ op, args }: SentCloudCall): CloudAnswer | null {
    if (!op.startsWith('Instance') && op !== 'NodeAddresses') return null;
    const instance = this.instances.get(argument(op, args, 'instance'));
    const { address = '', shutdown = false } = instance ?? {};
    return { body: { found: instance !== undefined, address, shutdown }, changed: false };
  }

  private ofLoadBalancer({ op, args }: SentCloudCall): CloudAnswer | null {
    if (!op.endsWith('LoadBalancer') && op !== 'EnsureLoadBalancerDeleted') return null;
    const name = argument(op, args, 'loadBalancer');
    const known = this.loadBalancers.get(name);
    switch (op) {
      case 'GetLoadBalancer':
        return {
          body: { found: known !== undefined, address: known?.address ?? '' },
          changed: false,
        };
      case 'EnsureLoadBalancer':
        // Addresses are never reused: a re-created load balancer is recognizable by its new address.
        return this.setLoadBalancer(name, known?.address ?? this.nextAddress(), args);
      case 'UpdateLoadBalancer':
        if (known === undefined) return { body: { found: false, address: '' }, changed: false };
        return this.setLoadBalancer(name, known.address, args);
      case 'EnsureLoadBalancerDeleted':
        return { body: { found: false, address: '' }, changed: this.loadBalancers.delete(name) };
      default:
        return null;
    }
  }

  private setLoadBalancer(name: string, address: string, args: SentCloudCall['args']): CloudAnswer {
    const { nodes = '' } = args;
    const changed = this.loadBalancers.get(name)?.nodes !== nodes;
    this.loadBalancers.set(name, { address, nodes });
    return { body: { found: true, address }, changed };
  }

  private ofRoute({ op, args }: SentCloudCall): CloudAnswer | null {
    if (op === 'ListRoutes') {
      const routes = [...this.routes].map(([name, route]) => ({ name, ...route }));
      return { body: { routes }, changed: false };
    }
    if (op !== 'CreateRoute' && op !== 'DeleteRoute') return null;
    const node = argument(op, args, 'node');
    const destination = argument(op, args, 'destination');
    const name = `${node}-${destination}`;
    if (op === 'DeleteRoute') return { body: {}, changed: this.routes.delete(name) };
    const isNew = !this.routes.has(name);
    this.routes.set(name, { node, destination });
    return { body: {}, changed: isNew };
  }
}

function argument(op: string, args: Readonly<Record<string, string>>, name: string): string {
  const value = args[name];
  if (value === undefined || value === '') throw new NotACloudCall(`${op} has no ${name}`);
  return value;
}
