import type { GateVerdict } from './gates.js';
import type { Inventory } from './observation.js';

/**
 * What a migration must not lose, compared with the start of the run. Users and autoscalers change some of it
 * too, and digests do not tell who did, so a person may let a difference pass: the gates are soft.
 * Source of the set: design phase `verify`; kubermatic/kubermatic#5322 (new load balancers), kubernetes#70897 (Nodes).
 */
export function survivalGates(now: Inventory, since: Inventory): readonly GateVerdict[] {
  return [
    gate('addressesSurvived', 'CCM3009', addressLoss(now, since)),
    gate('nodesSurvived', 'CCM3010', nodeLoss(now, since)),
    gate('nodesInitialized', 'CCM3014', taintGain(now, since)),
  ];
}

function gate(name: string, code: string, loss: string | null): GateVerdict {
  return {
    gate: name,
    hardness: 'soft',
    verdict: loss === null ? 'pass' : 'fail',
    detail: loss ?? 'as at the start of the run',
    code,
  };
}

function addressLoss(now: Inventory, then: Inventory): string | null {
  const [before, served] = [servedIn(then), servedIn(now)];
  if (served < before) {
    return `${String(before)} load balancers had an address, ${String(served)} have`;
  }
  return keepsAddresses(now, then) ? null : 'addresses of load balancers changed';
}

/** Equal digests prove that all is there; with another count only fewer addresses tell of a loss. */
export function keepsAddresses(now: Inventory, then: Inventory): boolean {
  const fewer = servedIn(now) < servedIn(then);
  return (
    now.services.ingressDigest === then.services.ingressDigest ||
    (!fewer && now.services.loadBalancers !== then.services.loadBalancers)
  );
}

/** Load balancers that have an address. */
export function servedIn({ services }: Inventory): number {
  return services.loadBalancers - services.pending;
}

function nodeLoss(now: Inventory, then: Inventory): string | null {
  if (now.workers.total < then.workers.total) {
    return `${String(then.workers.total)} workers were there, ${String(now.workers.total)} are`;
  }
  const same = now.workers.total === then.workers.total;
  return same && now.nodes.digest !== then.nodes.digest
    ? 'names, providerIDs or pod ranges of workers changed'
    : null;
}

function taintGain({ workers: now }: Inventory, { workers: then }: Inventory): string | null {
  return now.uninitialized > then.uninitialized
    ? `${String(now.uninitialized)} Nodes keep the uninitialized taint`
    : null;
}
