import type { OrderedCloudFault } from '../cloud/cloud-faults.js';
import { strikeCluster } from '../control/events.js';
import type { SimulatedCluster } from '../model.js';
import type { ClusterFront } from '../server/cluster-front.js';
import type { ShapeFault, ShapeHarm } from './shape-faults.js';

/** Lets everything that a shape says befall a cluster, from now on. */
export function befall(front: ClusterFront, faults: readonly ShapeFault[]): void {
  for (const { moment, harm } of faults) {
    switch (moment.kind) {
      case 'at':
        front.cluster.clock.schedule(moment.atMs, () => strikeNow(front, harm));
        break;
      case 'on':
        front.faults.watch(moment.aim, () => strikeAfter(front, moment.afterMs, harm));
        break;
    }
  }
}

/** At once, where nothing is said: before the request that is waited for has an effect. */
function strikeAfter(front: ClusterFront, afterMs: number, harm: ShapeHarm): void {
  if (afterMs === 0) strikeNow(front, harm);
  else front.cluster.clock.schedule(afterMs, () => strikeNow(front, harm));
}

/** A single fault strikes the next request: for a moment that is a request, that very one. */
function strikeNow({ cluster, faults }: ClusterFront, harm: ShapeHarm): void {
  switch (harm.kind) {
    case 'fault': {
      const { fault, holdMs } = harm;
      faults.add({ aim: { nth: 1 }, fault, ...(holdMs === null ? {} : { holdMs }) });
      break;
    }
    case 'outage':
      faults.add({ aim: { forMs: harm.lastsMs }, fault: harm.fault });
      break;
    case 'event':
      strikeCluster(cluster, harm.order);
      break;
    case 'cloud':
      strikeCloud(cluster, harm.fault, harm.lastsMs);
      break;
    case 'healCloud':
      cluster.cloudFaults.heal(harm.aim);
      break;
  }
}

/** It ends after its time only if no other fault has replaced it. */
function strikeCloud(
  { cloudFaults, clock }: SimulatedCluster,
  fault: OrderedCloudFault,
  lastsMs: number | null,
): void {
  cloudFaults.add(fault);
  if (lastsMs === null) return;
  clock.schedule(lastsMs, () => {
    if (cloudFaults.list.includes(fault)) cloudFaults.heal(fault);
  });
}
