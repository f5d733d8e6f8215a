import type { FleetMigration } from '../../../config/kinds/fleet-migration.js';
import type { WaveSpec } from '../../../config/kinds/wave.js';
import type { RehearsedWave } from './rehearsed-clusters.js';

/** Pause before a start is tried again. */
const RETRY_AFTER = '5s';

/**
 * The same fleet for simulated clusters: waves, limits and approvals as written. What would wait for days is left out, and
 * members are named, as there may be fewer of them.
 */
export function rehearsedFleet(
  { apiVersion, kind, metadata, spec }: FleetMigration,
  waves: readonly RehearsedWave[],
): object {
  const { startAt: _startAt, deadline: _deadline, ...rollout } = spec.rollout;
  return {
    ...{ apiVersion, kind, metadata: { name: metadata.name } },
    spec: {
      ...{ inventory: 'simulator', policy: spec.policy, rest: spec.rest },
      waves: spec.waves.flatMap((wave, index) => {
        const members = waves[index];
        return members === undefined || members.clusters.length === 0
          ? []
          : [rehearsedWave(wave, members)];
      }),
      rollout: { ...rollout, retryAfter: RETRY_AFTER },
    },
  };
}

function rehearsedWave(wave: WaveSpec, { clusters, canaries }: RehearsedWave): object {
  const {
    windows: _windows,
    excludedDates: _dates,
    soak: _soak,
    canary,
    approvals,
    ...rest
  } = wave;
  return {
    ...rest,
    selector: { names: clusters },
    ...(canary === undefined
      ? {}
      : { canary: { names: canaries, rehearseRollback: canary.rehearseRollback } }),
    ...(approvals === undefined ? {} : { approvals: approvedByAnyone(approvals) }),
  };
}

/** The people of the rehearsal stand for those whom the fleet names. */
function approvedByAnyone({ before, after, quorum }: NonNullable<WaveSpec['approvals']>): object {
  return { before, after, quorum };
}
