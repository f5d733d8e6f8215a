/** The address part of a Service of type LoadBalancer. Lists of them never leave a worker. */
export interface LoadBalancer {
  /** `namespace/name`. */
  readonly key: string;
  /** Distinguishes it from a later one of the same name. */
  readonly uid: string;
  /** IP addresses or hostnames; none while it waits for its first. */
  readonly addresses: readonly string[];
  /** It is being deleted. */
  readonly leaving: boolean;
}

/** The same cluster's load balancers at two times. */
export interface LoadBalancersThenAndNow {
  readonly then: readonly LoadBalancer[];
  readonly now: readonly LoadBalancer[];
}

/**
 * Describes load balancers that should still exist and have lost an address. One that its users deleted, or changed to
 * another type, is not a loss: controllers delete no Services.
 * Source: kubernetes/cloud-provider controllers/service/controller.go.
 */
export function lostAddresses({ then, now }: LoadBalancersThenAndNow): readonly string[] {
  const present = new Map(now.map((each) => [identityOf(each), each]));
  return then.flatMap((before) => {
    const after = present.get(identityOf(before));
    if (after === undefined || after.leaving) return [];
    const lost = before.addresses.filter((address) => !after.addresses.includes(address));
    return lost.length === 0 ? [] : [ownershipLossOf(after, lost)];
  });
}

function identityOf({ key, uid }: LoadBalancer): string {
  return `${key} ${uid}`;
}

function ownershipLossOf({ key, addresses }: LoadBalancer, lost: readonly string[]): string {
  const has = addresses.length === 0 ? 'no address' : addresses.join(', ');
  return `Service ${key} had ${lost.join(', ')} and has ${has}`;
}
