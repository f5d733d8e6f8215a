import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runFile } from '../../../../activities/evidence/run-file.js';
import { truthBetween, type DirectionRun } from '../../../../testbed/demo/direction-run.js';
import { sendCommand } from '../../../../cli/runs/send-command.js';
import { startRun } from '../../../../cli/runs/start-run.js';
import { viewRun, type RunView } from '../../../../cli/runs/run-view.js';
import type { EvidenceRecord } from '../../../../domain/evidence/record.js';
import type { Finding } from '../../../../domain/findings/finding.js';
import type { MigrationPolicy } from '../../../../domain/policy.js';
import type { Target } from '../../../../domain/vocabulary.js';
import type {
  ClusterOutcome,
  ClusterStatus,
  OperatorCommand,
} from '../../../../workflows/messages.js';
import { evidenceOf, requestFor, type Run } from '../../../support/run-parts.js';
import { msUntilCutOff } from '../wanted.js';
import type { LabRuns } from './lab-runs.js';
import { momentOf, placeIn, type MomentName, type Place } from './moments.js';

/** The hold reason, as people read it. */
export interface Hold {
  readonly holdReason: ClusterStatus['holdReason'];
  readonly findings: readonly Finding[];
}

/** The command that an operator types when a run holds. */
export type Word = Pick<OperatorCommand, 'verb' | 'arguments'>;
export const RETRY: Word = { verb: 'retry', arguments: {} };

export interface Strike {
  readonly moment: MomentName;
  readonly strike: (place: Place) => Promise<void>;
}

export interface DirectionRequest {
  readonly target: Target;
  readonly reason: string;
  /** One after the other; each moment is searched for from the beginning of the run. */
  readonly strikes: readonly Strike[];
  /** Remedies the hold reason, and returns the command to type then. Without it no operator acts. */
  readonly answer?: (hold: Hold) => Promise<Word>;
  /** Called with each observation; the next one waits for it. */
  readonly seen?: (status: ClusterStatus) => void | Promise<void>;
  /** Instead of the fleet's. */
  readonly policy?: MigrationPolicy;
}

/** One direction on the lab, as the product reports it and as the lab measured it. */
export interface LabDirection {
  readonly target: Target;
  readonly outcome: ClusterOutcome | null;
  readonly holds: readonly Hold[];
  readonly truth: DirectionRun['truth'];
  /** Contradictions between the sources of the truth, in this direction. */
  readonly contradictions: readonly string[];
  readonly records: readonly EvidenceRecord[];
  readonly seconds: number;
}

const POLL_MS = 500;
const EVIDENCE_MS = 25;
const DIRECTION_MS = 10 * 60_000;
/** An operator who has to repeat a command this often has not remedied anything. */
const MOST_WORDS = 4;

/** Drives one direction to its end, applies its faults, and acts as the operator when it holds. */
export async function driveLabDirection(
  environment: LabRuns,
  order: DirectionRequest,
): Promise<LabDirection> {
  const { target, reason, strikes, policy } = order;
  const startedAtMs = Date.now();
  const before = await environment.truth();
  const { client, fleet } = environment.parts;
  const parts =
    policy === undefined
      ? environment.parts
      : { ...environment.parts, fleet: { ...fleet, policy } };
  await environment.grant(parts.fleet.policy);
  const request = await requestFor(parts, { target, actor: 'lab suite', reason });
  const run = await startRun(client, request);
  const deadline = AbortSignal.timeout(Math.min(DIRECTION_MS, msUntilCutOff()));
  for (const { moment, strike } of strikes) {
    await strike(await untilMoment({ environment, run, deadline }, moment, target));
  }
  const { outcome, holds } = await follow({ environment, run, deadline }, order);
  const after = await environment.truth();
  return {
    ...{ target, outcome, holds },
    truth: truthBetween(before, after),
    contradictions: after.contradictions.filter((one) => !before.contradictions.includes(one)),
    records: await evidenceOf(environment.parts, run),
    seconds: (Date.now() - startedAtMs) / 1000,
  };
}

interface Following {
  readonly environment: LabRuns;
  readonly run: Run;
  readonly deadline: AbortSignal;
}

/** Until the run reaches a moment. @throws Error with its full status when it ends or stops before. */
async function untilMoment(
  { environment, run, deadline }: Following,
  name: MomentName,
  target: Target,
): Promise<Place> {
  const moment = momentOf(name, target);
  const file = runFile(environment.parts.evidenceDir, run);
  let known = 0;
  for (let observations = 0; ; observations += 1) {
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    // Each read verifies the whole chain, so it is re-read only when it has grown.
    const place =
      bytes === known ? null : placeIn(await evidenceOf(environment.parts, run), moment);
    if (place !== null) return place;
    known = bytes;
    const view = observations % 100 === 99 ? await snapshot(environment, run) : null;
    if (deadline.aborted || (view !== null && goesNoFurther(view))) {
      throw new Error(`the run never came by ${name}: ${await words(environment, run)}`);
    }
    await sleep(EVIDENCE_MS);
  }
}

function goesNoFurther({ execution, status }: RunView): boolean {
  return execution !== 'running' || (status !== null && holdOf(status) !== null);
}

async function follow(
  { environment, run, deadline }: Following,
  { answer, seen }: DirectionRequest,
): Promise<{ readonly outcome: ClusterOutcome | null; readonly holds: readonly Hold[] }> {
  const holds: Hold[] = [];
  for (;;) {
    const { execution, outcome, status } = await snapshot(environment, run);
    if (execution !== 'running') return { outcome, holds };
    if (status !== null) await seen?.(status);
    const hold = status === null ? null : holdOf(status);
    if (hold !== null) await takeHold({ environment, run, deadline }, holds, hold, answer);
    if (deadline.aborted) throw new Error(`the run does not end: ${await words(environment, run)}`);
    await sleep(POLL_MS);
  }
}

async function takeHold(
  { environment, run }: Following,
  holds: Hold[],
  hold: Hold,
  answer: DirectionRequest['answer'],
): Promise<void> {
  if (answer === undefined) {
    note(holds, hold);
    return;
  }
  holds.push(hold);
  if (holds.length > MOST_WORDS) throw new Error(`it holds again and again: ${told(holds)}`);
  await say(environment, run, await answer(hold));
}

/** An unanswered hold is observed again and again while it lasts. */
function note(holds: Hold[], hold: Hold): void {
  const last = holds.at(-1);
  if (last === undefined || told([last]) !== told([hold])) holds.push(hold);
}

function holdOf({ inFlight, holdReason, findings }: ClusterStatus): Hold | null {
  return inFlight === 'held' && holdReason !== 'none' ? { holdReason, findings } : null;
}

/** A run that has continued by itself refuses the command: it is no longer held. */
async function say(
  { parts }: LabRuns,
  { workflowId }: Pick<Run, 'workflowId'>,
  word: Word,
): Promise<void> {
  const who = { actor: 'lab suite', reason: 'it is remedied', ticket: '' };
  const wait = { deadlineMs: Date.now() + 60_000, signal: new AbortController().signal };
  await sendCommand(parts.client, workflowId, { ...word, ...who }, wait).catch((error: unknown) => {
    const isOver = error instanceof Error && error.name === 'WorkflowNotFoundError';
    if (!isOver) throw error;
  });
}

function snapshot({ parts }: LabRuns, { workflowId, runId }: Run): Promise<RunView> {
  return viewRun(parts.client, workflowId, runId);
}

async function words(environment: LabRuns, run: Run): Promise<string> {
  return JSON.stringify(await snapshot(environment, run));
}

/** For people: the reason of each hold. */
export function told(holds: readonly Hold[]): string {
  return holds
    .map(({ holdReason, findings }) => {
      const each = findings.map(({ code, subject, seen }) => `${code} ${subject}: ${seen}`);
      return `${holdReason} (${each.join('; ')})`;
    })
    .join(', then ');
}
