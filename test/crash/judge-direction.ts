import { nextPath } from '../../activities/node-paths.js';
import { truthBetween } from '../../testbed/demo/direction-run.js';
import {
  chainComplaints,
  endComplaints,
  fenceComplaints,
  overlapComplaints,
  ownerComplaints,
  ruleComplaints,
} from '../support/run-complaints.js';
import { unguardedWrites } from '../support/guarded-writes.js';
import type { Attributed, Attribution, Recorded } from './attribution.js';
import { attribute, isPositive, requestKey } from './attribution.js';
import { effectKey } from './crash-point.js';
import type { CrashEnvironment } from './crash-environment.js';
import type { DrivenDirection } from './drive-direction.js';

/** How often each effect happened. */
export type Effects = ReadonlyMap<string, number>;

/**
 * Of all directions so far: a Lease that a killed worker left unreleased during rollback is released when the next forward run waits for it
 * again.
 */
export interface SoFar {
  readonly effects: Effects;
  /** Of the same directions without a crash. */
  readonly golden: Effects;
}

/** Everything that is not as it must be after a direction, as text; empty when all is right. `soFar` is null without a golden run. */
export async function judgeDirection(
  environment: CrashEnvironment,
  direction: DrivenDirection,
  soFar: SoFar | null,
): Promise<readonly string[]> {
  const attribution = attribute(direction.journal, direction.records);
  return [
    ...endComplaints(direction.target, direction.outcome),
    ...(await clusterComplaints(environment, direction)),
    ...truthComplaints(direction),
    ...evidenceComplaints(attribution),
    ...unguardedWrites(direction.journal, guardedMs(environment)),
    ...chainComplaints(direction.records, direction.outcome),
    ...(soFar === null ? [] : repeatComplaints(soFar)),
  ].map((complaint) => `${environment.name} ${direction.direction}: ${complaint}`);
}

/** Three renewals by the cluster's clock; it is read to the second, and runs on while a write is in progress. */
function guardedMs({ fleet: { timings } }: CrashEnvironment): number {
  return 3 * timings.fenceRenewMs + 10_000;
}

/** The rules themselves find nothing left to do, no staged file remains on nodes, and the fence was released. */
async function clusterComplaints(
  { snapshot, fleet, proxy }: CrashEnvironment,
  { target }: DrivenDirection,
): Promise<readonly string[]> {
  const observation = await snapshot();
  const left = await Promise.all(
    observation.nodes.flatMap(({ name }) =>
      [nextPath('kcm'), nextPath('ccm')].map(async (path) =>
        (await proxy.hasFile(name, path)) ? [`${name}:${path} was left behind`] : [],
      ),
    ),
  );
  return [
    ...ruleComplaints(observation, target, fleet.policy),
    ...left.flat(),
    ...fenceComplaints(await proxy.fenceHolder()),
  ];
}

/** Ground truth of the simulator's processes: never two owners, and the right one at the end. */
function truthComplaints({ target, truth }: DrivenDirection): readonly string[] {
  const between = truthBetween(truth.before, truth.after);
  return [...overlapComplaints(between), ...ownerComplaints(between, target)];
}

/** Each effect has one record, each attempt without effect has one that reports none, and no record is open. */
function evidenceComplaints({ requests, unsent }: Attribution): readonly string[] {
  const kept = requests.filter(({ kind }) => kind === 'kept');
  return [
    ...kept.flatMap(requestComplaint),
    ...unsent.flatMap(({ intent, outcome }: Recorded) =>
      outcome !== null && !isPositive(outcome)
        ? []
        : [
            `${intent.step} ${intent.verb} ${intent.object} is recorded as ${outcome?.kind ?? 'open'}, without a request for it`,
          ],
    ),
  ];
}

function requestComplaint({ entry, intent, outcome }: Attributed): readonly string[] {
  const name = `${requestKey(entry)} (request ${String(entry.index)})`;
  // The machines API may receive two requests to delete a machine: the idempotency key makes them one order.
  if (intent === null) return isRepeatedOrder(entry) ? [] : [`${name} has no evidence`];
  if (outcome === null) return [`${name} has no outcome`];
  if (isPositive(outcome) === entry.tookEffect) return [];
  return [
    `${name} ${entry.tookEffect ? 'took effect' : 'took no effect'} and is recorded as ${outcome.kind} (${outcome.detail})`,
  ];
}

function isRepeatedOrder({ resource, path, tookEffect }: Attributed['entry']): boolean {
  return resource === 'machines' && path.includes('idempotencyKey=') && !tookEffect;
}

/** How often each effect happened, by verb and object without names of nodes. */
export function effectsOf({ journal, records }: DrivenDirection): Effects {
  const counts = new Map<string, number>();
  for (const { kind, entry } of attribute(journal, records).requests) {
    if (kind !== 'kept' || !entry.tookEffect) continue;
    const key = effectKey(entry);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

export function sumOf(some: Effects, others: Effects): Effects {
  const sum = new Map(some);
  for (const [key, count] of others) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}

/** Re-acquired after each crash: its epoch has to rise. */
const FENCE = 'update leases ccm-migrate';

/** Nothing may happen more often than it did without a crash. */
function repeatComplaints({ effects, golden }: SoFar): readonly string[] {
  return [...effects].flatMap(([key, count]) => {
    const once = golden.get(key) ?? 0;
    return key === FENCE || count <= once
      ? []
      : [`${key} happened ${String(count)} times; without crashes ${String(once)} times`];
  });
}
