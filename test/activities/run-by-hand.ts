import type {
  ClusterActivities,
  DecidedObservation,
  FenceGrant,
  Snapshot,
  RunContext,
  StepReport,
  TakeFenceInput,
} from '../../activities/contract.js';
import { unpackObservation } from '../../domain/observation/packed-observation.js';
import { nextStep } from '../../domain/decision/next-step.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { Step, StepEffect } from '../../domain/decision/step.js';
import type { Target } from '../../domain/vocabulary.js';
import { NO_JUDGEMENTS, planned } from '../support/planned.js';

/** Called for each step with the cluster before and after it. */
export type StepWatcher = (
  step: Step,
  before: ClusterObservation,
  after: ClusterObservation,
) => void;

/** What an activity returned, its observation unpacked. */
export type SeenSnapshot = Omit<DecidedObservation, 'observation'> & Snapshot;

/** A run without its workflow: observations, fences and steps one at a time, on whatever cluster the activities reach. */
export interface RunByHand {
  snapshot(): Promise<SeenSnapshot>;
  fence(nonce?: string, changes?: Partial<TakeFenceInput>): Promise<FenceGrant>;
  /** Carries out one effect as a step, in the epoch of the last fence acquired. */
  take(effect: StepEffect, changes?: Partial<Step>): Promise<StepReport>;
  /** Steps by the rules until done; the names of the steps. */
  migrate(target: Target, watch?: StepWatcher): Promise<readonly string[]>;
}

export interface RunByHandInput {
  readonly activities: ClusterActivities;
  readonly context: RunContext;
  readonly ccmManifest: string;
  /** Runs each step a second time, which must change nothing. */
  readonly twice?: boolean;
}

const MOST_STEPS = 60;

export function runByHand({
  activities,
  context,
  ccmManifest,
  twice = false,
}: RunByHandInput): RunByHand {
  const state = { epoch: 0, nonces: 0 };
  let last: Pick<Snapshot, 'firstSeen' | 'observationId'> = { firstSeen: [] };
  const run: RunByHand = {
    snapshot: async () => {
      const snapshot = await activities.observeCluster({
        ...context,
        epoch: state.epoch,
        decide: NO_JUDGEMENTS,
        ...{ firstSeen: last.firstSeen, observationId: last.observationId },
      });
      last = snapshot;
      return { ...snapshot, observation: unpackObservation(snapshot.observation) };
    },
    fence: async (nonce, changes = {}) => {
      state.nonces += 1;
      const grant = await activities.takeFence({
        ...context,
        acknowledge: true,
        ...changes,
        nonce: nonce ?? `nonce-${String(state.nonces)}`,
      });
      state.epoch = grant.epoch;
      return grant;
    },
    take: async (effect, changes = {}) => {
      const step: Step = {
        name: 'enableLeaderMigration',
        phase: 'enableLeaderMigration',
        why: 'test',
        cures: ['CCM3002'],
        ...changes,
        effect,
      };
      const report = await activities.executeStep({
        ...context,
        epoch: state.epoch,
        decide: NO_JUDGEMENTS,
        planned: planned(step),
        materials: { ccmManifest },
        ...{ firstSeen: last.firstSeen, observationId: last.observationId },
      });
      last = report;
      return { ...report, observation: unpackObservation(report.observation) };
    },
    migrate: async (target, watch = () => undefined) => {
      const names: string[] = [];
      let { observation } = await run.snapshot();
      for (;;) {
        const decision = nextStep(observation, target, context.policy);
        if (decision.kind === 'done') return names;
        if (decision.kind === 'blocked' || names.length >= MOST_STEPS) {
          throw new Error(`${names.join(' ')}: ${JSON.stringify(decision)}`);
        }
        names.push(decision.step.name);
        await run.fence();
        const before = observation;
        ({ observation } = await run.take(decision.step.effect, decision.step));
        watch(decision.step, before, observation);
        if (!twice) continue;
        const again = await run.take(decision.step.effect, decision.step);
        if (again.summary.mutations > 0) {
          throw new Error(`${decision.step.name} again: ${again.summary.detail}`);
        }
      }
    },
  };
  return run;
}
