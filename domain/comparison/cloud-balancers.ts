import { type ComparedObject, factKey } from './compared-object.js';

/** A load balancer as the cloud has it. */
export interface CloudBalancer {
  /** The cloud's own name for it. */
  readonly id: string;
  /** IP addresses or hostnames that users reach it at. */
  readonly addresses: readonly string[];
  /** To whom it passes traffic on: names, providerIDs or addresses of Nodes, or names of the cloud's own. */
  readonly backends: readonly string[];
}

/** What is compared of a load balancer. Two lists of the same are the same text. */
export function comparedBalancer({ id, addresses, backends }: CloudBalancer): ComparedObject {
  const facts = [
    ...addresses.map((address) => factKey('address', address)),
    ...backends.map((backend) => factKey('backend', backend)),
  ];
  const sorted = [...new Set(facts)].sort();
  return {
    ...{ kind: 'LoadBalancer', key: id, uid: '' },
    facts: Object.fromEntries(sorted.map((fact) => [fact, ''])),
  };
}
