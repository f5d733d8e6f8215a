import type { FleetMigrationInput, FleetWindow } from '../../activities/fleet-input.js';
import type { RolloutPolicy, RowPlan, WavePlan } from '../../domain/fleet/fleet-plan.js';
import type { RunTimings } from '../../domain/policy.js';
import { plan, POLICY, ROW, WAVE } from '../domain/fleet/given-fleet.js';
import { TIMINGS } from '../activities/run-context.js';
import { policyOf } from './cluster-builder.js';

/** What differs in a fleet from one wave without limits. */
export interface GivenFleetInput {
  readonly name?: string;
  readonly waves?: readonly Partial<WavePlan>[];
  readonly rows: readonly (Partial<RowPlan> & { readonly name: string })[];
  readonly policy?: Partial<RolloutPolicy>;
  readonly windows?: readonly FleetWindow[];
  readonly timings?: RunTimings;
  readonly region?: string;
  /** UID of the cluster of that name. */
  readonly uid?: (name: string) => string;
}

/** The input of a fleet with these clusters, each with the plan `sha256:NAME`. */
export function fleetInputOf({
  name = 'fleet',
  waves = [{}],
  rows,
  policy = {},
  windows = [],
  timings = TIMINGS,
  region = 'test',
  uid = (cluster) => cluster,
}: GivenFleetInput): FleetMigrationInput {
  const { requester, planDigest, revision } = plan();
  const settings = {
    ...{ policy: policyOf(), timings, materials: { ccmManifest: 'kind: Pod' } },
    ...{ windows, excludedDates: [] },
  };
  return {
    ...{ fleet: name, actor: requester, reason: 'CHG-1', ticket: '' },
    given: {
      plan: {
        ...{ requester, planDigest, revision },
        policy: { ...POLICY, inFlight: 10, unproven: 10, retryAfterMs: 500, ...policy },
        waves: waves.map((wave, index) => ({ ...WAVE, name: `wave-${index}`, ...wave })),
        rows: rows.map((row) => ({ ...ROW, ...row })),
      },
      waves: waves.map(() => settings),
      members: rows.map((row) => ({
        ...{ uid: uid(row.name), region, planDigest: `sha256:${row.name}` },
      })),
    },
    carried: null,
  };
}
