import { activityInfo, cancelled, Context, heartbeat, sleep } from '@temporalio/activity';
import type {
  ClusterActivities,
  GuardActivities,
  Look,
  StepReport,
} from '../../../activities/contract.js';
import { decisionDigest } from '../../../domain/advance/observation-digest.js';
import {
  failure,
  grantFence,
  stepWords,
  verdictsOf,
  writeStep,
  type ModelCluster,
} from './model-cluster.js';

/** The activities of the contract on clusters in memory. */
export function modelActivities(
  clusters: ReadonlyMap<string, ModelCluster>,
): ClusterActivities & GuardActivities {
  const find = ({ name }: { readonly name: string }): ModelCluster => {
    const cluster = clusters.get(name);
    if (cluster === undefined) throw failure('InvalidInput', `no cluster ${name}`);
    return cluster;
  };
  return {
    takeFence: async (input) => {
      await Promise.resolve();
      return { epoch: grantFence(find(input.cluster), input), displaced: '' };
    },
    observeCluster: ({ cluster }) => Promise.resolve(lookAt(find(cluster))),
    executeStep: async (input) => {
      const cluster = find(input.cluster);
      cluster.attempts += 1;
      const nth = cluster.attempts;
      await alive(cluster, cluster.before(input.step, nth));
      writeStep(cluster, input);
      await alive(cluster, cluster.after(input.step, nth));
      return reportOf(cluster, stepWords(input.step));
    },
    awaitChange: async ({ cluster, since, atMostMs }) => {
      const model = find(cluster);
      const before = decisionDigest(since);
      for (let waited = 0; waited < atMostMs; waited += 50) {
        heartbeat();
        if (decisionDigest(model.observation) !== before) break;
        await sleep(50);
      }
      return lookAt(model);
    },
    soak: async ({ cluster, soakMs }) => {
      const model = find(cluster);
      for (let waited = 0; waited < soakMs; waited += 50) {
        heartbeat();
        await sleep(50);
      }
      return { ...lookAt(model), verdicts: model.soakVerdicts.shift() ?? verdictsOf(model) };
    },
    closeRun: ({ cluster, runId }) => {
      const { fence } = find(cluster);
      if (fence.runId === runId) fence.runId = '';
      return Promise.resolve({ evidenceRecords: 2, evidenceHead: 'sha256:head' });
    },
    guardCluster: async ({ cluster, timings }) => {
      const model = find(cluster);
      const ends = model.guardEnds.shift();
      if (ends === 'fails') throw failure('Bug', 'the guard failed');
      const ownership = { overlapSeconds: 0, orphanSeconds: 0, unknownSeconds: 0, moves: 0 };
      if (ends === 'fenceLost') return { looks: 1, breaches: [], ownership, ended: ends };
      model.guards += 1;
      let looks = 0;
      try {
        for (;;) {
          heartbeat();
          looks += 1;
          await sleep(timings.guardMs);
        }
      } catch (error) {
        if (!Context.current().cancellationSignal.aborted) throw error;
        return { looks, breaches: [], ownership, ended: 'cancelled' };
      } finally {
        model.guards -= 1;
      }
    },
  };
}

/** Waits with heartbeats, and ends with the attempt. */
async function alive(cluster: ModelCluster, work: Promise<void> | void): Promise<void> {
  const interval = setInterval(() => {
    if (!cluster.mute) heartbeat();
  }, 100);
  try {
    await (cluster.mute ? work : Promise.race([work, cancelled()]));
  } finally {
    clearInterval(interval);
  }
}

function lookAt({ observation }: ModelCluster): Look {
  return {
    observation: {
      ...observation,
      observedAtMs: activityInfo().currentAttemptScheduledTimestampMs,
    },
    sightings: [],
  };
}

function reportOf(cluster: ModelCluster, detail: string): StepReport {
  return {
    ...lookAt(cluster),
    verdicts: verdictsOf(cluster),
    summary: { mutations: 1, requests: 3, durationMs: 5, detail, orphanMs: 0 },
  };
}
