import { plannedPolicy, plannedTimings } from '../config/outputs/planned-policy.js';
import { manifestComplaint } from '../config/rules/ccm-manifest.js';
import { decisiveDigest } from '../domain/decision/decisive-digest.js';
import type { ClusterObservation } from '../domain/observation.js';
import { planDigest } from '../domain/plan/plan-digest.js';
import { steadyObservation } from '../domain/plan/steady-observation.js';
import { forbidsStart, preflight } from '../domain/preflight/preflight.js';
import type { CheckInput } from './contract.js';
import type { ActivityDependencies, ClusterConnection } from './dependencies.js';
import { failure } from './failures.js';
import { observeSettled } from './observe/observe-cluster.js';

/**
 * What the CLI checked before it asked for the run is checked once more where it counts, by the worker and against the
 * cluster as it is now: a client of another version, a hand-made start or a fleet must not begin what `apply` refuses.
 * Read only. `early` leaves out what depends on the cluster's state: another run may be at work until it is displaced.
 */
export async function checkClusterStart(
  { clock, scope }: Pick<ActivityDependencies, 'clock' | 'scope'>,
  connection: ClusterConnection,
  input: CheckInput,
): Promise<void> {
  requireWellFormed(input);
  if (input.early) return;
  const { observation } = await observeSettled(connection, clock, scope(), input);
  requirePlan(input, observation);
  requireClear(input, observation);
}

/** Whoever asked for the run may be of another version than this worker: defaults that are absent must not be guessed. */
function requireWellFormed({ policy, timings, materials }: CheckInput): void {
  const issues = [plannedPolicy.safeParse(policy), plannedTimings.safeParse(timings)].flatMap(
    ({ error }) => error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [],
  );
  const manifest = manifestComplaint(materials.ccmManifest, policy.ccm);
  const [first] = [...issues, ...(manifest === null ? [] : [`the CCM's manifest ${manifest}`])];
  if (first === undefined) return;
  throw failure(
    'InvalidInput',
    `what the run was given does not suit this worker: ${first}. Nothing was changed. ` +
      'Make a new plan with the version of the workers (`ccm-migrate version`), and apply that one',
  );
}

function requirePlan(input: CheckInput, observation: ClusterObservation): void {
  const { cluster, decide, policy, timings, materials } = input;
  // A run that was turned around before it began goes by another plan, and is checked by the rest.
  if (decide.revision > 0) return;
  const seen = steadyObservation(observation);
  const { target } = decide;
  const now = planDigest({ cluster, target, policy, timings, materials, observation: seen });
  if (now === input.planDigest) return;
  throw failure(
    'StalePlan',
    `the plan ${input.planDigest} is not what policy, materials and cluster give now (${now}). Nothing was changed. ` +
      'Make a new plan with `ccm-migrate plan`, compare, and apply that one',
  );
}

function requireClear({ policy, materials }: CheckInput, observation: ClusterObservation): void {
  const findings = preflight(observation, policy, materials);
  const forbidden = forbidsStart(findings, policy.waivers, decisiveDigest(observation));
  const [first] = forbidden;
  if (first === undefined) return;
  const more = forbidden.length === 1 ? '' : ` (and ${String(forbidden.length - 1)} more)`;
  throw failure(
    'PreflightFailed',
    `${first.code} ${first.subject}: ${first.seen}${more}. Nothing was changed. ${first.fix}`,
  );
}
