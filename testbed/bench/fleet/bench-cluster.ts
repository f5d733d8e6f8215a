import { failure } from '../../../activities/failures.js';
import type { FailureType } from '../../../domain/failures.js';
import type { RowBehaviour } from '../../../domain/fleet/simulated-member.js';
import { writeLine, type JournalLine } from './bench-journal.js';
import type { DrawnFleet } from './drawn-fleet.js';

/** A cluster of the model: which run may change it, and how far it is. */
export interface BenchCluster {
  readonly name: string;
  readonly behaviour: RowBehaviour;
  /** Steps of the forward direction that are in force. */
  done: number;
  readonly fence: { run: string; nonce: string; epoch: number; guardedEpoch: number };
}

export interface BenchClusters {
  readonly find: (named: { readonly name: string }) => BenchCluster;
  /** Writes into the journal what happens to a cluster, and remembers it. */
  readonly note: (cluster: BenchCluster, what: Happening) => void;
}

/** A line of the journal without who and when. */
export type Happening = JournalLine extends infer Line
  ? Line extends JournalLine
    ? Omit<Line, 'atMs' | 'cluster'>
    : never
  : never;

/** The clusters of a fleet as the journal says that they are: a worker that was killed has lost nothing. */
export function openClusters(
  { plan, behaviours }: DrawnFleet,
  before: readonly JournalLine[],
  { file, nowMs }: { readonly file: string; readonly nowMs: () => number },
): BenchClusters {
  const clusters = new Map(
    plan.rows.flatMap(({ name }, index) =>
      behaviours.slice(index, index + 1).map((behaviour) => [name, fresh(name, behaviour)]),
    ),
  );
  const find: BenchClusters['find'] = ({ name }) => {
    const found = clusters.get(name);
    if (found === undefined) throw failure('InvalidInput', `the fleet has no cluster ${name}`);
    return found;
  };
  for (const line of before) remember(find({ name: line.cluster }), line);
  return {
    find,
    note: (cluster, what) => {
      writeLine(file, { atMs: nowMs(), cluster: cluster.name, ...what });
      remember(cluster, what);
    },
  };
}

function fresh(name: string, behaviour: RowBehaviour): BenchCluster {
  return { name, behaviour, done: 0, fence: { run: '', nonce: '', epoch: 0, guardedEpoch: 0 } };
}

function remember(cluster: BenchCluster, what: Happening): void {
  switch (what.kind) {
    case 'fence':
      Object.assign(cluster.fence, { run: what.run, nonce: what.nonce, epoch: what.epoch });
      return;
    case 'changed':
      cluster.done = what.done;
      return;
    case 'closed':
      cluster.fence.run = '';
      return;
    case 'step':
    case 'failed':
    case 'soak':
    case 'soaked':
      return;
  }
}

interface Claim {
  readonly runId: string;
  readonly epoch: number;
}

/** Whether its guard may still renew the fence for this run in this epoch. */
export function holdsFence({ fence }: BenchCluster, { runId, epoch }: Claim): boolean {
  return fence.run === runId && fence.epoch === epoch;
}

export function isGuardedFor(cluster: BenchCluster, claim: Claim): boolean {
  return holdsFence(cluster, claim) && cluster.fence.guardedEpoch === claim.epoch;
}

/** What the real fence refuses, this one refuses too: another run, an older epoch, no guard. */
export function requireBenchFence(cluster: BenchCluster, claim: Claim): void {
  if (!holdsFence(cluster, claim)) throw unwritten('FenceLost', 'another run or epoch has it');
  if (!isGuardedFor(cluster, claim)) throw unwritten('Unguarded', 'the guard has not renewed it');
}

function unwritten(type: FailureType, message: string): Error {
  return failure(type, message, { details: { wrote: false } });
}
