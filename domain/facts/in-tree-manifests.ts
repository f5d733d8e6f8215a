import type { ClusterObservation, ManagerConfig, ManagerSlot } from '../observation.js';

/** KCM manifests with cloud loops that lie on a node, those in place first: a parked one was in place before. */
export function inTreeManifests({ nodes }: ClusterObservation): readonly ManagerConfig[] {
  const slots = nodes.map(({ kcm }) => kcm);
  return [...inState(slots, 'present'), ...inState(slots, 'parked')].filter(
    ({ cloudLoops }) => cloudLoops,
  );
}

function inState(
  slots: readonly ManagerSlot[],
  state: 'present' | 'parked',
): readonly ManagerConfig[] {
  return slots.flatMap(({ manifest }) =>
    (manifest.state === 'present' || manifest.state === 'parked') && manifest.state === state
      ? [manifest.config]
      : [],
  );
}
