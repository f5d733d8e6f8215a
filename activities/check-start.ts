import { plannedPolicy, plannedTimings } from '../config/outputs/planned-policy.js';
import { manifestComplaint } from '../config/rules/ccm-manifest.js';
import { decisiveDigest } from '../domain/decision/decisive-digest.js';
import type { Finding } from '../domain/findings/finding.js';
import type { ClusterObservation } from '../domain/observation/observation.js';
import { planDigest, steadyObservation } from '../domain/observation/plan-digest.js';
import { forbidsStart, forbidsTurn, preflight } from '../domain/preflight/preflight.js';
import type { CheckInput } from './contract.js';
import type { ActivityDependencies, ClusterConnection } from './dependencies.js';
import { failure } from './failures.js';
import { deniedToGranted } from './observe/read-access.js';
import { type CollectedSnapshot, observeSettled } from './observe/collect-snapshot.js';
import type { ObservationCache } from './observe/observation-cache.js';
import { UNPLANNED } from '../domain/run/unplanned.js';
import type { RunCheck } from '../domain/run/results.js';

/**
 * Repeats in the worker, against the current cluster, what the CLI checked before it started the run: a client of another
 * version, a hand-made start or a fleet must not start what `apply` refuses. Read only. `early` leaves out what depends on
 * the cluster's state: another run may be writing until it is displaced.
 *
 * A reversed run follows another plan than the one it was started with: the report names it and what forbids its start.
 * Repairs continue meanwhile, so this is not a failure.
 */
export async function checkClusterStart(
  { clock, scope }: Pick<ActivityDependencies, 'clock' | 'scope'>,
  memory: Pick<ObservationCache, 'keepStart'>,
  connection: ClusterConnection,
  input: CheckInput,
): Promise<RunCheck> {
  requireWellFormed(input);
  if (input.early) return { planDigest: null, objections: [] };
  const see = async (): Promise<SeenCluster> => {
    const snapshot = await observeSettled(connection, clock, scope(), input);
    const { observation } = snapshot;
    return { snapshot, observation, ccmDenied: await deniedToward(connection, input, observation) };
  };
  if (input.decide.revision > 0) {
    const seen = await see();
    const objections = turnedObjections(input, seen);
    return { planDigest: digestNow(input, seen.observation), objections };
  }
  // A refusal ends a run permanently, so it needs two observations: one answer may have come from a stale cache.
  const first = await see();
  const doubt = refusalOf(input, first);
  const refusal = doubt && refusalOf(input, await see());
  if (refusal !== null) throw refusal;
  if (doubt === null) memory.keepStart(input.runId, first.snapshot);
  return {
    planDigest: isUnplanned(input) ? digestNow(input, first.observation) : input.planDigest,
    objections: [],
  };
}

interface SeenCluster {
  readonly snapshot: CollectedSnapshot;
  readonly observation: ClusterObservation;
  /** Rights that the CCM lacks; null where that does not matter, or we may not ask. */
  readonly ccmDenied: readonly string[] | null;
}

/** Missing rights of the CCM are no reason to keep it: a rollback does not check them. */
async function deniedToward(
  { api }: Pick<ClusterConnection, 'api'>,
  { decide, policy, materials: { ccmManifest }, timings: { requestMs } }: CheckInput,
  observation: ClusterObservation,
): Promise<readonly string[] | null> {
  return decide.target === 'kcm'
    ? null
    : deniedToGranted(api, { policy, ccmManifest, observation }, { timeoutMs: requestMs });
}

/** Why a run must not start on the current cluster; null when it may. */
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

/** The client may have another version than this worker: missing defaults must not be guessed. */
function requireWellFormed({ policy, timings, materials }: CheckInput): void {
  const issues = [plannedPolicy.safeParse(policy), plannedTimings.safeParse(timings)].flatMap(
    ({ error }) => error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [],
  );
  const manifest = manifestComplaint(materials.ccmManifest, policy.ccm);
  const [first] = [...issues, ...(manifest === null ? [] : [`the CCM's manifest ${manifest}`])];
  if (first === undefined) return;
  throw failure(
    'InvalidInput',
    `this worker cannot use the input of the run: ${first}. Nothing was changed. ` +
      'Make a new plan with the version of the workers (`ccm-migrate version`), and apply it',
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

/** Its plan is made here, as that of a run that turns is. Only a member's run gets this far without one: `refuseBadInput`. */
function isUnplanned({ planDigest: planned }: CheckInput): boolean {
  return planned === UNPLANNED;
}

function stalePlan(input: CheckInput, now: string): Error | null {
  if (now === input.planDigest || isUnplanned(input)) return null;
  return failure(
    'StalePlan',
    `the plan ${input.planDigest} does not match policy, materials and cluster as they are now (${now}). Nothing was changed. ` +
      'Make a new plan with `ccm-migrate plan`, compare, and apply it',
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
