import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MESSAGES } from '../../config/names.js';
import { policyOf } from '../support/cluster-builder.js';
import { instruct, openInbox, type FleetInbox } from './support/fleet-inbox.js';
import { modelCluster } from './support/model-cluster.js';
import {
  chainOf,
  eventCount,
  messageGate,
  openLab,
  say,
  until,
  type MigrationLab,
} from './support/migration-run.js';

let lab: MigrationLab;
const inboxes: FleetInbox[] = [];
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(async () => {
  for (const inbox of inboxes) await inbox.close();
  await lab.close();
});

async function fleet(): Promise<FleetInbox> {
  const inbox = await openInbox(lab);
  inboxes.push(inbox);
  return inbox;
}

const BY = { actor: 'cy@corp', reason: 'CHG-7' };
const policy = policyOf({ soakSeconds: 1 });
/** What a normal member may cost, of which its two reports are ten. */
const MOST_EVENTS = 150;

describe('a run that belongs to a fleet', () => {
  it('a normal member reports its soak and its end, and keeps a short history', async () => {
    const { member, reports } = await fleet();
    await lab.withWorker(async () => {
      const handle = await lab.start(modelCluster('m-normal'), { member, policy });
      expect(await handle.result()).toMatchObject({ kind: 'done' });
      const { fleetRun, row } = member;
      expect(await reports()).toEqual([
        { fleetRun, row, grant: 1, sequence: 1, what: { kind: 'soaking' } },
        {
          ...{ fleetRun, row, grant: 1, sequence: 2 },
          what: {
            ...{ kind: 'ended', outcome: 'proven', changed: true },
            ...{ signature: '', asked: false, reversibility: 'yes' },
          },
        },
      ]);
      expect(await eventCount(handle)).toBeLessThanOrEqual(MOST_EVENTS);
    });
  }, 60_000);

  it('a member that is parked in a step finishes it, changes nothing until its grant, and keeps its count when it continues as new', async () => {
    const { member, reports, kinds } = await fleet();
    const cluster = modelCluster('m-parked');
    const gate = messageGate();
    cluster.before = (_step, nth) => (nth === 3 ? gate.pass() : undefined);
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, { member, policy, continueAfterEvents: 40 });
      await gate.reached;
      await handle.signal(MESSAGES.order, { kind: 'park' });
      await instruct(handle, member, { kind: 'park' }, { fleetRun: 'an earlier fleet' });
      await instruct(handle, member, { kind: 'park' });
      await instruct(handle, member, { kind: 'park' });
      gate.open();
      expect(await kinds(2)).toEqual(['parked', 'ready']);
      const parked = await until(handle, ({ inFlight }) => inFlight === 'held');
      expect(parked).toMatchObject({
        advice: expect.stringMatching(/^parked by fleet [-0-9a-f]+, waits for a slot$/),
        pause: 'none',
      });
      expect(await say(handle, 'pause')).toMatchObject({ state: 'applied' });
      expect(await say(handle, 'resume')).toMatchObject({ state: 'applied' });
      expect(cluster.attempts).toBe(3);
      await instruct(handle, member, { kind: 'grant', target: 'ccm', by: BY }, { grant: 2 });
      await instruct(handle, member, { kind: 'park' });
      expect(await handle.result()).toMatchObject({ kind: 'done' });
      const sent = (await reports()).map(({ grant, sequence, what }) => [
        ...[grant, sequence],
        what.kind,
      ]);
      expect(sent).toEqual([
        [1, 1, 'parked'],
        [1, 2, 'ready'],
        // The pause of a person, and its end.
        [1, 3, 'held'],
        [1, 4, 'ready'],
        [2, 1, 'soaking'],
        [2, 2, 'ended'],
      ]);
      expect((await chainOf(lab, handle)).length).toBeGreaterThan(1);
    });
  }, 60_000);

  it('a member is braked by its fleet until that brake is released, whatever a person pauses and resumes', async () => {
    const { member, kinds } = await fleet();
    const cluster = modelCluster('m-braked');
    const gate = messageGate();
    cluster.before = (_step, nth) => (nth === 2 ? gate.pass() : undefined);
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, { member, policy });
      await gate.reached;
      const brake = { commandId: 'pause-1', by: BY };
      await instruct(handle, member, { kind: 'brake', ...brake });
      await until(handle, ({ pause }) => pause === 'pausing');
      gate.open();
      const held = await until(handle, ({ pause }) => pause === 'paused');
      expect(held).toMatchObject({ hold: 'pause', pausedBy: BY, inFlight: 'held' });
      expect(held.advice).toMatch(/^paused by fleet .+ \(cy@corp: CHG-7\)/);
      expect(await say(handle, 'resume')).toMatchObject({ state: 'refused' });
      expect(cluster.attempts).toBe(2);
      await instruct(handle, member, { kind: 'release', ...brake });
      expect(await handle.result()).toMatchObject({ kind: 'done' });
      expect(await kinds(2)).toEqual(['soaking', 'ended']);
    });
  }, 60_000);

  it('a member turns back and ends when its fleet orders it', async () => {
    const { member, reports } = await fleet();
    const cluster = modelCluster('m-turned');
    const gate = messageGate();
    cluster.before = (_step, nth) => (nth === 4 ? gate.pass() : undefined);
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, { member, policy });
      await gate.reached;
      await instruct(handle, member, { kind: 'turn', target: 'kcm', by: BY, byPerson: true });
      gate.open();
      expect(await handle.result()).toMatchObject({ kind: 'rolledBack' });
      expect((await reports()).map(({ what }) => what)).toMatchObject([
        { kind: 'ended', outcome: 'back', asked: true, changed: true },
      ]);
    });
  }, 60_000);

  it('a member whose fleet does not exist goes on to its end', async () => {
    const member = {
      ...{ fleetWorkflowId: `fleet-migration/${randomUUID()}`, fleetRun: randomUUID() },
      ...{ row: 0, grant: 1 },
    };
    await lab.withWorker(async () => {
      const handle = await lab.start(modelCluster('m-alone'), { member, policy });
      expect(await handle.result()).toMatchObject({ kind: 'done' });
    });
  }, 60_000);

  it('a member whose plan is stale reports that its cluster has drifted, before it fails', async () => {
    const { member, reports } = await fleet();
    const cluster = modelCluster('m-drifted');
    cluster.refusal = 'StalePlan';
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, { member, policy });
      await expect(handle.result()).rejects.toThrow();
      expect((await reports()).map(({ what }) => what)).toMatchObject([
        { kind: 'ended', outcome: 'drifted', changed: false, signature: 'CCM4001' },
      ]);
    });
  }, 60_000);

  it('a member whose input is refused reports it, before it fails', async () => {
    const { member, reports } = await fleet();
    await lab.withWorker(async () => {
      const handle = await lab.start(modelCluster('m-refused'), { member, reason: '' });
      await expect(handle.result()).rejects.toThrow();
      expect((await reports()).map(({ what }) => what)).toMatchObject([
        { kind: 'ended', outcome: 'refused', changed: false },
      ]);
    });
  }, 60_000);

  it('a run that its fleet adopts reports its end to it', async () => {
    const { member, reports } = await fleet();
    const cluster = modelCluster('m-adopted');
    const gate = messageGate();
    cluster.before = (_step, nth) => (nth === 2 ? gate.pass() : undefined);
    await lab.withWorker(async () => {
      const handle = await lab.start(cluster, { policy });
      await gate.reached;
      const { fleetWorkflowId } = member;
      await instruct(handle, member, { kind: 'adopt', fleetWorkflowId });
      gate.open();
      expect(await handle.result()).toMatchObject({ kind: 'done' });
      expect((await reports()).map(({ what }) => what.kind)).toEqual(['soaking', 'ended']);
    });
  }, 60_000);
});
