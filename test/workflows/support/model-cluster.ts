import { ApplicationFailure } from '@temporalio/common';
import type { TakeFenceInput } from '../../../activities/contract.js';
import { applyEffect } from '../../../domain/apply/apply-effect.js';
import { settle } from '../../../domain/apply/elections.js';
import { clusterOwner } from '../../../domain/facts/owners.js';
import type { GateVerdict } from '../../../domain/gates.js';
import type { ClusterObservation } from '../../../domain/observation.js';
import type { Step } from '../../../domain/step.js';
import type { Owner } from '../../../domain/vocabulary.js';
import { clusterOf, policyOf } from '../../support/cluster-builder.js';

/** A cluster in memory that obeys the domain's own model: what steps do to it, and who may write. */
export interface ModelCluster {
  readonly name: string;
  observation: ClusterObservation;
  readonly fence: { runId: string; epoch: number; nonce: string };
  /** Steps whose effect happened, as `name node`. */
  readonly journal: string[];
  /** Every fence that was granted, as run and nonce. */
  readonly grants: string[];
  guards: number;
  /** Verdicts that the next soaks give; a pass once it is empty. */
  readonly soakVerdicts: GateVerdict[][];
  /** Whether the attempts of steps send heartbeats; a worker that lost its network does not. */
  mute: boolean;
  /** What the guard reports instead of watching, if anything. */
  guardEnds: ('fenceLost' | 'fails')[];
  /** Called before the effect of the nth step (from 1); may wait or throw. */
  before: (step: Step, nth: number) => Promise<void> | void;
  /** Called after the effect and before the answer. */
  after: (step: Step, nth: number) => Promise<void> | void;
  attempts: number;
}

/** Three nodes with in-tree controllers, as before any migration. */
export function modelCluster(name: string, nodes = 3): ModelCluster {
  const observation = clusterOf(
    {
      nodes: Array.from({ length: nodes }, () => ({ kcm: 'inTree', ccm: 'none' }) as const),
      kcmLeader: 0,
      ccmLeader: 'free',
      migration: 'free',
    },
    { cluster: { uid: `uid-${name}`, name }, baseline: null },
  );
  return {
    name,
    observation,
    fence: { runId: '', epoch: 0, nonce: '' },
    journal: [],
    grants: [],
    guards: 0,
    soakVerdicts: [],
    mute: false,
    guardEnds: [],
    before: () => undefined,
    after: () => undefined,
    attempts: 0,
  };
}

/** Gives the fence, as the real one does: idempotent by nonce, never to a second run. */
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

/** One write behind the fence: an older epoch changes nothing. */
export function writeStep(cluster: ModelCluster, { step, runId, epoch, policy }: Write): void {
  if (cluster.fence.runId !== runId || cluster.fence.epoch !== epoch) {
    throw failure('FenceLost', `epoch ${String(epoch)} is over`);
  }
  const changed = applyEffect(cluster.observation, step.effect, policy);
  cluster.observation = settle(changed);
  cluster.journal.push(stepWords(step));
}

type Write = {
  readonly step: Step;
  readonly runId: string;
  readonly epoch: number;
  readonly policy: Parameters<typeof applyEffect>[2];
};

export function ownerIn({ observation }: Pick<ModelCluster, 'observation'>): Owner {
  return clusterOwner(observation, policyOf().lock.controllers);
}

export function verdictsOf(cluster: ModelCluster): readonly GateVerdict[] {
  const owner = ownerIn(cluster);
  const one = owner === 'both' || owner === 'unknown' ? 'fail' : 'pass';
  return [{ gate: 'oneOwner', hardness: 'hard', verdict: one, detail: owner, code: 'CCM3001' }];
}

export function stepWords({ name, effect }: Step): string {
  return 'node' in effect ? `${name} ${effect.node}` : name;
}

export function failure(type: string, message: string, nonRetryable = true): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable });
}
