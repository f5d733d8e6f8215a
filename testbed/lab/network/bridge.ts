import { mustRun } from '../../../devserver/run-program.js';
import { gatewayAddress, PREFIX_LENGTH } from './address-plan.js';
import { bridgeName, cableName, namespaceName } from './link-names.js';

/** Where one network namespace connects to the bridge. */
export interface Plug {
  readonly lab: number;
  readonly cluster: number;
  /** Names the namespace, for example `lab-1-cp-1`. */
  readonly place: string;
  readonly address: string;
}

/** The bridge of a lab, on which the host itself has the first address. */
export async function makeBridge(lab: number): Promise<void> {
  const bridge = bridgeName(lab);
  await ip(`link add ${bridge} type bridge`);
  await ip(`address add ${gatewayAddress(lab)}/${PREFIX_LENGTH} dev ${bridge}`);
  await ip(`link set ${bridge} up`);
}

/** Creates a network namespace with one cable to the lab's bridge; returns its name. */
export async function plugIn({ lab, cluster, place, address }: Plug): Promise<string> {
  const namespace = namespaceName(lab, place);
  const cable = cableOf({ lab, cluster, place, address });
  await ip(`netns add ${namespace}`);
  await ip(`link add ${cable} type veth peer name eth0 netns ${namespace}`);
  await ip(`link set ${cable} master ${bridgeName(lab)} up`);
  await ip(`-n ${namespace} address add ${address}/${PREFIX_LENGTH} dev eth0`);
  await ip(`-n ${namespace} link set lo up`);
  await ip(`-n ${namespace} link set eth0 up`);
  await ip(`-n ${namespace} route add default via ${gatewayAddress(lab)}`);
  return namespace;
}

/** Removes a namespace and its cable. */
export async function unplug(plug: Plug): Promise<void> {
  await ip(`link delete ${cableOf(plug)}`);
  await ip(`netns delete ${namespaceName(plug.lab, plug.place)}`);
}

/** Cuts or restores the cable: packets in flight are lost and connections stay half open, as with a broken switch. */
export async function switchCable(plug: Plug, state: 'up' | 'down'): Promise<void> {
  await ip(`link set ${cableOf(plug)} ${state}`);
}

function cableOf({ lab, cluster, address }: Plug): string {
  return cableName(lab, cluster, Number(address.split('.').at(-1)));
}

async function ip(words: string): Promise<void> {
  await mustRun('ip', words.split(' '));
}
