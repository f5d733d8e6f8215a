import { activityInfo, cancelled, Context, heartbeat, sleep } from '@temporalio/activity';
import type {
  Admission,
  ClusterActivities,
  DecidedObservation,
  DecidedReport,
  GuardActivities,
  GuardInput,
  GuardMemory,
  GuardReport,
  ObserveInput,
} from '../../../activities/contract.js';
import { packObservation } from '../../../domain/observation/packed-observation.js';
import { decideRun, type Rules } from '../../../domain/decision/decide-run.js';
import { nextStep } from '../../../domain/decision/next-step.js';
import {
  failure,
  grantFence,
  isGuarded,
  requireEvidenceOf,
  stepText,
  verdictsOf,
  writeStep,
  writtenEvidence,
  type ModelCluster,
} from './model-cluster.js';
import type { RunChange } from '../../../domain/run/results.js';
import { quietScope } from '../../../activities/dependencies.js';
import { rememberScope } from '../../../activities/guard/kept-memory.js';

type Find = (named: { readonly name: string }) => ModelCluster;

/** Which code decides: its name and its rules. */
export interface ModelRules {
  readonly name: string;
  readonly rules: Rules;
}

const OURS: ModelRules = { name: 'ours', rules: nextStep };

/** The activities of the contract on clusters in memory. */
export function modelActivities(
  clusters: ReadonlyMap<string, ModelCluster>,
  decider: ModelRules = OURS,
): ClusterActivities & GuardActivities {
  const find: Find = ({ name }) => {
    const cluster = clusters.get(name);
    if (cluster === undefined) throw failure('InvalidInput', `no cluster ${name}`);
    return cluster;
  };
  return {
    ...reads(find, decider),
    ...writes(find, decider),
    guardCluster: (input) => guard(find(input.cluster), input),
  };
}

function reads(
  find: Find,
  decider: ModelRules,
): Pick<
  ClusterActivities,
  'checkStart' | 'admitCommand' | 'observeCluster' | 'awaitChange' | 'restFence' | 'soak'
> {
  return {
    admitCommand: async ({ cluster, command }) => {
      const model = find(cluster);
      const said: Admission[] = [];
      const asked = Promise.resolve(model.admissions(command));
      await alive(
        { mute: model.admitsMute },
        asked.then((admission) => void said.push(admission)),
      );
      const [admission] = said;
      if (admission === undefined) throw new Error('no worker said anything');
      return admission;
    },
    checkStart: async ({ cluster, decide }) => {
      const { refusal, checking } = find(cluster);
      await checking(decide.target);
      if (refusal !== null) throw failure(refusal, 'the check found it');
      const planDigest = decide.revision === 0 ? null : `sha256:plan ${decide.target}`;
      return { planDigest, objections: [] };
    },
    observeCluster: async (input) => {
      const model = find(input.cluster);
      const { timings } = input;
      for (let waited = 0; waited < timings.guardWaitMs && !isGuarded(model); waited += 50) {
        heartbeat();
        await sleep(50);
      }
      return decidedObservation(model, input, decider);
    },
    awaitChange: async (input) => {
      const model = find(input.cluster);
      if (model.waitFails !== null) throw failure(model.waitFails, 'the wait failed');
      for (let waited = 0; ; waited += 50) {
        heartbeat();
        const { decision } = decidedObservation(model, input, decider);
        const ended = endOf(model, decision.signature, input.goal, waited >= input.atMostMs);
        const early = ended === 'changed' && decision.next.kind === 'blocked';
        if (ended !== null && (!early || waited >= input.atLeastMs)) {
          return { ended, decision, firstSeen: [] };
        }
        await sleep(50);
      }
    },
    restFence: ({ cluster }) => {
      find(cluster).rests += 1;
      return Promise.resolve();
    },
    soak: async (input) => {
      const model = find(input.cluster);
      const { inventory } = model.observation;
      let soakedMs = input.progress?.soakedMs ?? 0;
      const { cancellationSignal } = Context.current();
      while (soakedMs < input.soakMs && !cancellationSignal.aborted) {
        heartbeat();
        await sleep(50).catch(() => undefined);
        soakedMs += 50;
      }
      const verdicts = model.soakVerdicts.shift() ?? verdictsOf(model);
      const progress = { soakedMs, inventory, orphanedMs: 0 };
      const complete = soakedMs >= input.soakMs;
      return { ...decidedObservation(model, input, decider), verdicts, complete, progress };
    },
  };
}

function endOf(
  model: ModelCluster,
  signature: string,
  goal: Parameters<ClusterActivities['awaitChange']>[0]['goal'],
  isTimeUp: boolean,
): RunChange['ended'] | null {
  if (goal.kind === 'decision' && signature !== goal.signature) return 'changed';
  if (goal.kind === 'guarded' && isGuarded(model)) return 'guarded';
  if (goal.kind === 'healed' && model.healthy) return 'healed';
  return isTimeUp ? 'timeUp' : null;
}

function writes(
  find: Find,
  decider: ModelRules,
): Pick<ClusterActivities, 'takeFence' | 'executeStep' | 'closeRun'> {
  return {
    takeFence: async (input) => {
      await Promise.resolve();
      const model = find(input.cluster);
      requireEvidenceOf(model, input);
      const epoch = grantFence(model, input);
      return { epoch, displaced: '', evidence: writtenEvidence(model) };
    },
    executeStep: async (input): Promise<DecidedReport> => {
      const model = find(input.cluster);
      const { step } = input.planned;
      requireEvidenceOf(model, input);
      model.attempts += 1;
      const nth = model.attempts;
      await alive(model, model.before(step, nth));
      writeStep(model, { ...input, step });
      await alive(model, model.after(step, nth));
      return {
        ...decidedObservation(model, input, decider),
        verdicts: verdictsOf(model),
        summary: {
          mutations: 1,
          requests: 3,
          durationMs: 5,
          detail: stepText(step),
          orphanMs: 0,
        },
        evidence: writtenEvidence(model),
      };
    },
    closeRun: ({ cluster, runId }) => {
      const { fence } = find(cluster);
      if (fence.runId === runId) fence.runId = '';
      return Promise.resolve({ evidenceRecords: 2, evidenceHead: 'sha256:head' });
    },
  };
}

async function guard(
  model: ModelCluster,
  { timings, memory, mayHaveWritten }: GuardInput,
): Promise<GuardReport> {
  model.guardsBegan.push({ memory, mayHaveWritten });
  const ends = model.guardEnds.shift();
  failAtOnce(ends);
  const ownership = { overlapSeconds: 0, orphanSeconds: 0, unknownSeconds: 0, moves: 0 };
  let observations = memory?.observations ?? 0;
  const report = (ended: GuardReport['ended']): GuardReport => {
    const trace = { atMs: 0, controllers: [] };
    const seen: GuardMemory = {
      guard: 1,
      observations,
      breaches: [],
      trace,
      firstSeen: [],
      reachable: {},
      apiReachable: true,
    };
    return { observations, breaches: [], ownership, ended, memory: seen };
  };
  if (ends === 'fenceLost') return report('fenceLost');
  model.guards += 1;
  try {
    for (;;) {
      observations += 1;
      model.rounds += 1;
      model.fence.guardedEpoch = model.fence.epoch;
      heartbeat(report('cancelled').memory);
      if (ends === 'moves' && model.attempts > 0) throw new Error('its worker is replaced');
      await sleep(timings.guardMs);
    }
  } catch (error) {
    if (ends === 'silent' || !Context.current().cancellationSignal.aborted) throw error;
    await model.guardLeaves();
    return report('cancelled');
  } finally {
    model.guards -= 1;
  }
}

/** `nowhere`: as the real guard ends where another worker has no credential for its cluster. */
function failAtOnce(ends: ModelCluster['guardEnds'][number] | undefined): void {
  if (ends === 'fails') throw failure('Bug', 'the guard failed');
  if (ends !== 'nowhere') return;
  const lastHeartbeat: unknown = activityInfo().heartbeatDetails;
  const { failed } = rememberScope({ ...quietScope(), lastHeartbeat });
  throw failed(failure('Unauthorized', 'no credential here', true));
}

/** Waits with heartbeats, and ends with the attempt. */
async function alive(
  cluster: Pick<ModelCluster, 'mute'>,
  work: Promise<void> | void,
): Promise<void> {
  const interval = setInterval(() => {
    if (!cluster.mute) heartbeat();
  }, 100);
  try {
    await (cluster.mute ? work : Promise.race([work, cancelled()]));
  } finally {
    clearInterval(interval);
  }
}

function decidedObservation(
  model: ModelCluster,
  { policy, decide }: Pick<ObserveInput, 'policy' | 'decide'>,
  { name: decidedBy, rules }: ModelRules,
): DecidedObservation {
  const observedAtMs = activityInfo().currentAttemptScheduledTimestampMs;
  const observation = { ...model.observation, observedAtMs };
  const decision = decideRun(observation, policy, decide, rules);
  return {
    ...{ observation: packObservation(observation), firstSeen: [], decision },
    ...{ decidedBy, guarded: isGuarded(model) },
  };
}
