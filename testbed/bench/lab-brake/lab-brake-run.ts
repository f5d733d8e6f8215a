import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { createFileEvidenceStore } from '../../../activities/evidence/file-evidence-store.js';
import {
  breachLines,
  readFence,
  type FenceRecord,
} from '../../../activities/fence/fence-record.js';
import type { LeaseObject } from '../../../activities/lease-reading.js';
import { loadFleets } from '../../../config/fleet.js';
import { commandSignal, type ClusterStatus } from '../../../workflows/messages.js';
import { MANAGERS } from '../../../domain/vocabulary.js';
import { letHappen } from '../../lab/faults.js';
import { awaitedTrue } from '../../lab/host/awaited.js';
import { startBenchRun, statusOf, type BenchRun } from '../brake/bench-run.js';
import { layBaseline } from '../on-lab/bench-baseline.js';
import {
  LEASES,
  nodeNames,
  requestsSince,
  type BenchEnvironment,
} from '../on-lab/bench-environment.js';
import type { Product } from '../on-lab/product.js';
import { firstLeader } from '../on-lab/schedule.js';
import { labBrakeAccount, type SeenSign, type Struck } from './lab-brake-account.js';
import type { LabBrakeRun } from './lab-brake-records.js';

/** A lab with the product beside it. */
export interface LabBrakeStage {
  readonly environment: BenchEnvironment;
  readonly product: Product;
  readonly client: Client;
}

/** A run in which nothing became bad says why. */
export type LabBrakeOutcome =
  | { readonly kind: 'measured'; readonly run: LabBrakeRun }
  | { readonly kind: 'missed'; readonly why: string };

/** Lays the cluster out afresh, migrates it, stops its owner at the given moment, and follows the run until it stands still. */
export async function labBrakeRun(
  stage: LabBrakeStage,
  number: number,
  afterMs: number,
): Promise<LabBrakeOutcome> {
  const { environment } = stage;
  const leader = firstLeader(nodeNames(environment), number);
  await layBaseline(environment, leader, `brake ${number} ${new Date().toISOString()}`);
  const open = await opened(stage);
  try {
    return await measured(stage, open, afterMs);
  } finally {
    await ended(stage, open);
  }
}

async function opened({ environment, product, client }: LabBrakeStage): Promise<BenchRun> {
  const [fleet] = await loadFleets(product.files);
  const [cluster] = fleet?.clusters ?? [];
  if (fleet === undefined || cluster === undefined) throw new Error('the lab has no fleet');
  return startBenchRun(client, fleet, cluster, environment.signal);
}

const BEGIN = { withinMs: 120_000, everyMs: 200 } as const;
/** Between two owners there is none to stop. */
const STRIKE_WITHIN_MS = 30_000;

async function measured(
  stage: LabBrakeStage,
  { handle, run }: BenchRun,
  afterMs: number,
): Promise<LabBrakeOutcome> {
  const { environment, product } = stage;
  const mayChange = async (): Promise<boolean> => {
    const fence = await fenceOf(environment);
    return fence?.runId === run.runId && fence.guardedEpoch === fence.epoch;
  };
  const { signal } = environment;
  await awaitedTrue('changes may happen', mayChange, { ...BEGIN, signal });
  await sleep(afterMs);
  const before = await statusOf(handle);
  const struck = await strike(environment);
  if (struck === null) return { kind: 'missed', why: 'there was no owner to stop' };
  const seen = await followed(stage, handle, struck);
  const account = labBrakeAccount({
    ...{ struck, ...seen, requests: requestsSince(environment, 0) },
    records: await createFileEvidenceStore(product.evidenceDir).read(run),
  });
  const did = { step: before?.step?.name ?? '', changing: isChanging(before), end: seen.end };
  return { kind: 'measured', run: { ...account, ...did } };
}

function isChanging(status: ClusterStatus | null): boolean {
  return status !== null && !['soaking', 'ended', 'held'].includes(status.inFlight);
}

/** SIGSTOP for the process that owns the cloud controllers; null when there was none all the time. */
async function strike({ lab, cluster }: BenchEnvironment): Promise<Struck | null> {
  const deadlineMs = Date.now() + STRIKE_WITHIN_MS;
  while (Date.now() < deadlineMs) {
    const [owner = '', ...others] =
      lab.truth(cluster.name).truth(Date.now()).controllers.service.intervals.at(-1)?.owners ?? [];
    const found = /^(kcm|ccm):(.+)#\d+$/.exec(owner);
    if (found !== null && others.length === 0) {
      const manager = found[1] === 'kcm' ? 'kcm' : 'ccm';
      const node = found[2] ?? '';
      const pids = cluster.node(node).managerProcesses(manager);
      const atMs = Date.now();
      const isStruck = await letHappen(lab, cluster, { kind: 'pauseManager', node, manager }).then(
        () => true,
        () => false,
      );
      if (isStruck) return { atMs, node, manager, pids };
    }
    await sleep(100);
  }
  return null;
}

interface Followed extends SeenSign {
  readonly end: string;
}

/** A run that is not stopped writes again within this time. */
const FOLLOW_MS = 45_000;
/** Followed for so long after the fence has refused. */
const STILL_MS = 10_000;
const CODES = ['CCM3008', 'CCM3001'];

async function followed(
  { environment }: LabBrakeStage,
  handle: WorkflowHandle,
  { node, manager, pids }: Struck,
): Promise<Followed> {
  const deadlineMs = Date.now() + FOLLOW_MS;
  let closedAtMs: number | null = null;
  let overAtMs: number | null = null;
  while (Date.now() < Math.min(deadlineMs, (closedAtMs ?? Infinity) + STILL_MS)) {
    const alive = environment.cluster.node(node).managerProcesses(manager);
    if (overAtMs === null && !pids.some((pid) => alive.includes(pid))) overAtMs = Date.now();
    const noted = breachLines((await fenceOf(environment).catch(() => null))?.breach ?? '');
    if (noted.some(({ code }) => CODES.includes(code))) closedAtMs ??= Date.now();
    await sleep(100);
  }
  return { closedAtMs, overAtMs, end: endText(await statusOf(handle)) };
}

function endText(status: ClusterStatus | null): string {
  if (status === null) return 'no answer';
  const { inFlight, holdReason, findings } = status;
  return `${inFlight}, ${holdReason} ${findings.map(({ code }) => code).join(' ')}`;
}

async function fenceOf({ cluster }: BenchEnvironment): Promise<FenceRecord | null> {
  const { status, body } = await cluster.api.send('GET', `${LEASES}/ccm-migrate`);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- the API server answers with the Lease
  return status === 200 ? readFence(body as LeaseObject) : null;
}

const END_WITHIN = { withinMs: 120_000, everyMs: 500 } as const;

/** Ends what was stopped, so that it never wakes, and the run at its next safe point, which gives its fence back. */
async function ended({ environment }: LabBrakeStage, { handle }: BenchRun): Promise<void> {
  const { lab, cluster, signal } = environment;
  for (const node of nodeNames(environment)) {
    for (const manager of MANAGERS) {
      if (cluster.node(node).managerProcesses(manager).length === 0) continue;
      await letHappen(lab, cluster, { kind: 'killManager', node, manager }).catch(() => undefined);
    }
  }
  await handle.signal(commandSignal, {
    ...{ actor: 'bench', reason: 'the benchmark is done with it', ticket: '' },
    ...{ commandId: randomUUID(), verb: 'stop', arguments: {} },
  });
  const hasEnded = async (): Promise<boolean> =>
    (await handle.describe()).status.name !== 'RUNNING';
  await awaitedTrue('the run has ended', hasEnded, { ...END_WITHIN, signal });
}
