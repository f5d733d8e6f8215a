import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { Admission, GuardInput, TakeFenceInput } from '../../../activities/contract.js';
import type { OperatorCommand } from '../../../domain/run/operator-command.js';
import type { ChainHead } from '../../../domain/evidence/chain.js';
import { predictEffect } from '../../../domain/model/predict-effect.js';
import { settleElections } from '../../../domain/model/elections.js';
import { clusterOwner } from '../../../domain/ownership/owners.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import type { Step } from '../../../domain/decision/step.js';
import type { Owner } from '../../../domain/vocabulary.js';
import { clusterOf, policyOf } from '../../support/cluster-builder.js';

/** A cluster in memory that follows the domain's own model: the effect of each step, and which run may write. */
export interface ModelCluster {
  readonly name: string;
  observation: ClusterObservation;
  /** `guardedEpoch` as the guard writes it with each renewal. */
  readonly fence: { runId: string; epoch: number; nonce: string; guardedEpoch: number };
  /** Steps whose effect happened, as `name node`. */
  readonly journal: string[];
  /** Every fence that was granted, as run and nonce. */
  readonly grants: string[];
  guards: number;
  /** How often the fence was put to rest. */
  rests: number;
  /** Whether a hold that the environment caused may end. */
  healthy: boolean;
  /** Failure type that the check before the first fence ends with, if any. */
  refusal: string | null;
  /** Failure type that waits for a change end with, if any. */
  waitFails: string | null;
  /** Called before a check of what was given answers; may wait. */
  checking: (target: 'ccm' | 'kcm') => Promise<void> | void;
  /** What its workers say of commands of runs that are signed. */
  admissions: (command: OperatorCommand) => Admission | Promise<Admission>;
  /** Rounds of all guards. */
  rounds: number;
  /** Records of evidence, two for each write, and whether they are gone. */
  readonly evidence: { records: number; lost: boolean };
  /** Verdicts of the next soaks; a pass once it is empty. */
  readonly soakVerdicts: GateVerdict[][];
  /** Whether the attempts of steps send heartbeats; a worker that lost its network does not. */
  mute: boolean;
  /** The same of admissions. */
  admitsMute: boolean;
  /** What the guard reports instead of watching, if anything. */
  guardEnds: ('fenceLost' | 'fails' | 'silent' | 'moves' | 'nowhere')[];
  /** What guards were given when they began, oldest first. */
  readonly guardsBegan: {
    readonly memory: GuardInput['memory'];
    readonly mayHaveWritten: GuardInput['mayHaveWritten'] | undefined;
  }[];
  /** Called when a guard was told to end, before it reports. */
  guardLeaves: () => Promise<void> | void;
  /** Called before the effect of the nth step (from 1); may wait or throw. */
  before: (step: Step, nth: number) => Promise<void> | void;
  /** Called after the effect and before the response. */
  after: (step: Step, nth: number) => Promise<void> | void;
  attempts: number;
}

/** Runs are named by the uid of their cluster, and all test files share one server: the same name in two files is two clusters. */
const FILE = randomUUID();

/** Three nodes with in-tree controllers, as before any migration. */
export function modelCluster(name: string, nodes = 3): ModelCluster {
  const observation = clusterOf(
    {
      nodes: Array.from({ length: nodes }, () => ({ kcm: 'inTree', ccm: 'none' }) as const),
      kcmLeader: 0,
      ccmLeader: 'free',
      migration: 'free',
    },
    { cluster: { uid: `uid-${FILE}-${name}`, name }, baseline: null },
  );
  return {
    name,
    observation,
    fence: { runId: '', epoch: 0, nonce: '', guardedEpoch: 0 },
    journal: [],
    grants: [],
    guards: 0,
    rounds: 0,
    evidence: { records: 0, lost: false },
    rests: 0,
    healthy: false,
    refusal: null,
    waitFails: null,
    checking: () => undefined,
    admissions: () => ({ kind: 'admitted', principal: 'ana', note: '' }),
    soakVerdicts: [],
    mute: false,
    admitsMute: false,
    guardEnds: [],
    guardsBegan: [],
    guardLeaves: () => undefined,
    before: () => undefined,
    after: () => undefined,
    attempts: 0,
  };
}

/** Grants the fence, as the real one does: idempotent by nonce, never to a second run. */
export function grantFence(
  cluster: ModelCluster,
  { runId, nonce, takeOver }: Pick<TakeFenceInput, 'runId' | 'nonce' | 'takeOver'>,
): number {
  const { fence } = cluster;
  if (fence.runId !== '' && fence.runId !== runId && takeOver === undefined) {
    throw failure('AlreadyRunning', `the fence is held by run ${fence.runId}`);
  }
  if (fence.nonce !== nonce) {
    fence.epoch += 1;
    cluster.grants.push(nonce);
  }
  fence.runId = runId;
  fence.nonce = nonce;
  return fence.epoch;
}

/** Refuses a write whose run knows of evidence that is gone, as the real one does. */
export function requireEvidenceOf(
  { evidence }: ModelCluster,
  { evidence: known }: Pick<TakeFenceInput, 'evidence'>,
): void {
  if (known === undefined || !evidence.lost) return;
  throw failure('EvidenceLost', `it had ${String(known.records)} records`, true, { wrote: false });
}

export function writtenEvidence({ evidence }: ModelCluster): ChainHead {
  evidence.records += 2;
  return { records: evidence.records, hash: `sha256:${String(evidence.records)}` };
}

/** One write behind the fence: an older epoch changes nothing. */
export function writeStep(cluster: ModelCluster, { step, runId, epoch, policy }: Write): void {
  if (cluster.fence.runId !== runId || cluster.fence.epoch !== epoch) {
    throw failure('FenceLost', `epoch ${String(epoch)} is over`);
  }
  if (!isGuarded(cluster)) throw failure('Unguarded', 'no guard', true, { wrote: false });
  const changed = predictEffect(cluster.observation, step.effect, policy);
  cluster.observation = settleElections(changed);
  cluster.journal.push(stepText(step));
}

type Write = {
  readonly step: Step;
  readonly runId: string;
  readonly epoch: number;
  readonly policy: Parameters<typeof predictEffect>[2];
};

export function ownerIn({ observation }: Pick<ModelCluster, 'observation'>): Owner {
  return clusterOwner(observation, policyOf().lock.controllers);
}

export function verdictsOf(cluster: ModelCluster): readonly GateVerdict[] {
  const owner = ownerIn(cluster);
  const one = owner === 'both' || owner === 'unknown' ? 'fail' : 'pass';
  return [{ gate: 'oneOwner', hardness: 'hard', verdict: one, detail: owner, code: 'CCM3001' }];
}

export function stepText({ name, effect }: Step): string {
  return 'node' in effect ? `${name} ${effect.node}` : name;
}

export function isGuarded({ fence, guards }: ModelCluster): boolean {
  return guards > 0 && fence.guardedEpoch === fence.epoch;
}

export function failure(
  type: string,
  message: string,
  nonRetryable = true,
  details: Readonly<Record<string, unknown>> = {},
): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable, details: [details] });
}
