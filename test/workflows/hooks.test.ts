import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { clusterWorkflowId } from '../../config/names.js';
import { UNSTATED_AUTOMATION } from '../../domain/policy.js';
import { answerQuery } from '../../workflows/messages.js';
import {
  ALLOWED,
  notification,
  openHooks,
  PAUSER,
  post,
  runInStep,
  signals,
  TOKEN,
  type HookLab,
} from './support/hook-lab.js';
import { modelCluster } from './support/model-cluster.js';
import {
  eventually,
  messageGate,
  openLab,
  say,
  tell,
  until,
  type MigrationLab,
} from './support/migration-run.js';

let lab: MigrationLab;
let hooks: HookLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());
beforeEach(async () => {
  hooks = await openHooks();
  await hooks.scope('h-*');
});
afterEach(() => hooks.close());

const hookServer = (): Promise<string> => hooks.serve(lab.environment.client);

describe('an alert pulls the brake', () => {
  it('an alert pauses the run it names, a retry and a replay of it are the same command, and its end is noted and resumes nothing', async () => {
    await lab.withWorker(async () => {
      const url = await hookServer();
      const { handle, uid, release } = await runInStep(lab, 'h-brake');
      const startsAt = new Date().toISOString();
      const alert = notification([{ cluster: uid, startsAt }]);
      const first = await post(url, alert);
      expect(first).toMatchObject({ status: 202, results: [{ outcome: 'sent' }] });
      release();
      const paused = await until(handle, ({ pause }) => pause === 'paused');
      expect(paused.pausedBy).toEqual({
        actor: 'automation/am',
        reason: 'alert Errors: load balancers fail',
      });
      expect(await post(url, alert)).toMatchObject({
        status: 202,
        results: [{ outcome: 'known' }],
      });
      const other = notification([{ cluster: uid, startsAt, fingerprint: 'f-2' }]);
      expect(await post(url, other)).toMatchObject({ results: [{ outcome: 'known' }] });
      expect(await signals(handle)).toBe(1);
      const over = notification([{ cluster: uid, startsAt, status: 'resolved' }]);
      expect(await post(url, over)).toMatchObject({ status: 202, results: [{ outcome: 'noted' }] });
      const noted = await until(
        handle,
        ({ pausedBy }) => pausedBy?.reason.includes('alert over since') === true,
      );
      expect(noted.pause).toBe('paused');
      expect(await post(url, over)).toMatchObject({ status: 200, results: [{ outcome: 'over' }] });
      expect(await signals(handle)).toBe(2);
      await say(handle, 'stop');
      await handle.result();
      expect(await post(url, alert)).toMatchObject({
        ...{ status: 200, results: [{ outcome: 'unmatched' }] },
      });
    });
  }, 60_000);

  it('two servers that are told the same at once give one command', async () => {
    await lab.withWorker(async () => {
      const urls = [await hookServer(), await hookServer()];
      const { handle, uid, release } = await runInStep(lab, 'h-pair');
      const alert = notification([{ cluster: uid }]);
      const answers = await Promise.all(urls.map((url) => post(url, alert)));
      const ids = new Set(answers.flatMap(({ results }) => results.map((each) => each.commandId)));
      expect([...ids]).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]);
      expect(answers.map(({ status }) => status)).toEqual([202, 202]);
      release();
      await until(handle, ({ pause }) => pause === 'paused');
      expect(await handle.query(answerQuery, [...ids][0] ?? '')).toMatchObject({
        ...{ state: 'applied', detail: 'paused: nothing is changed until resume' },
      });
      await say(handle, 'stop');
    });
  }, 60_000);

  it('an alert that began before the last resume of a person changes nothing, and one that began after it pauses', async () => {
    await lab.withWorker(async () => {
      const url = await hookServer();
      const { cluster, handle, uid, release } = await runInStep(lab, 'h-resumed');
      const before = new Date().toISOString();
      await post(url, notification([{ cluster: uid, startsAt: before }]));
      release();
      await until(handle, ({ pause }) => pause === 'paused');
      const gate = messageGate();
      cluster.before = gate.pass;
      expect(await say(handle, 'resume')).toMatchObject({ state: 'applied' });
      await gate.reached;
      const old = notification([{ cluster: uid, startsAt: before, fingerprint: 'f-old' }]);
      const [sent] = (await post(url, old)).results;
      gate.open();
      const answer = await eventually(
        () => handle.query(answerQuery, sent?.commandId ?? ''),
        ({ state }) => state !== 'pending',
      );
      expect(answer).toMatchObject({
        ...{ state: 'refused', detail: expect.stringContaining('CCM4041: the alert began before') },
      });
    });
  }, 60_000);

  it('a run that no worker has taken up is paused by the UID of its cluster before it does anything, in the time of production', async () => {
    const url = await hooks.serve(lab.environment.client, 950);
    const cluster = modelCluster('h-new');
    const handle = await lab.start(cluster);
    const { uid } = cluster.observation.cluster;
    const alert = notification([{ cluster: uid }]);
    // A busy machine may be too slow once or twice; the sender tries again.
    const stored = await eventually(
      () => post(url, alert),
      ({ status }) => status !== 503,
    );
    expect(stored).toMatchObject({
      ...{ status: 202, results: [{ outcome: 'sent', run: clusterWorkflowId(uid) }] },
    });
    await lab.withWorker(async () => {
      await until(handle, ({ pause }) => pause === 'paused');
      expect(cluster.attempts).toBe(0);
      await say(handle, 'stop');
      await handle.result();
    });
  }, 60_000);
});

describe('an alert turns a run around with two keys only', () => {
  it('a rollback by an alert turns a run whose policy allows it', async () => {
    await lab.withWorker(async () => {
      const url = await hookServer();
      const { handle, uid, release } = await runInStep(lab, 'h-turn');
      expect(await post(url, notification([{ cluster: uid, verb: 'rollBack' }]))).toMatchObject({
        ...{ status: 202, results: [{ outcome: 'sent', verb: 'rollBack' }] },
      });
      release();
      const turned = await until(handle, ({ target }) => target === 'kcm');
      expect(turned.requestedBy.actor).toBe('automation/am');
      expect(await handle.result()).toMatchObject({ kind: 'rolledBack' });
    });
  }, 60_000);

  it('an alert that fires while a run rolls back changes nothing of it, and its answer says so; a person pauses it all the same', async () => {
    await lab.withWorker(async () => {
      const url = await hookServer();
      const cluster = modelCluster('h-back');
      const { uid } = cluster.observation.cluster;
      const [gate, late] = [messageGate(), messageGate()];
      const handle = await lab.start(cluster);
      cluster.before = async (_step, nth) => {
        if (nth === 5) await tell(handle, 'pause');
      };
      await until(handle, ({ pause }) => pause === 'paused');
      await say(handle, 'rollBack');
      cluster.before = gate.pass;
      await say(handle, 'resume');
      await gate.reached;
      const alert = notification([{ cluster: uid }]);
      expect(await post(url, alert)).toMatchObject({
        ...{ status: 202, results: [{ outcome: 'rollingBack', verb: 'pause' }] },
      });
      cluster.before = late.pass;
      gate.open();
      await late.reached;
      const going = await until(handle, ({ alertPause = null }) => alertPause !== null);
      expect(going).toMatchObject({
        ...{ target: 'kcm', pause: 'none', pausedBy: null, inFlight: 'stepping' },
        alertPause: { actor: 'automation/am', holds: false },
      });
      expect(await post(url, notification([{ cluster: uid, fingerprint: 'f-2' }]))).toMatchObject({
        ...{ status: 202, results: [{ outcome: 'rollingBack' }] },
      });
      expect(await signals(handle)).toBe(4);
      await tell(handle, 'pause');
      late.open();
      const paused = await until(handle, ({ pause }) => pause === 'paused');
      expect(paused).toMatchObject({ pausedBy: { actor: 'ben@corp' }, alertPause: null });
      cluster.before = () => undefined;
      await say(handle, 'resume');
      expect(await handle.result()).toMatchObject({ kind: 'rolledBack' });
    });
  }, 60_000);

  it.each([
    [
      'the policy does not allow it',
      UNSTATED_AUTOMATION,
      TOKEN,
      {},
      'the policy refuses a rollback',
    ],
    ['the token does not allow it', ALLOWED, PAUSER, {}, 'paused: nothing'],
    [
      'the alert began before the run',
      ALLOWED,
      TOKEN,
      { startsAt: '2026-01-01T00:00:00Z' },
      'began before the run',
    ],
    ['the sender left alerts out', ALLOWED, TOKEN, { truncated: 3 }, 'paused: nothing'],
  ] as const)(
    'a rollback pauses where %s',
    async (_why, automation, token, given, detail) => {
      await lab.withWorker(async () => {
        const url = await hookServer();
        const { handle, uid, release } = await runInStep(
          lab,
          `h-${randomUUID().slice(0, 8)}`,
          automation,
        );
        const rest = 'truncated' in given ? { truncatedAlerts: given.truncated } : {};
        const startsAt = 'startsAt' in given ? { startsAt: given.startsAt } : {};
        const alert = notification([{ cluster: uid, verb: 'rollBack', ...startsAt }], rest);
        const answer = await post(url, alert, token);
        expect(answer).toMatchObject({ status: 202 });
        release();
        const paused = await until(handle, ({ pause }) => pause === 'paused');
        expect(paused.target).toBe('ccm');
        const sent = answer.results.find(({ outcome }) => outcome === 'sent');
        expect(await handle.query(answerQuery, sent?.commandId ?? '')).toMatchObject({
          ...{ state: 'applied', detail: expect.stringContaining(detail) },
        });
        await say(handle, 'stop');
      });
    },
    60_000,
  );

  it('what a sender left out is paused by the labels of its group', async () => {
    await lab.withWorker(async () => {
      const url = await hookServer();
      const { handle, uid, release } = await runInStep(lab, 'h-truncated');
      const groupLabels = { cluster_uid: uid };
      const alert = notification([{ cluster: 'none' }], { truncatedAlerts: 7, groupLabels });
      expect(await post(url, alert)).toMatchObject({
        status: 202,
        results: [{ outcome: 'sent', run: clusterWorkflowId(uid) }, { outcome: 'unmatched' }],
      });
      release();
      await until(handle, ({ pause }) => pause === 'paused');
      await say(handle, 'stop');
    });
  }, 60_000);

  it('a pause that the policy refuses is recorded and not obeyed', async () => {
    await lab.withWorker(async () => {
      const url = await hookServer();
      const { handle, uid, release } = await runInStep(lab, 'h-refused', {
        ...{ pause: 'refused', rollBack: 'refused' },
      });
      const answer = await post(url, notification([{ cluster: uid }]));
      expect(answer).toMatchObject({ status: 202 });
      release();
      expect(await handle.result()).toMatchObject({ kind: 'done' });
      expect(await handle.query(answerQuery, answer.results[0]?.commandId ?? '')).toMatchObject({
        ...{ state: 'refused', detail: expect.stringContaining('CCM4040') },
      });
    });
  }, 60_000);
});
