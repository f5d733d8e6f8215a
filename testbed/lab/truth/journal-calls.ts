import type { CloudCall, Truth } from '../../base/truth/truth.js';
import { unexplainedCalls } from '../../base/truth/journal-check.js';
import type { CloudJournalLine } from '../cloud/cloud-call.js';
import { MANAGER_OF_PROGRAM } from '../process-monitor/watched-process.js';
import { timeText } from './holders.js';
import type { OwnedController } from '../../base/truth/truth.js';
import type { ProcessLife } from './process-lives.js';

/**
 * Calls that only one controller makes. Source: kubernetes/cloud-provider controllers/{service,route,nodelifecycle}.
 * The others (InstanceExists, InstanceMetadata) are also made by cloud-node, under another lock.
 */
const CONTROLLER_OF: Readonly<Record<string, OwnedController>> = {
  GetLoadBalancer: 'service',
  EnsureLoadBalancer: 'service',
  UpdateLoadBalancer: 'service',
  EnsureLoadBalancerDeleted: 'service',
  ListRoutes: 'route',
  CreateRoute: 'route',
  DeleteRoute: 'route',
  InstanceShutdown: 'cloud-node-lifecycle',
};

/** Starts are computed from ticks and the uptime: see holders.ts. */
const START_SLACK_MS = 100;

/** Cloud calls that locks and processes do not explain: by that evidence the caller did not run the controller. */
export function unexplainedByTruth(
  truth: Truth,
  journal: readonly CloudJournalLine[],
  lives: readonly ProcessLife[],
): readonly string[] {
  const calls = journal.flatMap((entry) => callsOfOwners(entry, lives));
  const unexplained = unexplainedCalls(truth, calls).map(
    ({ op, atMs, manager, node, pid }) =>
      `the cloud was called for ${op} at ${timeText(atMs)} by ${manager} of ${node} (process ${pid}), which did not run that controller according to locks and processes`,
  );
  // One process makes many calls; the first one is enough evidence.
  return [...new Set(unexplained)].slice(0, MOST_TOLD);
}

const MOST_TOLD = 5;

function callsOfOwners(
  entry: CloudJournalLine,
  lives: readonly ProcessLife[],
): readonly CloudCall[] {
  const manager = MANAGER_OF_PROGRAM[entry.component];
  const controller = CONTROLLER_OF[entry.op];
  if (manager === undefined || controller === undefined) return [];
  const { op, cluster, node, sentMs: atMs, startMs, endMs, args, process, version } = entry;
  const call = { op, cluster, node, manager, controller, atMs, version };
  const callers = lives.filter(
    (life) => life.manager === manager && life.node === node && livedAt(life, atMs),
  );
  const details = {
    durationMs: endMs - startMs,
    args: JSON.stringify(args),
    identity: process,
  };
  // The process monitor saw no such process: no owner has pid 0, so the call counts as unexplained.
  const [first = { pid: 0 }, ...others] = callers;
  return [first, ...others].map(({ pid }) => ({ ...call, ...details, pid })).slice(0, 1);
}

function livedAt({ startedAtMs, endedMs }: ProcessLife, atMs: number): boolean {
  return startedAtMs - START_SLACK_MS <= atMs && (endedMs === null || atMs <= endedMs);
}
