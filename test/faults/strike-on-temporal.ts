import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { askStatus } from '../../cli/runs/run-view.js';
import { openEnvironment, type CrashEnvironment } from '../crash/crash-environment.js';
import { driveDirection, type Companion, type DrivenDirection } from '../crash/drive-direction.js';
import { judgeDirection } from '../crash/judge-direction.js';
import { commandSignal } from '../../workflows/messages.js';
import type { Run } from '../support/run-parts.js';
import type { ApiFault } from './matrix.js';
import { struckIndexes, type Turn } from './struck-indexes.js';

/** Result of one cluster migrated forward and back. */
export interface StruckOnTemporal {
  readonly struck: number;
  readonly requests: number;
  readonly holds: number;
  /** Everything that is not as it must be, as text. */
  readonly complaints: readonly string[];
}

/** Real time: how long until a hanging request is given up. */
const REQUEST_MS = 1000;
const POLL_MS = 500;

/** One cluster of three nodes, forward and back, with worker, simulator and Temporal server as separate processes. */
export async function strikeOnTemporal(fault: ApiFault, turn: Turn): Promise<StruckOnTemporal> {
  const name = `${fault}-${String(turn.run)}`;
  const timings = { requestMs: REQUEST_MS };
  const environment = await openEnvironment({ name, seed: turn.run, nodes: 3, timings });
  const sum = { struck: 0, requests: 0, holds: 0 };
  const complaints: string[] = [];
  try {
    for (const direction of ['forward', 'back'] as const) {
      const { driven, holds } = await planned(environment, direction, { fault, turn });
      sum.struck += driven.journal.filter((entry) => entry.fault === fault).length;
      sum.requests += driven.journal.length;
      sum.holds += holds;
      complaints.push(...(await judgeDirection(environment, driven, null)));
    }
  } catch (error) {
    complaints.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await environment.close();
  }
  return { ...sum, complaints };
}

const MOST_PLANS = 5;

/**
 * One direction. If both observations that a plan rests on get stale answers, the run is refused before it changes anything, and the
 * operator plans again; other requests are struck then.
 */
async function planned(
  environment: CrashEnvironment,
  direction: 'forward' | 'back',
  { fault, turn }: { readonly fault: ApiFault; readonly turn: Turn },
): Promise<{ readonly driven: DrivenDirection; readonly holds: number }> {
  for (let plans = 1; ; plans += 1) {
    const shifted = { ...turn, run: (turn.run + plans - 1) % turn.runs };
    const striker = new Striker(environment, fault, shifted);
    const driven = await driveDirection(environment, direction, () => striker);
    const isStale = driven.outcome?.failureType === 'StalePlan';
    if (!isStale || plans === MOST_PLANS) return { driven, holds: striker.holds };
  }
}

/** Arms the faults before a direction, and acts as the operator who answers each hold with `retry`. */
class Striker implements Companion {
  readonly struck = [];
  holds = 0;
  private run: Run | null = null;
  private readonly environment: CrashEnvironment;
  private readonly fault: ApiFault;
  private readonly turn: Turn;

  constructor(environment: CrashEnvironment, fault: ApiFault, turn: Turn) {
    this.environment = environment;
    this.fault = fault;
    this.turn = turn;
  }

  set(): Promise<void> {
    return this.environment.proxy.strike(struckIndexes(this.turn), this.fault);
  }

  follow(run: Run): void {
    this.run = run;
  }

  async until(ended: Promise<unknown>): Promise<void> {
    const isOver = ended.then(() => true as const);
    const pause = (): Promise<false> => sleep(POLL_MS, false as const);
    while (!(await Promise.race([isOver, pause()]))) await this.answerHold();
  }

  private async answerHold(): Promise<void> {
    if (this.run === null) return;
    const { workflowId, runId } = this.run;
    const asked = await askStatus(this.environment.client, workflowId, runId);
    if (asked.kind !== 'answered' || asked.value.inFlight !== 'held') return;
    this.holds += 1;
    await this.environment.client.workflow.getHandle(workflowId, runId).signal(commandSignal, {
      ...{ commandId: randomUUID(), verb: 'retry', arguments: {}, ticket: '' },
      ...{ actor: 'ben', reason: 'the fault was transient' },
    });
  }
}
