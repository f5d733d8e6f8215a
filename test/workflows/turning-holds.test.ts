import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { breachSignal } from '../../workflows/messages.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import { policyOf } from '../support/cluster-builder.js';
import { modelCluster, ownerIn, type ModelCluster } from './support/model-cluster.js';
import {
  chainOf,
  openLab,
  say,
  until,
  type MigrationHandle,
  type MigrationLab,
} from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

const TWO_OWNERS = {
  gate: 'oneOwner',
  hardness: 'hard',
  verdict: 'fail',
  detail: 'two owners',
  code: 'CCM3001',
} as const;

/** It may pass by itself, so a run waits for that. */
const NOT_READY: GateVerdict = {
  ...{ gate: 'nodesReady', hardness: 'hard', verdict: 'fail' },
  ...{ detail: 'not Ready: cp-2', code: 'CCM3005' },
};

interface HeldRun {
  readonly handle: MigrationHandle;
  /** As its status told it. */
  readonly turnsAtMs: number;
}

/** A run that a breach holds in its fourth step, and which policy turns after so many ms. */
async function heldRun(
  cluster: ModelCluster,
  holdThenRollBackMs: number,
  breach: GateVerdict = TWO_OWNERS,
): Promise<HeldRun> {
  const policy = policyOf({ onBreach: { holdThenRollBackMs } });
  const handle = await lab.start(cluster, { policy, continueAfterEvents: 60 });
  cluster.before = async (_step, nth) => {
    if (nth === 4) await handle.signal(breachSignal, breach);
  };
  const { rollsBackAtMs, target } = await until(
    handle,
    ({ rollsBackAtMs: atMs }) => atMs !== undefined,
  );
  expect(target).toBe('ccm');
  return { handle, turnsAtMs: Number(rollsBackAtMs) };
}

describe('a hold with a time', () => {
  it('a hold with a time rolls back when it told, also in a later execution', async () => {
    const cluster = modelCluster('c-turns');
    await lab.withWorker(async () => {
      const { handle, turnsAtMs } = await heldRun(cluster, 20_000);
      const before = (await chainOf(lab, handle)).length;
      // Refused, so they decide nothing; they make the history long.
      for (let count = 0; count < 15; count += 1) {
        expect(await say(handle, 'approve')).toMatchObject({ state: 'refused' });
      }
      const later = await until(handle, ({ rollsBackAtMs }) => rollsBackAtMs !== undefined);
      expect(later).toMatchObject({ target: 'ccm', rollsBackAtMs: turnsAtMs });
      expect((await chainOf(lab, handle)).length).toBeGreaterThan(before);
      const outcome = await handle.result();
      expect(outcome).toMatchObject({ kind: 'rolledBack', target: 'kcm' });
      expect(outcome.summary).toMatch(/oneOwner \(CCM3001\): .+; held for 20 s and not decided/);
      expect(ownerIn(cluster)).toBe('kcm');
      expect(Date.now()).toBeGreaterThanOrEqual(turnsAtMs);
    });
  }, 120_000);

  it('a hold whose wait fails rolls back when it told, and tells the failure meanwhile', async () => {
    const cluster = modelCluster('c-turns-failed');
    cluster.waitFails = 'Forbidden';
    await lab.withWorker(async () => {
      const { handle, turnsAtMs } = await heldRun(cluster, 5000, NOT_READY);
      const failed = await until(handle, ({ whoActs }) => whoActs === 'person');
      expect(failed).toMatchObject({ holdReason: 'gates', rollsBackAtMs: turnsAtMs });
      expect(failed.findings.map(({ seen }) => seen)).toEqual([
        'fail: not Ready: cp-2',
        'Forbidden: the wait failed',
      ]);
      expect(await handle.result()).toMatchObject({ kind: 'rolledBack', target: 'kcm' });
      expect(Date.now()).toBeGreaterThanOrEqual(turnsAtMs);
    });
  }, 60_000);

  it('a pause ends the time of a hold, and the resumed run waits for a person', async () => {
    const cluster = modelCluster('c-turns-not');
    await lab.withWorker(async () => {
      const { handle, turnsAtMs } = await heldRun(cluster, 5000);
      expect(await say(handle, 'pause')).toMatchObject({ state: 'applied' });
      await setTimeout(Math.max(0, turnsAtMs - Date.now()) + 500);
      expect(await say(handle, 'resume')).toMatchObject({ state: 'applied' });
      const held = await until(handle, ({ holdReason }) => holdReason === 'gates');
      expect(held.target).toBe('ccm');
      expect(held).not.toHaveProperty('rollsBackAtMs');
      await say(handle, 'retry');
      expect(await handle.result()).toMatchObject({ kind: 'done', target: 'ccm' });
    });
  }, 120_000);
});
