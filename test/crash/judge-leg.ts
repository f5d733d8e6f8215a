import { CLOUD_LOOPS } from '../../cli/demo/truth-source.js';
import { nextPath } from '../../activities/node-paths.js';
import { truthBetween } from '../../cli/demo/leg.js';
import { verifyChain } from '../../domain/evidence-chain.js';
import { nextStep } from '../../domain/next-step.js';
import type { Attributed, Attribution, Recorded } from './attribution.js';
import { attribute, isPositive, requestKey } from './attribution.js';
import { effectKey } from './crash-point.js';
import type { CrashWorld } from './crash-world.js';
import type { DrivenLeg } from './drive-leg.js';

/** How often each effect happened. */
export type Effects = ReadonlyMap<string, number>;

/**
 * Of all legs so far: a Lease that a killed worker did not release any more on the way back is released when somebody
 * waits for it again, on the next way.
 */
export interface SoFar {
  readonly effects: Effects;
  /** Of the same legs without a crash. */
  readonly golden: Effects;
}

/** Everything that is not as it shall be after a leg, in words; empty when all is right. `soFar` is null without a golden run. */
export async function judgeLeg(
  world: CrashWorld,
  leg: DrivenLeg,
  soFar: SoFar | null,
): Promise<readonly string[]> {
  const attribution = attribute(leg.journal, leg.records);
  return [
    ...endComplaints(leg),
    ...(await clusterComplaints(world, leg)),
    ...truthComplaints(leg),
    ...evidenceComplaints(attribution),
    ...chainComplaints(leg),
    ...(soFar === null ? [] : repeatComplaints(soFar)),
  ].map((complaint) => `${world.name} ${leg.leg}: ${complaint}`);
}

function endComplaints({ target, outcome }: DrivenLeg): readonly string[] {
  const wanted = target === 'ccm' ? 'done' : 'rolledBack';
  return outcome?.kind === wanted
    ? []
    : [`ended as ${outcome?.kind ?? 'nothing'}, not ${wanted}: ${outcome?.summary ?? ''}`];
}

/** The rules themselves find nothing left to do, and the fence was let go. */
async function clusterComplaints(
  { look, fleet, door }: CrashWorld,
  { target }: DrivenLeg,
): Promise<readonly string[]> {
  const observation = await look();
  const decision = nextStep(observation, target, fleet.policy);
  const holder = await door.fenceHolder();
  const left = await Promise.all(
    observation.nodes.flatMap(({ name }) =>
      [nextPath('kcm'), nextPath('ccm')].map(async (path) =>
        (await door.hasFile(name, path)) ? [`${name}:${path} was left behind`] : [],
      ),
    ),
  );
  return [
    ...(decision.kind === 'done' ? [] : [`not there yet: ${JSON.stringify(decision)}`]),
    ...left.flat(),
    ...(holder === '' ? [] : [`the fence is still held by ${holder}`]),
  ];
}

/** From the simulator's own processes: never two owners, and the right one at the end. */
function truthComplaints({ target, truth }: DrivenLeg): readonly string[] {
  const between = truthBetween(truth.before, truth.after);
  return CLOUD_LOOPS.flatMap((loop) => {
    const { overlapSeconds, owners } = between[loop];
    const right = owners.length === 1 && owners[0]?.startsWith(`${target}:`) === true;
    return [
      ...(overlapSeconds === 0 ? [] : [`${loop} had two owners for ${String(overlapSeconds)} s`]),
      ...(right ? [] : [`${loop} is owned by ${owners.join(' and ') || 'nobody'}`]),
    ];
  });
}

/** Each effect has one record that says so, each attempt without effect has one that does not, and none is open. */
function evidenceComplaints({ requests, unsent }: Attribution): readonly string[] {
  const kept = requests.filter(({ kind }) => kind === 'kept');
  return [
    ...kept.flatMap(requestComplaint),
    ...unsent.flatMap(({ intent, outcome }: Recorded) =>
      outcome !== null && !isPositive(outcome)
        ? []
        : [
            `${intent.step} ${intent.verb} ${intent.object} is recorded as ${outcome?.kind ?? 'open'}, and nobody asked for it`,
          ],
    ),
  ];
}

function requestComplaint({ entry, intent, outcome }: Attributed): readonly string[] {
  const name = `${requestKey(entry)} (request ${String(entry.index)})`;
  // The machines API may be told twice to delete a machine: the idempotency key says that it is one order.
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

/** The run's file is whole, and ends where the run's own history says. */
function chainComplaints({ records, outcome }: DrivenLeg): readonly string[] {
  const evidence = outcome?.evidence ?? null;
  if (evidence === null) return ['the run does not say where its evidence ends'];
  const expected = { records: evidence.records, hash: evidence.head };
  const verdict = verifyChain(records, expected);
  return verdict.kind === 'intact' ? [] : [`evidence record ${String(verdict.at)}: ${verdict.why}`];
}

/** How often each effect happened, by verb and object without names of nodes. */
export function effectsOf({ journal, records }: DrivenLeg): Effects {
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

/** Taken anew after each crash: its epoch has to rise. */
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
