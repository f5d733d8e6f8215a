import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { inspectCluster } from '../../cli/plan/inspect-cluster.js';
import { askStatus } from '../../cli/runs/run-view.js';
import { startRun } from '../../cli/runs/start-run.js';
import { loadInventories } from '../../config/inventory.js';
import type { ClusterOutcome, ClusterStatus, OperatorCommand } from '../../workflows/messages.js';
import { commandSignal } from '../../workflows/messages.js';
import { unguardedWrites } from '../support/guarded-writes.js';
import { requestFor, type Run, type RunParts } from '../support/run-parts.js';
import { attribute } from './attribution.js';
import { pointKey, type CrashPoint } from './crash-point.js';
import { openWorld, type CrashWorld, type WorldOrder } from './crash-world.js';
import { driveLeg } from './drive-leg.js';
import { Hunt } from './hunt.js';
import { judgeLeg } from './judge-leg.js';
import { crashPointsOf } from './schedule.js';
import { CRASH_SETTINGS } from './settings.js';
import type { SimulatorDoor } from './simulator-door.js';

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

async function withWorld(
  order: Omit<WorldOrder, 'seed' | 'timings' | 'policy'>,
  story: (world: CrashWorld) => Promise<void>,
): Promise<void> {
  const world = await openWorld({
    ...{ seed: 1, guardSlots: 10, timings: TIMINGS, policy: { nodes: IN_PLACE } },
    ...order,
  });
  try {
    await story(world);
  } finally {
    await world.close();
  }
}

async function begin(
  { client }: Pick<CrashWorld, 'client'>,
  parts: Pick<RunParts, 'fleet' | 'uid' | 'look'>,
): Promise<Run> {
  const order = { target: 'ccm', actor: 'guard suite', reason: 'without a guard' } as const;
  return startRun(client, await requestFor(parts, order));
}

async function statusOf({ client }: CrashWorld, run: Run): Promise<ClusterStatus | null> {
  const asked = await askStatus(client, run.workflowId, run.runId);
  return asked.kind === 'answered' ? asked.value : null;
}

async function untilStatus(
  world: CrashWorld,
  run: Run,
  wanted: (status: ClusterStatus) => boolean,
): Promise<ClusterStatus> {
  for (let tries = 0; tries < 600; tries += 1) {
    const status = await statusOf(world, run);
    if (status !== null && wanted(status)) return status;
    await sleep(200);
  }
  throw new Error(`it never came there: ${JSON.stringify(await statusOf(world, run))}`);
}

function resultOf({ client }: CrashWorld, { workflowId, runId }: Run): Promise<ClusterOutcome> {
  return client.workflow.getHandle(workflowId, runId).result() as Promise<ClusterOutcome>;
}

const LEGS_TRIED = ['forward', 'back'] as const;

/** The first write of each step of an undisturbed run, with its effect done and its response outstanding. */
async function stepsOfQuietRun(): Promise<readonly CrashPoint[]> {
  const points: CrashPoint[] = [];
  await withWorld({ name: 'quiet', nodes: 3 }, async (world) => {
    await world.guardWorker.start();
    for (const leg of LEGS_TRIED) {
      const quiet = { leg, points: [], withServer: false, report };
      const { journal, records } = await driveLeg(
        world,
        leg,
        (since) => new Hunt(world, quiet, since),
      );
      const planned = crashPointsOf(leg, attribute(journal, records).requests);
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
async function killGuard({ guardWorker, door }: CrashWorld): Promise<void> {
  await guardWorker.kill();
  await sleep(LIMIT_MS / CRASH_SETTINGS.speed);
  await door.release();
  await sleep(1_000);
  await guardWorker.start();
}

/** Directly to the terminal: jest would hold it back until the end. */
function report(line: string): void {
  if (isWhole) writeSync(2, `${new Date().toISOString()} ${line}\n`);
}

/** Every write followed a renewal by the guard, and there were some. */
async function expectGuarded(door: SimulatorDoor): Promise<void> {
  const journal = await door.journal(0);
  const writes = journal.filter(({ mutating, tookEffect }) => mutating && tookEffect);
  expect(writes.length).toBeGreaterThan(20);
  expect(unguardedWrites(journal, LIMIT_MS)).toEqual([]);
}

/** What was written besides the fence. */
async function writesOf(door: SimulatorDoor): Promise<readonly string[]> {
  const journal = await door.journal(0);
  return journal
    .filter(({ mutating, userAgent }) => mutating && userAgent.startsWith('ccm-migrate'))
    .filter(({ name }) => name !== 'ccm-migrate')
    .map(({ verb, path }) => `${verb} ${path}`);
}

describe('the process of the guards', () => {
  it("while the guard's process is absent, nothing is changed; the run continues once it is there", async () => {
    await withWorld({ name: 'absent', nodes: 1 }, async (world) => {
      const run = await begin(world, world);
      await untilStatus(world, run, ({ trouble }) => trouble === 'unserved');
      expect(await writesOf(world.door)).toEqual([]);
      await world.guardWorker.start();
      expect(await resultOf(world, run)).toMatchObject({
        kind: 'done',
        guard: { overlapSeconds: 0 },
      });
      await expectGuarded(world.door);
    });
  }, 300_000);

  (isWhole ? it : it.skip)(
    "the guard's process is killed in each step, for longer than the fence holds: forward and rollback complete correctly",
    async () => {
      const points = await stepsOfQuietRun();
      expect(points.map(({ leg }) => leg)).toEqual(expect.arrayContaining(['forward', 'back']));
      await withWorld({ name: 'killed', nodes: 3 }, async (world) => {
        await world.guardWorker.start();
        for (const leg of LEGS_TRIED) {
          const here = points.filter((point) => point.leg === leg);
          const hunt = { leg, points: here, withServer: false, report, instead: killGuard };
          const driven = await driveLeg(world, leg, (since) => new Hunt(world, hunt, since));
          report(
            `${leg}: guard killed at ${String(driven.struck.length)} of ${String(here.length)} steps in ${driven.seconds.toFixed(0)} s`,
          );
          expect(await judgeLeg(world, driven, null)).toEqual([]);
          expect(driven.struck.map(pointKey).sort()).toEqual(here.map(pointKey).sort());
        }
        await expectGuarded(world.door);
      });
    },
    1_800_000,
  );

  (isWhole ? it : it.skip)(
    'has no slot left: the run waits unchanged until one is free',
    async () => {
      await withWorld({ name: 'starved', nodes: 1, clusters: 2, guardSlots: 1 }, async (world) => {
        await world.guardWorker.start();
        const first = await begin(world, world);
        await untilStatus(world, first, ({ stepsDone }) => stepsDone.length > 0);
        // A paused run is still guarded, so its guard keeps the only slot.
        const handle = world.client.workflow.getHandle(first.workflowId, first.runId);
        await handle.signal(commandSignal, command('pause'));
        const other = await second(world);
        const [door, run] = [await world.doorOf('sim-2'), await begin(world, other)];
        await untilStatus(world, run, ({ trouble }) => trouble === 'unserved');
        expect(await writesOf(door)).toEqual([]);
        await handle.signal(commandSignal, command('resume'));
        expect(await resultOf(world, first)).toMatchObject({ kind: 'done' });
        expect(await resultOf(world, run)).toMatchObject({ kind: 'done' });
        await expectGuarded(world.door);
        await expectGuarded(door);
      });
    },
    600_000,
  );
});

function command(verb: OperatorCommand['verb']): OperatorCommand {
  const why = { actor: 'guard suite', reason: 'test', ticket: '' };
  return { commandId: verb, verb, arguments: {}, ...why };
}

async function second({ fleet }: CrashWorld): Promise<Pick<RunParts, 'fleet' | 'uid' | 'look'>> {
  const [, cluster] = await loadInventories([fleet.inventoryFile]);
  if (cluster === undefined) throw new Error('there is no second cluster');
  const look = () => inspectCluster(cluster, fleet, new AbortController().signal);
  return {
    fleet: { ...fleet, clusters: [cluster] },
    uid: (await look()).uid,
    look: async () => (await look()).inspection.look.observation,
  };
}
