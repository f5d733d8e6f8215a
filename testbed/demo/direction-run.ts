import type { Client } from '@temporalio/client';
import { USER_AGENTS } from '../../config/names.js';
import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Target } from '../../domain/vocabulary.js';
import type { ClusterOutcome } from '../../workflows/messages.js';
import { signedStart } from '../../cli/authority/sign-requests.js';
import type { Cli } from '../../cli/cli.js';
import type { ExitStatus } from '../../cli/exit-status.js';
import type { RunView } from '../../cli/runs/run-view.js';
import { followRun } from '../../cli/screens/follow-run.js';
import type { RunRequest } from '../../cli/runs/start-run.js';
import { startRun } from '../../cli/runs/start-run.js';
import type { DemoEnvironment } from './demo-environment.js';
import { OWNED, ofEachOwned, type OwnedController, type Truth } from '../base/truth/truth.js';
import type { JoinedSources, JournaledRequest } from './truth-source.js';
import type { PlannedWrites } from './planned-writes.js';
import { plannedWrites } from './planned-writes.js';

/** What one direction took, by ground truth and by the product. Seconds are those of the environment's clock. */
export interface DirectionRun {
  /** As claims and summaries call it. */
  readonly name: string;
  readonly target: Target;
  readonly exitStatus: ExitStatus;
  readonly outcome: ClusterOutcome | null;
  readonly durationSeconds: number;
  readonly historyEvents: number;
  readonly requests: RequestCounts;
  readonly mutations: number;
  readonly truth: Readonly<Record<OwnedController, LoopTruth>>;
  /** Where the ground truth was joined from several sources, up to the end of this direction. */
  readonly sources: JoinedSources | null;
  /** Which gates had policy turn it around, with what they saw; empty where no gate did. */
  readonly turnedBy: string;
  /** What the run wrote on nodes against what its plan had shown. */
  readonly writes: PlannedWrites;
}

/**
 * What reached the cluster: API requests of the steps, those of the guard, and reads and writes of nodes and machines
 * (null where these are not recorded).
 */
export interface RequestCounts {
  readonly steps: number;
  readonly guard: number;
  readonly nodes: number | null;
}

export interface LoopTruth {
  readonly overlapSeconds: number;
  readonly orphanSeconds: number;
  readonly moves: number;
  readonly orphans: readonly { readonly fromMs: number; readonly seconds: number }[];
  /** Who owns it at the end, like `ccm:cp-4#812`. */
  readonly owners: readonly string[];
}

export interface DirectionRequest {
  readonly name: string;
  readonly plan: MigrationPlan;
  /** The worker's folder of evidence. */
  readonly evidenceDir: string;
  /** Instead of the environment's. */
  readonly policy?: MigrationPolicy;
  /** Where the run is expected to end, if not at its target. */
  readonly until?: 'rolledBack';
  /** Told of each reading of the run. */
  readonly onView?: (view: RunView) => Promise<void>;
}

const DEADLINE_MS = 20 * 60_000;

/** Runs one direction from start to end, shown live, and measures it from outside. */
export async function runDirection(
  cli: Cli,
  client: Client,
  environment: DemoEnvironment,
  order: DirectionRequest,
): Promise<DirectionRun> {
  const { source } = environment.cluster;
  const { plan, evidenceDir } = order;
  const before = await source.truth();
  const requestsBefore = (await source.journal(0)).length;
  const run = await startRun(client, await requestOf(environment, order));
  let turnedBy = '';
  const { exitStatus, view } = await followRun(cli, client, run.workflowId, {
    until: order.until ?? (plan.target === 'ccm' ? 'settled' : 'rolledBack'),
    deadlineMs: Date.now() + DEADLINE_MS,
    extra: async (seen) => {
      await order.onView?.(seen);
      turnedBy = policyReason(seen) ?? turnedBy;
      return rowsBeside(environment, before);
    },
  });
  const after = await source.truth();
  const journal = await source.journal(requestsBefore);
  return {
    ...{ name: order.name, target: plan.target },
    exitStatus,
    outcome: view.outcome,
    durationSeconds: ((view.closedAtMs ?? Date.now()) - view.startedAtMs) / 1000,
    historyEvents: view.historyEvents,
    requests: countRequests(journal, source.journalsNodes),
    mutations: journal.filter((entry) => entry.mutating).length,
    truth: truthBetween(before, after),
    sources: await source.sources(),
    turnedBy,
    writes: await plannedWrites(plan, run, evidenceDir),
  };
}

/** Null while a person's request stands. */
function policyReason({ status }: RunView): string | null {
  const { actor = '', reason = '' } = status?.requestedBy ?? {};
  return actor === 'policy onBreach' ? reason : null;
}

async function requestOf(
  { fleet, signer }: DemoEnvironment,
  order: DirectionRequest,
): Promise<RunRequest> {
  const { plan, name: run, policy = fleet.policy } = order;
  const { materials, timings } = fleet;
  const { name, uid, region } = plan.cluster;
  const request = {
    ...{ cluster: { name, uid }, region, fleet: fleet.name, wave: '' },
    ...{ target: plan.target, planDigest: plan.digest, policy, materials, timings },
    ...{ actor: 'demo', reason: `demo, ${run}`, ticket: '' },
  };
  return { ...request, authority: await signedStart(signer, request) };
}

function countRequests(
  journal: readonly JournaledRequest[],
  journalsNodes: boolean,
): RequestCounts {
  const toApi = journal.filter(({ path }) => /^\/(api|apis|version)(\/|$|\?)/.test(path));
  const guard = toApi.filter(({ userAgent }) => userAgent === USER_AGENTS.guard).length;
  const nodes = journalsNodes ? journal.length - toApi.length : null;
  return { steps: toApi.length - guard, guard, nodes };
}

async function rowsBeside({ cluster, notes }: DemoEnvironment, before: Truth): Promise<TreeRows> {
  const newest = notes.slice(-1).map((note) => ['Note', note] as const);
  return [...truthRows(before, await cluster.source.truth()), ...newest];
}

type TreeRows = readonly (readonly [string, string])[];

/** What happened to each loop after `before`. */
export function truthBetween(before: Truth, after: Truth): DirectionRun['truth'] {
  return ofEachOwned((name) => {
    const [then, now] = [before.controllers[name], after.controllers[name]];
    return {
      overlapSeconds: now.overlapSeconds - then.overlapSeconds,
      orphanSeconds: now.orphanSeconds - then.orphanSeconds,
      moves: now.moves - then.moves,
      orphans: now.orphans
        .filter((orphan) => (orphan.toMs ?? after.nowMs) > before.nowMs)
        .map(({ fromMs, seconds }) => ({ fromMs, seconds })),
      owners: now.intervals.at(-1)?.owners ?? [],
    };
  });
}

/** The ground truth beside the product's report, while the run is open. */
function truthRows(before: Truth, now: Truth): TreeRows {
  const truth = truthBetween(before, now);
  const rows = OWNED.map((name) => {
    const { owners, orphanSeconds, overlapSeconds, moves } = truth[name];
    const who = owners.length === 0 ? 'no one' : owners.join(' and ');
    const figures = `no owner ${orphanSeconds.toFixed(1)} s · two owners ${overlapSeconds.toFixed(1)} s · ${moves} moves`;
    return [name, `${who} · ${figures}`] as const;
  });
  const texts = new Set(rows.map(([, text]) => text));
  // Usually all three loops move together: then one row covers them.
  return texts.size === 1 ? [['Really', [...texts].join()]] : rows;
}
