import { setTimeout as sleep } from 'node:timers/promises';
import type { Truth } from '../../testbed/base/truth/truth.js';
import { startRun } from '../../cli/runs/start-run.js';
import { viewRun } from '../../cli/runs/run-view.js';
import type { RunView } from '../../cli/runs/run-view.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import type { Target } from '../../domain/vocabulary.js';
import type { ClusterOutcome } from '../../workflows/messages.js';
import { evidenceOf, requestFor, type Run } from '../support/run-parts.js';
import type { CrashPoint, DirectionName } from './crash-point.js';
import type { CrashEnvironment } from './crash-environment.js';
import { CRASH_SETTINGS } from './settings.js';
import type { JournalEntry } from '../../testbed/simulator/control/request-journal.js';

export interface DrivenDirection {
  readonly direction: DirectionName;
  readonly target: Target;
  readonly workflowId: string;
  readonly runId: string;
  readonly outcome: ClusterOutcome | null;
  /** Where it was killed. */
  readonly struck: readonly CrashPoint[];
  readonly truth: { readonly before: Truth; readonly after: Truth };
  readonly journal: readonly JournalEntry[];
  readonly records: readonly EvidenceRecord[];
  readonly seconds: number;
}

const TARGETS = { forward: 'ccm', back: 'kcm', again: 'ccm' } as const;

const RUN_MS = 1_000;
/** A run in which nothing happens for so long waits for the operator, and will not end by itself. */
const STANDS_MS = 120_000;

/** Accompanies a direction and disrupts it. */
export interface Companion {
  /** Where it killed the worker. */
  readonly struck: readonly CrashPoint[];
  /** Before the run begins. */
  set(): Promise<void>;
  follow(run: Run): void;
  /** Until the run has ended; rejects with it. */
  until(ended: Promise<unknown>): Promise<void>;
}

/** Drives one direction to its end; `join` receives the position in the journal at which it begins. */
export async function driveDirection(
  environment: CrashEnvironment,
  direction: DirectionName,
  join: (since: number) => Companion,
): Promise<DrivenDirection> {
  const startedAtMs = Date.now();
  const { proxy } = environment;
  const before = await proxy.truth();
  const since = (await proxy.journal(0)).length;
  const companion = join(since);
  const order = { target: TARGETS[direction], actor: 'crash suite', reason: direction };
  const request = await requestFor(environment, order);
  await companion.set();
  const run = await startRun(environment.client, request);
  companion.follow(run);
  const ended = untilEnded(environment, run);
  await companion.until(ended);
  const { outcome } = await ended;
  await proxy.set([]);
  await proxy.release();
  return {
    ...{ direction, target: TARGETS[direction], ...run, outcome, struck: companion.struck },
    truth: { before, after: await proxy.truth() },
    journal: await proxy.journal(since),
    records: await evidenceOf(environment, run),
    seconds: (Date.now() - startedAtMs) / 1000,
  };
}

async function untilEnded(
  environment: CrashEnvironment,
  { workflowId, runId }: Run,
): Promise<RunView> {
  const startedAtMs = Date.now();
  const handle = environment.client.workflow.getHandle(workflowId, runId);
  let events = { count: 0, sinceMs: startedAtMs };
  for (;;) {
    // The server may be away for a while: it gets killed too.
    const seen = await handle.describe().catch(() => null);
    if (seen !== null && seen.status.name !== 'RUNNING') {
      return await viewRun(environment.client, workflowId, runId);
    }
    const count = seen?.historyLength ?? 0;
    if (count > events.count) events = { count, sinceMs: Date.now() };
    const stands = Date.now() - events.sinceMs > STANDS_MS;
    if (stands || Date.now() - startedAtMs > CRASH_SETTINGS.directionTimeoutMs) {
      const view = await viewRun(environment.client, workflowId, runId);
      throw new Error(`${environment.folder}: the run does not end: ${JSON.stringify(view)}`);
    }
    await sleep(RUN_MS);
  }
}
