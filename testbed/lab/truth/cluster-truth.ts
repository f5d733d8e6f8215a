import { ofEachOwned, type ControllerTruth, type JoinedTruth } from '../../base/truth/truth.js';
import { OwnershipLog } from '../../base/truth/ownership-log.js';
import type { CloudJournalLine } from '../cloud/cloud-call.js';
import type { MonitorLine } from '../process-monitor/monitor-line.js';
import type { LeaseWrite } from './audit-entry.js';
import { matchHolders, timeText, type Host, type LivingProcess } from './holders.js';
import { unexplainedByTruth } from './journal-calls.js';
import { lockHoldingPeriods } from './holding-periods.js';
import { loopsOfProcess } from './loops-of-process.js';
import { checkMetrics } from './metrics-check.js';
import { kcmLeaderSpans, ownerSpans, type OwnerSpan, type RunningSpan } from './owner-spans.js';
import { processLives, type ProcessLife } from './process-lives.js';

/** All evidence about one cluster from sources that are independent of the product. */
export interface Evidence {
  readonly cluster: string;
  readonly leaseWrites: readonly LeaseWrite[];
  readonly monitor: readonly MonitorLine[];
  readonly journal: readonly CloudJournalLine[];
  /** By address: every machine that the cluster ever had. */
  readonly hosts: ReadonlyMap<string, Host>;
}

/** What really happened, in the shape of the simulator's truth, and the contradictions between the sources. */
export interface ClusterTruth extends JoinedTruth {
  /** Who led the kube-controller-managers: without a leader, their other loops stood still in the whole cluster. */
  readonly kcmLeadership: ControllerTruth;
}

/** An end known less precisely than this is a gap in the evidence. The process monitor samples every 50 ms. */
const EXACT_MS = 1_000;

/**
 * Derives owners from two sources and checks them against two more. The audit log shows which identity took which
 * Lease and when; the process monitor shows which process that was, its arguments and its end. The processes' own
 * metrics and their cloud calls must agree. Contradictions are reported, and nothing is averaged.
 */
export function clusterTruth(evidence: Evidence): ClusterTruth {
  const { cluster, hosts } = evidence;
  const { lives, knownUntilMs: nowMs } = processLives(evidence.monitor, cluster);
  const { processes, unreadable } = readProcesses(lives);
  const leases = new Set(processes.flatMap(({ loops }) => [loops.mainLease, loops.migrationLease]));
  const known = evidence.leaseWrites.filter(
    ({ lease, toMs }) => leases.has(lease) && toMs <= nowMs,
  );
  const { holders, contradictions } = matchHolders(lockHoldingPeriods(known), processes, hosts);
  const spans = ownerSpans(processes, holders);
  const journal = evidence.journal.filter(
    (entry) => entry.cluster === cluster && entry.sentMs <= nowMs,
  );
  const truth = {
    nowMs,
    controllers: controllersOf(spans, nowMs),
    cloudCalls: journal.length,
  };
  const metrics = checkMetrics(processes, spans, nowMs);
  return {
    ...truth,
    kcmLeadership: accountOf(kcmLeaderSpans(processes, holders), nowMs),
    contradictions: [
      ...unreadable,
      ...inexactDeaths(lives),
      ...contradictions,
      ...metrics.contradictions,
      ...unexplainedByTruth(truth, journal, lives),
    ],
    sources: {
      leaseWrites: known.length,
      processes: lives.length,
      metricSamples: lives.reduce((sum, life) => sum + life.metrics.length, 0),
      cloudCalls: journal.length,
      confirmed: metrics.confirmed,
      unconfirmed: metrics.unconfirmed,
    },
  };
}

function readProcesses(lives: readonly ProcessLife[]): {
  readonly processes: readonly LivingProcess[];
  readonly unreadable: readonly string[];
} {
  const processes: LivingProcess[] = [];
  const unreadable: string[] = [];
  for (const life of lives) {
    const answer = loopsOfProcess(life);
    if (answer.ok) processes.push({ life, loops: answer.loops });
    else unreadable.push(`process ${life.pid} (${life.manager} of ${life.node}): ${answer.why}`);
  }
  return { processes, unreadable };
}

function inexactDeaths(lives: readonly ProcessLife[]): readonly string[] {
  return lives.flatMap(({ endedMs, lastSeenMs, manager, node, pid }) =>
    endedMs === null || endedMs - lastSeenMs <= EXACT_MS
      ? []
      : [
          `process ${pid} (${manager} of ${node}) ended between ${timeText(lastSeenMs)} and ${timeText(endedMs)}: it was not observed in between`,
        ],
  );
}

function controllersOf(spans: readonly OwnerSpan[], nowMs: number): JoinedTruth['controllers'] {
  return ofEachOwned((controller) => {
    const own = spans.filter((span) => span.controller === controller);
    return accountOf(own, nowMs);
  });
}

function accountOf(spans: readonly RunningSpan[], nowMs: number): ControllerTruth {
  const log = new OwnershipLog();
  const turns = spans.flatMap(turnsOf);
  // At equal times ends precede starts: an owner that ends when another starts does not overlap with it.
  turns.sort((one, other) => one.atMs - other.atMs || (one.turn === 'end' ? -1 : 1));
  for (const { owner, turn, atMs } of turns) log[turn](owner, atMs);
  return log.truth(nowMs);
}

interface Turn {
  readonly owner: string;
  readonly turn: 'begin' | 'end';
  readonly atMs: number;
}

/** A stopped process runs nothing, and continues in its former role when it wakes. */
function turnsOf({ owner, fromMs, toMs, life }: RunningSpan): readonly Turn[] {
  const pauses = life.pauses.filter((pause) => (pause.toMs ?? fromMs) >= fromMs);
  const ends = [...pauses.map((pause) => Math.max(pause.fromMs, fromMs)), toMs];
  const begins = [fromMs, ...pauses.map((pause) => pause.toMs)];
  const turns = (atMs: readonly (number | null)[], turn: Turn['turn']): readonly Turn[] =>
    atMs.flatMap((at) => (at === null ? [] : [{ owner, turn, atMs: at }]));
  return [...turns(begins, 'begin'), ...turns(ends, 'end')];
}
