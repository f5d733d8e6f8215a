import type { Fleet } from '../../config/fleet.js';
import { API_VERSION } from '../../config/kinds/envelope.js';
import type { FleetPlanDocument } from '../../config/outputs/fleet-plan-document.js';
import { plannedRollout } from '../../config/outputs/fleet-plan-document.js';
import { plannedPolicy } from '../../config/outputs/planned-policy.js';
import type { Cli } from '../cli.js';
import { isText } from '../cli.js';
import { toolVersion } from '../tool-version.js';
import { asJson, pathFrom } from './plan-document.js';
import { fleetPlanDigest } from './fleet-plan-digest.js';
import { forecastPlan } from './fleet-forecast.js';
import { machineCounts } from './plan-shapes.js';
import type { MemberResult, PlannedMember, SkippedCluster } from './planned-member.js';
import { planMember } from './planned-member.js';
import { REPEATED_FIX, readClusters, repeatedClusters } from './read-clusters.js';

/** Observes every cluster of a fleet, and plans from that. */
export async function makeFleetPlan(
  cli: Cli,
  fleet: Fleet,
  folder: string,
): Promise<FleetPlanDocument> {
  const results = await readClusters(cli, fleet, {
    read: async (cluster, row) => planMember(fleet, cluster, row, cli.signal),
    told: (read) => `${read.filter(({ kind }) => kind === 'skipped').length} of them left out`,
  });
  const made = {
    files: cli.options.texts('file').map((file) => pathFrom(folder, file)),
    tool: await toolVersion(),
    nowMs: Date.now(),
  };
  return fleetPlanDocument(fleet, results, made, forecastProgress(cli));
}

/** After so long people would take the forecast for a hang. */
const SLOW_AFTER_MS = 1_000;

/** Says how far the forecast is, where it takes long: at most once in so many seconds. */
function forecastProgress(cli: Cli): (done: number, of: number) => void {
  let saidMs = Date.now();
  return (done, of) => {
    if (!isText(cli) || done === of || Date.now() - saidMs < SLOW_AFTER_MS) return;
    saidMs = Date.now();
    cli.terminal.err(`forecast: ${done} of ${of} drawn runs\n`);
  };
}

/** Two names for one cluster: which one is meant cannot be told, so that neither migrates. */
function withoutRepeated(results: readonly MemberResult[]): readonly MemberResult[] {
  const read = results.flatMap((result) =>
    result.kind === 'planned' ? [{ uid: result.member.uid, name: result.member.row.name }] : [],
  );
  const repeated = repeatedClusters(read);
  return results.map((result) => {
    if (result.kind === 'skipped') return result;
    const { uid, row } = result.member;
    const others = (repeated.get(uid) ?? []).filter((name) => name !== row.name);
    return others.length === 0
      ? result
      : {
          kind: 'skipped',
          skipped: {
            ...{ name: row.name, wave: row.wave, kind: 'repeated', code: 'CCM4010' },
            seen: `the same cluster as ${others.join(', ')} (${uid})`,
            fix: REPEATED_FIX,
          },
        };
  });
}

/** A fleet's plan as `plan --out` writes it. Plain JSON: anything else is lost before `apply` reads it. */
export function fleetPlanDocument(
  fleet: Fleet,
  read: readonly MemberResult[],
  made: { readonly files: string[]; readonly tool: string; readonly nowMs: number },
  told?: (done: number, of: number) => void,
): FleetPlanDocument {
  const results = withoutRepeated(read);
  const planned = results.flatMap((result) => (result.kind === 'planned' ? [result.member] : []));
  const { members, notes } = withCanaries(fleet, planned);
  const shapes = shapesOf(members);
  const content = {
    fleet: fleet.name,
    // Copies, because the schema's types are not read-only.
    rollout: plannedRollout.parse(asJson(fleet.rollout)),
    waves: fleet.waves.map(plannedWave),
    clusters: members.map(({ row, uid, region, planDigest, shapeKey }) => ({
      ...{ ...row, groups: [...row.groups], uid, region, planDigest },
      shape: shapes.findIndex(({ key }) => key === shapeKey),
    })),
    skipped: skippedOf(results),
  };
  const machines = members.map(({ steps }) => machineCounts(steps));
  const rows = members.map(({ row }) => row);
  const { waves, ...lengths } = forecastPlan(fleet.rollout, fleet.waves, rows, made.nowMs, told);
  return {
    ...{ apiVersion: API_VERSION, kind: 'FleetPlan', digest: fleetPlanDigest(content) },
    ...{ createdAt: new Date(made.nowMs).toISOString(), tool: made.tool, files: made.files },
    ...content,
    notes: [...notes],
    shapes: shapes.map(({ key: _key, ...shape }) => shape),
    findings: findingsOf(members),
    totals: {
      clusters: members.length,
      steps: members.reduce((sum, { steps }) => sum + steps.length, 0),
      machinesCreated: machines.reduce((sum, { created }) => sum + created, 0),
      machinesDeleted: machines.reduce((sum, { deleted }) => sum + deleted, 0),
    },
    forecast: { ...lengths, waves: waves.map((wave) => ({ ...wave })) },
  };
}

function skippedOf(results: readonly MemberResult[]): SkippedCluster[] {
  return results.flatMap((result) => (result.kind === 'skipped' ? [result.skipped] : []));
}

type PlannedWave = FleetPlanDocument['waves'][number];

function plannedWave({ settings, plan, windows, ...wave }: Fleet['waves'][number]): PlannedWave {
  return {
    plan: { ...plan, approvers: plan.approvers === null ? null : [...plan.approvers] },
    policy: plannedPolicy.parse(asJson(settings.policy)),
    timings: { ...settings.timings },
    materials: { ...settings.materials },
    windows: windows.map((window) => ({ ...window })),
    excludedDates: [...wave.excludedDates],
  };
}

/**
 * A canary that cannot migrate would leave its wave without one, so that all of it began at once: the first clusters of the
 * wave that can take its place.
 */
function withCanaries(
  fleet: Fleet,
  planned: readonly PlannedMember[],
): { readonly members: readonly PlannedMember[]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const promoted = new Set<string>();
  fleet.waves.forEach(({ canaries, plan }, wave) => {
    const names = planned.filter(({ row }) => row.wave === wave).map(({ row }) => row.name);
    const missing = canaries.filter((name) => !names.includes(name));
    const instead = names.filter((name) => !canaries.includes(name)).slice(0, missing.length);
    for (const name of instead) promoted.add(name);
    if (missing.length === 0 || names.length === 0) return;
    const word = instead.length === 0 ? 'has fewer canaries' : `begins with ${instead.join(', ')}`;
    notes.push(`wave ${plan.name} ${word}: canary ${missing.join(', ')} is skipped`);
  });
  const members = planned.map((member) =>
    promoted.has(member.row.name) ? { ...member, row: { ...member.row, canary: true } } : member,
  );
  return { members, notes };
}

interface KeyedShape {
  readonly key: string;
  readonly example: string;
  readonly clusters: string[];
  readonly steps: PlannedMember['steps'];
}

/** The largest first. */
function shapesOf(members: readonly PlannedMember[]): readonly KeyedShape[] {
  const shapes = new Map<string, KeyedShape>();
  for (const { shapeKey: key, row, steps } of members) {
    const known = shapes.get(key);
    if (known === undefined) {
      shapes.set(key, { key, example: row.name, clusters: [row.name], steps });
    } else known.clusters.push(row.name);
  }
  return [...shapes.values()].sort((a, b) => b.clusters.length - a.clusters.length);
}

function findingsOf(members: readonly PlannedMember[]): FleetPlanDocument['findings'] {
  const found = new Map<string, FleetPlanDocument['findings'][number]>();
  for (const { findings, row } of members) {
    for (const finding of findings) {
      const key = JSON.stringify([finding.code, finding.severity, finding.seen]);
      const known = found.get(key);
      if (known === undefined) found.set(key, { finding: { ...finding }, clusters: [row.name] });
      else if (!known.clusters.includes(row.name)) known.clusters.push(row.name);
    }
  }
  return [...found.values()];
}
