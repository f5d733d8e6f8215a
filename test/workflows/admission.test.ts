import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Admission } from '../../activities/contract.js';
import { PAYLOAD_TYPE, type Envelope } from '../../domain/authority/signed-envelope.js';
import { answerQuery, type ClusterMigrationInput } from '../../workflows/messages.js';
import { policyOf } from '../support/cluster-builder.js';
import { modelCluster, type ModelCluster } from './support/model-cluster.js';
import {
  answerTo,
  chainOf,
  eventCount,
  eventually,
  openLab,
  say,
  tell,
  until,
  type MigrationHandle,
  type MigrationLab,
} from './support/migration-run.js';

const START: Envelope = {
  ...{ payloadType: PAYLOAD_TYPE, payload: 'e30=', signatures: [{ keyid: 'k', sig: 's' }] },
};
const authority = { start: START, commands: [] };
const ADMITTED: Admission = { kind: 'admitted', principal: 'ben', note: '' };

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

/** A run that waits in its first step until `release`. */
async function stepping(name: string, given: Partial<ClusterMigrationInput>) {
  const cluster = modelCluster(name);
  let release: () => void = () => undefined;
  const inStep = new Promise<void>((resolve) => {
    cluster.before = () => {
      cluster.before = () => undefined;
      resolve();
      return new Promise((over) => (release = over));
    };
  });
  const handle = await lab.start(cluster, given);
  await inStep;
  return { cluster, handle, release: () => release() };
}

/** Holds the answers of workers until each is let go, in order. */
function slowAdmissions(cluster: ModelCluster) {
  const waiting: ((answer: Admission) => void)[] = [];
  cluster.admissions = () => new Promise((resolve) => waiting.push(resolve));
  return {
    asked: async (count: number): Promise<void> => {
      while (waiting.length < count) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    answer: (answer: Admission) => waiting.shift()?.(answer),
  };
}

const ended = (handle: MigrationHandle) => handle.result().catch((error: unknown) => error);

/** A run that waits for something, with a history that is about to be too long. */
async function longRun(name: string) {
  const cluster = modelCluster(name);
  const setVolumes = (inTree: number): void => {
    const { inventory } = cluster.observation;
    cluster.observation = {
      ...cluster.observation,
      inventory: { ...inventory, persistentVolumes: { inTree } },
    };
  };
  setVolumes(3);
  const handle = await lab.start(cluster, { authority, continueAfterEvents: 90 });
  await until(handle, ({ holdReason }) => holdReason === 'blocked');
  return {
    ...{ cluster, handle, slow: slowAdmissions(cluster) },
    /** Each adds events, and is no brake that overtakes what waits. */
    addEvents: async (until: () => boolean | Promise<boolean>): Promise<void> => {
      for (let count = 0; count < 40 && !(await until()); count += 1) {
        expect(await say(handle, 'approve', { reason: '' })).toMatchObject({ state: 'refused' });
      }
    },
    heal: () => setVolumes(0),
  };
}

describe('a long run with a command that no worker has admitted yet', () => {
  it('goes on, guarded, and continues as new once it has heard it', async () => {
    await lab.withWorker(async () => {
      const { cluster, handle, slow, addEvents, heal } = await longRun('c-long-admission');
      const retry = await tell(handle, 'retry');
      await slow.asked(1);
      await addEvents(async () => (await eventCount(handle)) > 110);
      expect(cluster.guards).toBe(1);
      expect(await chainOf(lab, handle)).toHaveLength(1);
      slow.answer(ADMITTED);
      expect(await answerTo(handle, retry)).toMatchObject({ state: 'applied' });
      heal();
      expect(await ended(handle)).toMatchObject({ kind: 'done', epoch: 1 });
      expect((await chainOf(lab, handle)).length).toBeGreaterThan(1);
    });
  }, 120_000);

  it('is guarded again where it arrives while the guard ends, and loses nothing', async () => {
    await lab.withWorker(async () => {
      const { cluster, handle, slow, addEvents, heal } = await longRun('c-late-admission');
      let sent = '';
      cluster.guardLeaves = async () => {
        cluster.guardLeaves = () => undefined;
        sent = await tell(handle, 'retry', { commandId: 'late' });
      };
      await addEvents(() => sent !== '');
      await slow.asked(1);
      await eventually(
        async () => cluster.guards,
        (guards) => guards === 1,
      );
      slow.answer(ADMITTED);
      expect(await answerTo(handle, 'late')).toMatchObject({ state: 'applied' });
      heal();
      expect(await ended(handle)).toMatchObject({ kind: 'done', epoch: 1 });
      expect((await chainOf(lab, handle)).length).toBeGreaterThan(1);
      expect(cluster.grants).toHaveLength(1);
    });
  }, 120_000);
});

describe('commands to a run that was signed', () => {
  it('one that a worker refuses is answered, with why, and changes nothing', async () => {
    await lab.withWorker(async () => {
      const { cluster, handle, release } = await stepping('c-refused', { authority });
      cluster.admissions = () => ({ kind: 'refused', why: 'its key is not in the policy' });
      expect(await say(handle, 'rollBack')).toEqual({
        ...{ state: 'refused', detail: 'CCM4035: its key is not in the policy' },
      });
      release();
      expect(await ended(handle)).toMatchObject({ kind: 'done', target: 'ccm' });
    });
  }, 60_000);

  it('one that a worker took and left is admitted by another, long before a step would be given up', async () => {
    await lab.withWorker(async () => {
      const { cluster, handle, release } = await stepping('c-worker-left', { authority });
      let leave: (late: Admission) => void = () => undefined;
      cluster.admissions = () => {
        cluster.admissions = () => ADMITTED;
        return new Promise((resolve) => (leave = resolve));
      };
      cluster.admitsMute = true;
      const asked = await tell(handle, 'rollBack');
      await eventually(
        () => handle.query(answerQuery, asked),
        ({ detail }) => detail.includes('is in flight'),
      );
      release();
      expect(await answerTo(handle, asked)).toMatchObject({ state: 'applied' });
      leave(ADMITTED);
      expect(await ended(handle)).toMatchObject({ kind: 'rolledBack' });
    });
  }, 50_000);

  it('a pause is heard of at once, and nothing that was sent before undoes it', async () => {
    await lab.withWorker(async () => {
      const { cluster, handle, release } = await stepping('c-overtaken', { authority });
      const slow = slowAdmissions(cluster);
      await tell(handle, 'pause');
      const resume = await tell(handle, 'resume');
      await slow.asked(1);
      expect(await handle.query(answerQuery, resume)).toEqual({
        ...{ state: 'pending', detail: 'a worker checks who signed it' },
      });
      await tell(handle, 'pause', { actor: 'eve' });
      slow.answer(ADMITTED);
      expect(await answerTo(handle, resume)).toMatchObject({
        state: 'refused',
        detail: expect.stringContaining('a pause or stop has arrived since'),
      });
      release();
      await until(handle, ({ pause }) => pause === 'paused');
      const again = await tell(handle, 'resume');
      await slow.asked(1);
      slow.answer({ ...ADMITTED, note: 'break-glass: ben' });
      expect(await answerTo(handle, again)).toMatchObject({ state: 'applied' });
      expect(await ended(handle)).toMatchObject({ kind: 'done' });
    });
  }, 60_000);

  it('the pause of an alert overtakes no rollback, of a person or of automation, and what automation signed is its own', async () => {
    const both = { automation: { pause: 'allowed', rollBack: 'allowed' } } as const;
    await lab.withWorker(async () => {
      for (const actor of ['ben@corp', 'automation/pager']) {
        const { cluster, handle, release } = await stepping(`c-first-${actor.slice(0, 3)}`, {
          ...{ authority, policy: policyOf({ soakSeconds: 0.1, ...both }) },
        });
        const slow = slowAdmissions(cluster);
        const since = { actor, alertSinceMs: Date.now() };
        const rollBack = await tell(handle, 'rollBack', since);
        const resume = await tell(handle, 'resume');
        await slow.asked(2);
        await tell(handle, 'pause', { actor: 'automation/other' });
        slow.answer(ADMITTED);
        slow.answer(ADMITTED);
        release();
        expect(await answerTo(handle, rollBack)).toMatchObject({ state: 'applied' });
        expect(await answerTo(handle, resume)).toMatchObject({
          ...{ state: 'refused', detail: expect.stringContaining('has arrived since') },
        });
        expect(await ended(handle)).toMatchObject({ kind: 'rolledBack' });
      }
      const { cluster, handle, release } = await stepping('c-automation-key', { authority });
      cluster.admissions = () => ({ ...ADMITTED, byAutomation: true });
      const asked = await tell(handle, 'rollBack', { actor: 'ben@corp' });
      await eventually(
        () => handle.query(answerQuery, asked),
        ({ detail }) => detail.includes('is in flight'),
      );
      release();
      expect(await answerTo(handle, asked)).toMatchObject({
        ...{
          state: 'applied',
          detail: expect.stringContaining('refuses a rollback by automation'),
        },
      });
      const paused = await until(handle, ({ pause }) => pause === 'paused');
      expect(paused).toMatchObject({ target: 'ccm', alertPause: { holds: true } });
      await say(handle, 'stop');
    });
  }, 90_000);

  it('an alert that may not roll back pauses; a glass that was broken shows in the reason', async () => {
    await lab.withWorker(async () => {
      const { cluster, handle, release } = await stepping('c-alert', { authority });
      cluster.admissions = ({ actor }) =>
        actor === 'automation/pager'
          ? { kind: 'refused', why: 'the command is not signed' }
          : { ...ADMITTED, note: 'break-glass: ben' };
      await tell(handle, 'rollBack', { actor: 'automation/pager', alertSinceMs: Date.now() });
      release();
      const paused = await until(handle, ({ pause }) => pause === 'paused');
      expect(paused).toMatchObject({ target: 'ccm', pausedBy: { actor: 'automation/pager' } });
      expect(await say(handle, 'rollBack', { reason: 'it burns' })).toMatchObject({
        state: 'applied',
      });
      const { targetReason } = await until(handle, ({ target }) => target === 'kcm');
      expect(targetReason).toContain('it burns [break-glass: ben]');
      expect(await ended(handle)).toMatchObject({
        ...{ kind: 'rolledBack', target: 'kcm' },
      });
    });
  }, 60_000);

  it('a handover waits until as many have approved it as a worker says', async () => {
    const policy = policyOf({ soakSeconds: 0.1, handoverApproval: 'required' });
    await lab.withWorker(async () => {
      const cluster = modelCluster('c-quorum');
      cluster.admissions = ({ actor }) => ({ ...ADMITTED, principal: actor, quorum: 2 });
      const handle = await lab.start(cluster, { authority, policy });
      await until(handle, ({ findings }) => findings.some(({ code }) => code === 'CCM4015'));
      expect(await say(handle, 'approve', { actor: 'ben' })).toEqual({
        ...{ state: 'applied', detail: '1 of 2 people have approved the handover' },
      });
      expect(await say(handle, 'approve', { actor: 'ben' })).toMatchObject({
        ...{ state: 'refused', detail: expect.stringContaining('approved it already') },
      });
      const { findings } = await until(handle, () => true);
      expect(findings.map(({ seen }) => seen).join()).toContain(
        '1 of 2 people have approved it: ben',
      );
      expect(await say(handle, 'approve', { actor: 'cho' })).toMatchObject({
        ...{ state: 'applied', detail: 'handover approved by cho, 2 of 2' },
      });
      expect(await ended(handle)).toMatchObject({ kind: 'done', target: 'ccm' });
    });
  }, 60_000);

  it('an approval of something else leaves the handover waiting, also once it was rejected', async () => {
    const policy = policyOf({ soakSeconds: 0.1, handoverApproval: 'required' });
    await lab.withWorker(async () => {
      const cluster = modelCluster('c-other-code');
      cluster.admissions = ({ actor }) => ({ ...ADMITTED, principal: actor });
      const handle = await lab.start(cluster, { authority, policy });
      await until(handle, ({ findings }) => findings.some(({ code }) => code === 'CCM4015'));
      const other = { actor: 'ben', arguments: { code: 'CCM4015' } };
      const refusal = {
        state: 'refused',
        detail: expect.stringContaining('approval of the handover, not of CCM4015'),
      };
      expect(await say(handle, 'approve', other)).toMatchObject(refusal);
      expect(await say(handle, 'reject', { actor: 'ben' })).toMatchObject({ state: 'applied' });
      expect(await say(handle, 'approve', other)).toMatchObject(refusal);
      expect(await say(handle, 'approve', { actor: 'ben' })).toMatchObject({ state: 'applied' });
      expect(await ended(handle)).toMatchObject({ kind: 'done', target: 'ccm' });
    });
  }, 60_000);

  it('one that no worker has admitted when the run ends is refused, also in what the run reports', async () => {
    await lab.withWorker(async () => {
      const { cluster, handle, release } = await stepping('c-unheard', { authority });
      const slow = slowAdmissions(cluster);
      const asked = await tell(handle, 'skip', { arguments: { code: 'CCM3101' } });
      await slow.asked(1);
      await tell(handle, 'stop');
      release();
      const refusal = {
        state: 'refused',
        detail: 'the run ended before a worker had said who signed it; it had no effect',
      };
      expect(await ended(handle)).toMatchObject({
        ...{ kind: 'stopped', answers: { [asked]: refusal } },
      });
      expect(await handle.query(answerQuery, asked)).toEqual(refusal);
    });
  }, 60_000);

  it('a run without a statement asks no one', async () => {
    await lab.withWorker(async () => {
      const { cluster, handle, release } = await stepping('c-plain', {});
      cluster.admissions = () => ({ kind: 'refused', why: 'it was asked' });
      const retry = await tell(handle, 'pause');
      release();
      expect(await answerTo(handle, retry)).toMatchObject({ state: 'applied' });
      expect(await say(handle, 'resume')).toMatchObject({ state: 'applied' });
      expect(await ended(handle)).toMatchObject({ kind: 'done' });
    });
  }, 60_000);
});
