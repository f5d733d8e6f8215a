import { cloudListOf } from '../../domain/comparison/cloud-balancers.js';
import type { ObjectList } from '../../domain/comparison/compared-object.js';
import { nativeDigest } from '../native-digest.js';
import type { CallOptions, CloudLists } from '../ports.js';
import type { CollectedSnapshot } from './collect-snapshot.js';
import { objectListText } from './object-list.js';

/**
 * The same observation with what the cloud itself lists beside the objects: a balancer can lose its backends while its Service keeps
 * the address. Unchanged where the inventory names no cloud API.
 * @throws where the cloud does not answer: a run must not begin without the list that it is compared with
 */
export async function withCloud(
  cloud: CloudLists | undefined,
  snapshot: CollectedSnapshot,
  options: CallOptions,
): Promise<CollectedSnapshot> {
  const { cached, observation } = snapshot;
  if (cloud === undefined || cached.objects === null) return snapshot;
  const served = cached.objects.loadBalancers.flatMap(({ addresses }) => addresses);
  const listed = await cloud.loadBalancers(options);
  const list = cloudListOf(listed, served, nodesIn(cached.objects));
  const objects = { ...cached.objects, cloud: list };
  const inventory = {
    ...observation.inventory,
    objectsDigest: nativeDigest(objectListText(objects)),
  };
  return {
    ...snapshot,
    observation: { ...observation, inventory },
    cached: { ...cached, objects, inventory },
  };
}

/** All by which a cloud may name a Node as a backend; the last part of a providerID is the name of an instance. */
function nodesIn({ objects, workers }: ObjectList): readonly string[] {
  const named = objects.flatMap(({ kind, key, facts }) => {
    if (kind !== 'Node') return [];
    const addresses = Object.keys(facts).flatMap((fact) => {
      const [word, , address = ''] = fact.split(' ');
      return word === 'address' ? [address] : [];
    });
    const providerID = facts['providerID'] ?? '';
    return [key, providerID, providerID.split('/').at(-1) ?? '', ...addresses];
  });
  return [...named, ...workers].filter((name) => name !== '');
}
