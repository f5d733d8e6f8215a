import { plannedPolicy, plannedTimings } from '../config/outputs/planned-policy.js';
import { manifestComplaint } from '../config/rules/ccm-manifest.js';
import { decisiveDigest } from '../domain/decision/decisive-digest.js';
import type { Finding } from '../domain/finding.js';
import type { ClusterObservation } from '../domain/observation.js';
import { planDigest } from '../domain/plan/plan-digest.js';
import { steadyObservation } from '../domain/plan/steady-observation.js';
import { forbidsStart, forbidsTurn, preflight } from '../domain/preflight/preflight.js';
import type { RunCheck } from '../domain/advance/run-state.js';
import type { CheckInput } from './contract.js';
import type { ActivityDependencies, ClusterConnection } from './dependencies.js';
import { failure } from './failures.js';
import { deniedToGranted } from './observe/ccm-rights.js';
import { observeSettled } from './observe/observe-cluster.js';

/**
 * What the CLI checked before it asked for the run is checked once more where it counts, by the worker and against the
 * cluster as it is now: a client of another version, a hand-made start or a fleet must not begin what `apply` refuses.
 * Read only. `early` leaves out what depends on the cluster's state: another run may be at work until it is displaced.
 *
 * A run that was turned around goes by another plan than it was started with: the report names it, and what forbids to
 * begin it. Repairs go on meanwhile, so that is no failure.
 */
export async function checkClusterStart(
  { clock, scope }: Pick<ActivityDependencies, 'clock' | 'scope'>,
  connection: ClusterConnection,
  input: CheckInput,
): Promise<RunCheck> {
  requireWellFormed(input);
  if (input.early) return { planDigest: null, objections: [] };
  const look = async (): Promise<SeenCluster> => {
    const { observation } = await observeSettled(connection, clock, scope(), input);
    return { observation, ccmDenied: await deniedToward(connection, input, observation) };
  };
  if (input.decide.revision > 0) {
    const seen = await look();
    const objections = turnedObjections(input, seen);
    return { planDigest: digestNow(input, seen.observation), objections };
  }
  // A refusal ends a run for good, so it rests on two observations: an answer may have come from an old cache.
  const refusal = refusalOf(input, await look()) && refusalOf(input, await look());
  if (refusal !== null) throw refusal;
  return { planDigest: input.planDigest, objections: [] };
}

interface SeenCluster {
  readonly observation: ClusterObservation;
  /** Rights that the CCM lacks; null where that is no matter, or nobody may ask. */
  readonly ccmDenied: readonly string[] | null;
}

/** What the CCM may not do is no reason to keep it: a way back does not ask. */
async function deniedToward(
  { api }: Pick<ClusterConnection, 'api'>,
  { decide, policy, materials: { ccmManifest }, timings: { requestMs } }: CheckInput,
  observation: ClusterObservation,
): Promise<readonly string[] | null> {
  return decide.target === 'kcm'
    ? null
    : deniedToGranted(api, { policy, ccmManifest, observation }, { timeoutMs: requestMs });
}

/** Why a run must not begin as the cluster is; null when it may. */
function refusalOf(input: CheckInput, seen: SeenCluster): Error | null {
  return stalePlan(input, digestNow(input, seen.observation)) ?? forbidden(input, seen);
}

function findingsOf(
  { policy, materials }: CheckInput,
  { observation, ccmDenied }: SeenCluster,
): readonly Finding[] {
  const extra = { ...materials, ...(ccmDenied === null ? {} : { ccmDenied }) };
  return preflight(observation, policy, extra);
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

function digestNow(input: CheckInput, observation: ClusterObservation): string {
  const { cluster, decide, policy, timings, materials } = input;
  const seen = steadyObservation(observation);
  return planDigest({
    ...{ cluster, target: decide.target, policy, timings, materials },
    observation: seen,
  });
}

function stalePlan(input: CheckInput, now: string): Error | null {
  if (now === input.planDigest) return null;
  return failure(
    'StalePlan',
    `the plan ${input.planDigest} is not what policy, materials and cluster give now (${now}). Nothing was changed. ` +
      'Make a new plan with `ccm-migrate plan`, compare, and apply that one',
  );
}

function forbidden(input: CheckInput, seen: SeenCluster): Error | null {
  const state = decisiveDigest(seen.observation);
  const findings = forbidsStart(findingsOf(input, seen), input.policy.waivers, state);
  const [first] = findings;
  if (first === undefined) return null;
  const more = findings.length === 1 ? '' : ` (and ${String(findings.length - 1)} more)`;
  return failure(
    'PreflightFailed',
    `${first.code} ${first.subject}: ${first.seen}${more}. Nothing was changed. ${first.fix}`,
  );
}

function turnedObjections(input: CheckInput, seen: SeenCluster): readonly Finding[] {
  const waivers = [...input.policy.waivers, ...input.decide.waivers];
  return forbidsTurn(findingsOf(input, seen), waivers, decisiveDigest(seen.observation));
}
