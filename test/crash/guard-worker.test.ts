import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { inspectFromHere } from '../../cli/plan/inspect-cluster.js';
import { askStatus } from '../../cli/runs/run-view.js';
import { startRun } from '../../cli/runs/start-run.js';
import { loadInventories } from '../../config/loaded-inventories.js';
import type { ClusterOutcome, ClusterStatus, OperatorCommand } from '../../workflows/messages.js';
import { commandSignal } from '../../workflows/messages.js';
import { unguardedWrites } from '../support/guarded-writes.js';
import { requestFor, type Run, type RunParts } from '../support/run-parts.js';
import { attribute } from './attribution.js';
import { pointKey, type CrashPoint } from './crash-point.js';
import {
  openEnvironment,
  type CrashEnvironment,
  type EnvironmentOptions,
} from './crash-environment.js';
import { driveDirection } from './drive-direction.js';
import { Hunt } from './hunt.js';
import { judgeDirection } from './judge-direction.js';
import { crashPointsOf } from './schedule.js';
import { CRASH_SETTINGS } from './settings.js';
import type { SimulatorProxy } from './simulator-proxy.js';

const isWhole = process.env['CCM_TEST_CRASH'] === 'all';

/** By the cluster's clock, like the fence itself: three of these pass while a guard's process is away. */
const FENCE_RENEW_MS = 20_000;
const TIMINGS = {
  fenceRenewMs: FENCE_RENEW_MS,
  fenceRenewIdleMs: FENCE_RENEW_MS,
  // Real time: how long a step waits before the run reports that no guard runs.
  guardWaitMs: 4_000,
} as const;
/** The clock is read to the second, and runs on while a write is in progress. */
const LIMIT_MS = 3 * FENCE_RENEW_MS + 10_000;

const IN_PLACE = { forward: 'inPlace', rollback: 'inPlace' } as const;

async function withEnvironment(
  order: Omit<EnvironmentOptions, 'seed' | 'timings' | 'policy'>,
  story: (environment: CrashEnvironment) => Promise<void>,
): Promise<void> {
  const environment = await openEnvironment({
    ...{ seed: 1, guardSlots: 10, timings: TIMINGS, policy: { nodes: IN_PLACE } },
    ...order,
  });
  try {
    await story(environment);
  } finally {
    await environment.close();
  }
}

async function begin(
  { client }: Pick<CrashEnvironment, 'client'>,
  parts: Pick<RunParts, 'fleet' | 'uid' | 'snapshot'>,
): Promise<Run> {
  const order = { target: 'ccm', actor: 'guard suite', reason: 'without a guard' } as const;
  return startRun(client, await requestFor(parts, order));
}

async function statusOf({ client }: CrashEnvironment, run: Run): Promise<ClusterStatus | null> {
  const asked = await askStatus(client, run.workflowId, run.runId);
  return asked.kind === 'answered' ? asked.value : null;
}

async function untilStatus(
  environment: CrashEnvironment,
  run: Run,
  wanted: (status: ClusterStatus) => boolean,
): Promise<ClusterStatus> {
  for (let attempts = 0; attempts < 600; attempts += 1) {
    const status = await statusOf(environment, run);
    if (status !== null && wanted(status)) return status;
    await sleep(200);
  }
  throw new Error(`it never came there: ${JSON.stringify(await statusOf(environment, run))}`);
}

function resultOf(
  { client }: CrashEnvironment,
  { workflowId, runId }: Run,
): Promise<ClusterOutcome> {
  return client.workflow.getHandle(workflowId, runId).result() as Promise<ClusterOutcome>;
}

const DIRECTIONS_TRIED = ['forward', 'back'] as const;

/** The first write of each step of an undisturbed run, with its effect done and its response outstanding. */
async function stepsOfQuietRun(): Promise<readonly CrashPoint[]> {
  const points: CrashPoint[] = [];
  await withEnvironment({ name: 'quiet', nodes: 3 }, async (environment) => {
    await environment.guardWorker.start();
    for (const direction of DIRECTIONS_TRIED) {
      const quiet = { direction, points: [], withServer: false, report };
      const { journal, records } = await driveDirection(
        environment,
        direction,
        (since) => new Hunt(environment, quiet, since),
      );
      const planned = crashPointsOf(direction, attribute(journal, records).requests);
      const first = new Map<number, CrashPoint>();
      for (const { point, stepNumber } of planned) {
        const isOfStep = point.moment === 'after' && !AROUND_STEPS.includes(point.step);
        if (isOfStep && !first.has(stepNumber)) first.set(stepNumber, point);
      }
      points.push(...first.values());
    }
  });
  return points;
}

/** The guard's own writes, and what is allowed without a guard. */
const AROUND_STEPS = ['renewal', 'hint', 'takeFence', 'closeRun'];

/** Away until the fence has expired, and until the step that is still running has noticed it. */
async function killGuard({ guardWorker, proxy }: CrashEnvironment): Promise<void> {
  await guardWorker.kill();
  await sleep(LIMIT_MS / CRASH_SETTINGS.speed);
  await proxy.release();
  await sleep(1_000);
  await guardWorker.start();
}

/** Directly to the terminal: jest would hold it back until the end. */
function report(line: string): void {
  if (isWhole) writeSync(2, `${new Date().toISOString()} ${line}\n`);
}

/** Every write followed a renewal by the guard, and there were some. */
async function expectGuarded(proxy: SimulatorProxy): Promise<void> {
  const journal = await proxy.journal(0);
  const writes = journal.filter(({ mutating, tookEffect }) => mutating && tookEffect);
  expect(writes.length).toBeGreaterThan(20);
  expect(unguardedWrites(journal, LIMIT_MS)).toEqual([]);
}

/** What was written besides the fence. */
async function writesOf(proxy: SimulatorProxy): Promise<readonly string[]> {
  const journal = await proxy.journal(0);
  return journal
    .filter(({ mutating, userAgent }) => mutating && userAgent.startsWith('ccm-migrate'))
    .filter(({ name }) => name !== 'ccm-migrate')
    .map(({ verb, path }) => `${verb} ${path}`);
}

describe('the process of the guards', () => {
  it("while the guard's process is absent, nothing is changed; the run continues once it is there", async () => {
    await withEnvironment({ name: 'absent', nodes: 1 }, async (environment) => {
      const run = await begin(environment, environment);
      await untilStatus(environment, run, ({ holdReason }) => holdReason === 'unserved');
      expect(await writesOf(environment.proxy)).toEqual([]);
      await environment.guardWorker.start();
      expect(await resultOf(environment, run)).toMatchObject({
        kind: 'done',
        guard: { overlapSeconds: 0 },
      });
      await expectGuarded(environment.proxy);
    });
  }, 300_000);

  (isWhole ? it : it.skip)(
    "the guard's process is killed in each step, for longer than the fence holds: forward and rollback complete correctly",
    async () => {
      const points = await stepsOfQuietRun();
      expect(points.map(({ direction }) => direction)).toEqual(
        expect.arrayContaining(['forward', 'back']),
      );
      await withEnvironment({ name: 'killed', nodes: 3 }, async (environment) => {
        await environment.guardWorker.start();
        for (const direction of DIRECTIONS_TRIED) {
          const here = points.filter((point) => point.direction === direction);
          const hunt = { direction, points: here, withServer: false, report, instead: killGuard };
          const driven = await driveDirection(
            environment,
            direction,
            (since) => new Hunt(environment, hunt, since),
          );
          report(
            `${direction}: guard killed at ${String(driven.struck.length)} of ${String(here.length)} steps in ${driven.seconds.toFixed(0)} s`,
          );
          expect(await judgeDirection(environment, driven, null)).toEqual([]);
          expect(driven.struck.map(pointKey).sort()).toEqual(here.map(pointKey).sort());
        }
        await expectGuarded(environment.proxy);
      });
    },
    1_800_000,
  );

  (isWhole ? it : it.skip)(
    'has no slot left: the run waits unchanged until one is free',
    async () => {
      await withEnvironment(
        { name: 'starved', nodes: 1, clusters: 2, guardSlots: 1 },
        async (environment) => {
          await environment.guardWorker.start();
          const first = await begin(environment, environment);
          await untilStatus(environment, first, ({ stepsDone }) => stepsDone.length > 0);
          // A paused run is still guarded, so its guard keeps the only slot.
          const handle = environment.client.workflow.getHandle(first.workflowId, first.runId);
          await handle.signal(commandSignal, command('pause'));
          const other = await second(environment);
          const [proxy, run] = [
            await environment.proxyOf('sim-2'),
            await begin(environment, other),
          ];
          await untilStatus(environment, run, ({ holdReason }) => holdReason === 'unserved');
          expect(await writesOf(proxy)).toEqual([]);
          await handle.signal(commandSignal, command('resume'));
          expect(await resultOf(environment, first)).toMatchObject({ kind: 'done' });
          expect(await resultOf(environment, run)).toMatchObject({ kind: 'done' });
          await expectGuarded(environment.proxy);
          await expectGuarded(proxy);
        },
      );
    },
    600_000,
  );
});

function command(verb: OperatorCommand['verb']): OperatorCommand {
  const why = { actor: 'guard suite', reason: 'test', ticket: '' };
  return { commandId: verb, verb, arguments: {}, ...why };
}

async function second({
  fleet,
}: CrashEnvironment): Promise<Pick<RunParts, 'fleet' | 'uid' | 'snapshot'>> {
  const [, cluster] = await loadInventories([
    ...new Set(fleet.clusters.map(({ inventoryFile }) => inventoryFile)),
  ]);
  if (cluster === undefined) throw new Error('there is no second cluster');
  const snapshot = () => inspectFromHere(cluster, fleet, new AbortController().signal);
  return {
    fleet: { ...fleet, clusters: [cluster] },
    uid: (await snapshot()).uid,
    snapshot: async () => (await snapshot()).inspection.snapshot.observation,
  };
}
