import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { ClusterActivities } from '../../../activities/contract.js';
import { createFileEvidenceStore } from '../../../activities/evidence/file-evidence-store.js';
import {
  breachLines,
  readFence,
  type FenceRecord,
} from '../../../activities/fence/fence-record.js';
import type { LeaseObject } from '../../../activities/lease-reading.js';
import type { EvidenceIntent } from '../../../domain/evidence/record.js';
import type { RunSettings } from '../../../config/fleet.js';
import type { InventoryCluster } from '../../../config/loaded-inventories.js';
import { commandSignal, type ClusterStatus } from '../../../workflows/messages.js';
import type { SimulatorControl } from '../../demo/simulator-control.js';
import type { ProductSetup } from '../simulated/product-setup.js';
import { startBenchRun, statusOf, type BenchRun } from './bench-run.js';
import {
  brakeAccount,
  CURES,
  type BrakeAccount,
  type BrakeFacts,
  type RunPhase,
} from './brake-account.js';
import type { DrawnRun, Situation } from './brake-draws.js';
import { CODES, raiseSignal, type RaisedSignal } from './brake-signals.js';

/** One cluster for one run. */
export interface BrakeStage {
  readonly setup: ProductSetup;
  readonly settings: RunSettings;
  readonly cluster: InventoryCluster;
  readonly control: SimulatorControl;
}

/** The same once its cluster was planned. */
interface PlannedStage extends BrakeStage {
  readonly clusterUid: string;
}

/** A run in which nothing became bad says why, and counts nowhere else. */
export type BrakeOutcome =
  | { readonly kind: 'measured'; readonly account: BrakeAccount }
  | { readonly kind: 'missed'; readonly why: string };

/** Migrates a cluster, makes it bad at the drawn moment, and follows the run until it stands still. */
export async function brakeRun(stage: BrakeStage, drawn: DrawnRun): Promise<BrakeOutcome> {
  const { setup, settings, cluster } = stage;
  const signal = AbortSignal.timeout(START_WITHIN_MS);
  const { run, handle, clusterUid } = await startBenchRun(setup.client, settings, cluster, signal);
  try {
    return await broken({ ...stage, clusterUid }, drawn, { handle, run });
  } finally {
    await handle.terminate('the benchmark is done with it').catch(() => undefined);
  }
}

const START_WITHIN_MS = 60_000;

async function broken(
  stage: PlannedStage,
  drawn: DrawnRun,
  { handle, run }: Omit<BenchRun, 'clusterUid'>,
): Promise<BrakeOutcome> {
  const { control, setup } = stage;
  if (!(await begun(control, handle, drawn))) return { kind: 'missed', why: 'never began' };
  await sleep(drawn.afterMs);
  const before = await statusOf(handle);
  const aheadMs = (await control.truth()).nowMs - Date.now();
  const raised = await raiseSignal(control, drawn.situation, stage.clusterUid);
  if (raised === null) return { kind: 'missed', why: 'the cluster never became bad' };
  const status = comesAtOnce(drawn) ? before : await statusOf(handle);
  const { isClosed, isStopped, end, ...moments } = await followed(stage, drawn, handle, raised);
  if (hasPassed(raised, moments)) return { kind: 'missed', why: 'the sign passed at once' };
  const account = brakeAccount({
    ...{ situation: drawn.situation, phase: phaseOf(status), step: status?.step?.name ?? '' },
    ...{ end, isStopped: isStopped || isClosed, signalAtMs: raised.atMs, ...moments, aheadMs },
    ...{ intents: await intentsOf(setup, run), stepBegins: await stepBegins(handle) },
    journal: await control.journal(0),
  });
  return { kind: 'measured', account };
}

/** Follows run and fence together, and gives the approval that a held run waits for. */
async function followed(
  { control }: BrakeStage,
  drawn: DrawnRun,
  handle: WorkflowHandle,
  raised: RaisedSignal,
): Promise<WatchedSign & Pick<BrakeAccount, 'isStopped' | 'end'>> {
  const following = new AbortController();
  const [stood, sign] = await Promise.all([
    standsStill(handle, drawn).finally(() => {
      following.abort();
    }),
    watchedSign(control, raised, CODES[drawn.situation], following.signal),
    approve(handle, drawn),
  ]);
  return { ...stood, ...sign };
}

/** The harm ended before any observer of the product had to notice it. */
function hasPassed(
  { atMs }: RaisedSignal,
  { seenClosedAtMs, overAtMs }: Pick<WatchedSign, 'seenClosedAtMs' | 'overAtMs'>,
): boolean {
  return seenClosedAtMs === null && overAtMs !== null && overAtMs - atMs < PASSING_MS;
}

async function intentsOf(
  { evidenceDir }: ProductSetup,
  run: BenchRun['run'],
): Promise<readonly EvidenceIntent[]> {
  const records = await createFileEvidenceStore(evidenceDir).read(run);
  return records.flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent] : []));
}

const EXECUTE_STEP = 'executeStep' satisfies keyof ClusterActivities;

/** When each execution of a step was scheduled, by the run's history; epoch ms. */
async function stepBegins(handle: WorkflowHandle): Promise<readonly number[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? [])
    .filter(
      ({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled?.activityType?.name === EXECUTE_STEP,
    )
    .map(({ eventTime }) => Number(eventTime?.seconds) * 1000 + (eventTime?.nanos ?? 0) / 1e6);
}

/** Other signals come seconds after their order, and the run goes on meanwhile. */
function comesAtOnce({ situation }: DrawnRun): boolean {
  return situation === 'pausedOwner' || situation === 'pausedInHold';
}

const BEGIN_WITHIN_MS = 120_000;
const POLL_MS = 250;

/** Waits until changes may happen, or in a hold until the run waits. */
async function begun(
  control: SimulatorControl,
  handle: WorkflowHandle,
  { situation }: DrawnRun,
): Promise<boolean> {
  const deadlineMs = Date.now() + BEGIN_WITHIN_MS;
  while (Date.now() < deadlineMs) {
    if (situation === 'pausedInHold') {
      const status = await statusOf(handle);
      if (status?.holdReason === 'approval') return true;
    } else if (mayChange(await fenceOf(control))) return true;
    await sleep(POLL_MS);
  }
  return false;
}

function mayChange(fence: FenceRecord | null): boolean {
  return fence !== null && fence.runId !== '' && fence.guardedEpoch === fence.epoch;
}

const FENCE_PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ccm-migrate';

/** Null before a run has taken it. */
async function fenceOf(control: SimulatorControl): Promise<FenceRecord | null> {
  const answer = await control.ask(FENCE_PATH).catch(() => null);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the simulator's API server answers with the Lease
  return answer === null ? null : readFence(answer as LeaseObject);
}

/** A run between two steps may take the next one. */
function phaseOf(status: ClusterStatus | null): RunPhase {
  switch (status?.inFlight) {
    case 'soaking':
    case 'ended':
      return 'soaking';
    case 'held':
      return 'waiting';
    case undefined:
    case 'idle':
    case 'checking':
    case 'takingFence':
    case 'observing':
    case 'stepping':
      return 'changing';
  }
}

async function approve(handle: WorkflowHandle, drawn: DrawnRun): Promise<void> {
  if (drawn.situation !== 'pausedInHold') return;
  await sleep(drawn.approveAfterMs);
  const from = { actor: 'reviewer', reason: 'benchmark', ticket: '' };
  await handle.signal(commandSignal, {
    ...{ ...from, commandId: randomUUID(), verb: 'approve', arguments: {} },
  });
}

const FENCE_EVERY_MS = 100;

const PASSING_MS = 2_000;

/** Moments on the simulator's clock; null for what has not happened. */
interface WatchedSign extends Pick<BrakeFacts, 'seenClosedAtMs' | 'overAtMs'> {
  /** Whether the fence still says it at the end. */
  readonly isClosed: boolean;
}

/** When the fence was first seen with the finding, and when the harm was first seen to be over. */
async function watchedSign(
  control: SimulatorControl,
  { lasts }: RaisedSignal,
  codes: readonly string[],
  signal: AbortSignal,
): Promise<WatchedSign> {
  let [seenClosedAtMs, overAtMs]: (number | null)[] = [null, null];
  let isClosed = false;
  const now = async (): Promise<number> => (await control.truth()).nowMs;
  while (!signal.aborted) {
    if (overAtMs === null && !(await lasts())) overAtMs = await now();
    const noted = breachLines((await fenceOf(control))?.breach ?? '');
    isClosed = noted.some(({ code }) => codes.includes(code));
    if (isClosed) seenClosedAtMs ??= await now();
    await sleep(FENCE_EVERY_MS);
  }
  return { isClosed, seenClosedAtMs: seenClosedAtMs ?? null, overAtMs: overAtMs ?? null };
}

/** A run that is not stopped writes again within this time: its longest step without a write takes half of it. */
const FOLLOW_MS = 45_000;
const STILL_MS = 6_000;

/** Whether the run is held, or has ended, because of it. Follows it for some seconds more, and one that is not held to the end. */
async function standsStill(
  handle: WorkflowHandle,
  { situation }: DrawnRun,
): Promise<Pick<BrakeAccount, 'isStopped' | 'end'>> {
  const deadlineMs = Date.now() + FOLLOW_MS;
  let stillSinceMs: number | null = null;
  let end = '';
  while (Date.now() < deadlineMs) {
    await sleep(1_000);
    const status = await statusOf(handle);
    end = endText(status);
    const isStill = isHeldBy(status, situation);
    stillSinceMs = isStill ? (stillSinceMs ?? Date.now()) : null;
    if (stillSinceMs !== null && Date.now() - stillSinceMs >= STILL_MS) {
      return { isStopped: true, end };
    }
  }
  return { isStopped: false, end };
}

function endText(status: ClusterStatus | null): string {
  if (status === null) return 'no answer';
  const { inFlight, holdReason, findings, nextStep } = status;
  const told = findings.map(({ code, seen }) => `${code} ${seen}`).join('; ');
  return `${inFlight}, ${holdReason} ${told}, next ${nextStep?.name ?? 'nothing'}`;
}

/** A run that waited before has to say why it waits now; any other one was held by it, whatever it names first. */
function isHeldBy(status: ClusterStatus | null, situation: Situation): boolean {
  // A repair goes on until the harm is over.
  if (CURES[situation].includes(status?.step?.name ?? '')) return true;
  if (status?.inFlight !== 'held') return false;
  const { findings, gates } = status;
  const codes = [...findings, ...gates].map(({ code }) => code);
  return situation !== 'pausedInHold' || codes.some((code) => CODES[situation].includes(code));
}
