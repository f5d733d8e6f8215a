import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import { openWork } from '../../cli/fleets/open-work.js';
import { tellWork } from '../../cli/fleets/tell-work.js';
import { visibleRuns } from '../../cli/fleets/visible-runs.js';
import { isSchemaName, jsonSchemaOf } from '../../config/json-schemas.js';
import { fakeTerminal, ran, type Ran } from '../cli/fake-terminal.js';
import { eventually } from './support/migration-run.js';
import {
  type FleetLab,
  memberId,
  openFleetLab,
  stateOf,
  untilOpen,
  untilPhases,
} from './support/fleet-lab.js';

let lab: FleetLab;
beforeAll(async () => {
  lab = await openFleetLab();
});
afterAll(() => lab.close());

/** One command line against the server of the tests. */
function typed(words: readonly string[], answers: readonly string[] = []): Promise<Ran> {
  const address = process.env['CCM_TEST_TEMPORAL_ADDRESS'] ?? '';
  const terminal = fakeTerminal({ answers });
  return ran([...words, '--address', address], { terminal });
}

const said = (actor: string): readonly string[] => ['--reason', 'CHG-7', '--actor', actor, '--yes'];

/** The document of a command, checked against its published schema. */
async function document(words: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await typed([...words, '-o', 'json']);
  const content = JSON.parse(stdout) as { kind: string } & Record<string, unknown>;
  if (!isSchemaName(content.kind)) throw new Error(`no schema for ${content.kind}`);
  const check = new Ajv({ strict: false }).compile(jsonSchemaOf(content.kind));
  expect([check(content), check.errors]).toEqual([true, null]);
  return content;
}

const areAll =
  (...wanted: readonly string[]) =>
  (phases: readonly string[]): boolean =>
    phases.join() === wanted.join();

describe('commands of a fleet as they are typed', () => {
  it('a fleet is paused and resumed, one cluster is rolled back, and status shows each', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-a' }, { name: 'b' }];
      const handle = await lab.start({ name: 'typed', rows, policy: { inFlight: 1 } });
      const name = lab.named('typed');
      await untilPhases(handle, areAll('active', 'waiting'));
      expect(await typed(['pause', name, ...said('bo')])).toMatchObject({
        exit: 0,
        stdout: expect.stringMatching(
          /^✔ typed-\w+: pause applied: open runs that pause at a safe point: 1/,
        ),
      });
      const again = await typed(['pause', name, ...said('cy')]);
      expect(again.exit).toBe(0);
      expect(again.stdout).toContain('pause applied: it is paused already, by bo: CHG-7');
      const shown = await typed(['status', name]);
      expect(shown.stdout).toContain('॥ Paused · 0/2 proven');
      expect(shown.stdout).toContain(`→ ccm-migrate resume ${name}`);
      expect(await document(['status', name])).toMatchObject({
        kind: 'FleetStatus',
        status: { standing: 'paused', counts: { active: 1, waiting: 1 } },
      });
      expect(await document(['get', 'clusters', name, '-l', 'state=moving'])).toMatchObject({
        clusters: [{ name: 'slow-a', phase: 'active', waitsFor: null }],
      });
      const waits = await typed(['describe', `${name}/b`]);
      expect(waits.stdout).toMatch(
        /^CLUSTER .*\nb +waiting .*waits for resume \(paused by bo: CHG-7\)/,
      );
      expect((await typed(['describe', name])).stdout).toMatch(
        /Commands:\n.* cy: pause applied: it is paused already.*\n.* bo: pause applied/,
      );
      expect(await document(['resume', name, ...said('bo')])).toMatchObject({
        ...{ kind: 'FleetCommandResult', fleet: name, scope: name, verb: 'resume' },
        ...{ state: 'applied', applied: 2 },
      });
      const back = await typed(['rollback', `${name}/slow-a`, ...said('bo')]);
      expect(back.stdout).toMatch(/slow-a: rollback applied: turning/);
      await untilPhases(handle, areAll('back', 'proven'));
      expect(await handle.result()).toMatchObject({ kind: 'done' });
      const ended = await typed(['pause', name, ...said('bo')]);
      expect(ended.exit).toBe(7);
      expect(ended.stderr).toContain('has no open run');
      expect(ended.stderr).toContain('It has ended, or never began');
      expect((await typed(['status', name])).stdout).toMatch(/✔ Ended · 1\/2 proven/);
    });
  });

  it('a fleet that no worker answers for is counted from the search index, and only its own runs', async () => {
    const rows = [{ name: 'slow-v' }, { name: 'slow-w' }, { name: 'x' }];
    const handle = await lab.withWorker(async () => {
      const before = await lab.start({ name: 'silent', rows: [{ name: 'x' }] });
      await before.result();
      const started = await lab.start({ name: 'silent', rows, policy: { inFlight: 2 } });
      await untilPhases(started, areAll('active', 'active', 'waiting'));
      await untilOpen(lab, 'slow-v');
      await untilOpen(lab, 'slow-w');
      return started;
    });
    const name = lab.named('silent');
    const seen = async (): Promise<unknown> => visibleRuns(lab.environment.client, name);
    // Model members have no phase of their own.
    const expected = { phases: {}, untaken: 2, paused: 0, outcomes: {}, withoutOutcome: 0 };
    await eventually(seen, (each) => isDeepStrictEqual(each, expected));
    expect(await document(['status', name])).toMatchObject({
      ...{ silence: { code: 'CCM4018' }, status: null, visible: expected },
    });
    const shown = await typed(['status', name]);
    expect(shown.stdout).toMatch(/open {4}2 not taken yet\n/);
    await handle.terminate('the test is over');
  });

  it('a command says whom it could not reach, and they are told once they can be reached', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-f' }, { name: 'slow-g' }];
      const handle = await lab.start({ name: 'reach', rows, policy: { inFlight: 2 } });
      const name = lab.named('reach');
      await untilPhases(handle, areAll('active', 'active'));
      await untilOpen(lab, 'slow-f');
      await untilOpen(lab, 'slow-g');
      const lost = memberId(lab, 'slow-g');
      lab.cutOff.add(lost);
      const paused = await document(['pause', name, ...said('bo')]);
      expect(paused).toMatchObject({
        state: 'applied',
        reach: { unreached: ['slow-g'], unreachedCount: 1, waiting: 0 },
      });
      const one = await typed(['stop', `${name}/slow-g`, ...said('bo')]);
      expect(one.stdout).toContain('⚠ could not reach slow-g; told again until reached or ended');
      lab.cutOff.clear();
      const member = lab.environment.client.workflow.getHandle(lost);
      await member.result();
      const resumed = await document(['resume', name, ...said('bo')]);
      expect(resumed).toMatchObject({ reach: { unreached: [], unreachedCount: 0, waiting: 0 } });
      await typed(['stop', name, ...said('bo')]);
      await handle.result();
    });
  });

  it('a freeze of everything lists fleets and runs on their own, and each says what came of it', async () => {
    await lab.withWorker(async () => {
      const handle = await lab.start({ name: 'cold', rows: [{ name: 'slow-h' }] });
      await untilPhases(handle, areAll('active'));
      const { client } = lab.environment;
      const { queue: taskQueue } = lab;
      const workflowId = memberId(lab, 'slow-alone');
      const input = { cluster: { name: 'slow-alone', uid: lab.named('slow-alone') } };
      const alone = await client.workflow.start('clusterMigration', {
        ...{ workflowId, taskQueue, args: [input] },
      });
      // Other suites share this server.
      const ours = [handle.workflowId, workflowId, memberId(lab, 'slow-h')];
      const query = `ExecutionStatus='Running' AND WorkflowId IN ('${ours.join("', '")}')`;
      await eventually(
        () => client.workflow.count(query),
        ({ count }) => count === ours.length,
      );
      const open = (await openWork(client)).filter((each) => ours.includes(each.workflowId));
      expect(open.map((each) => [each.kind, each.workflowId])).toEqual([
        ['fleet', handle.workflowId],
        ['cluster', workflowId],
      ]);
      const tell = async (verb: 'freeze' | 'unfreeze', deadlineMs: number) =>
        Promise.all(
          open.map(async (each) =>
            tellWork(client, each, {
              ...{ verb, who: { actor: 'bo', reason: 'fire', ticket: '' } },
              patience: { deadlineMs, signal: new AbortController().signal },
              signer: null,
            }),
          ),
        );
      // The model of a run reads no commands: the server keeps the pause.
      const [fleet, run] = await tell('freeze', Date.now() + 8_000);
      expect([fleet?.state, fleet?.untold, run?.state]).toEqual(['done', 0, 'unanswered']);
      expect((await tell('freeze', Date.now()))[0]).toMatchObject({ state: 'done' });
      expect((await stateOf(handle)).brakes).toMatchObject([{ kind: 'freeze', reason: 'fire' }]);
      expect((await tell('unfreeze', Date.now() + 8_000))[0]).toMatchObject({ state: 'done' });
      expect((await stateOf(handle)).brakes).toEqual([]);
      await alone.terminate();
      await typed(['stop', lab.named('cold'), ...said('bo')]);
      await handle.result();
      expect((await tell('freeze', Date.now()))[0]).toMatchObject({ state: 'ended' });
    });
  });

  it('a fleet that has ended is opened again to roll back what it moved, and only for that', async () => {
    await lab.withWorker(async () => {
      const handle = await lab.start({ name: 'ended', rows: [{ name: 'r' }, { name: 's' }] });
      const name = lab.named('ended');
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 2 } });
      const retried = await typed(['retry', name, ...said('bo')]);
      expect({ exit: retried.exit, stderr: retried.stderr }).toEqual({
        ...{ exit: 7, stderr: expect.stringContaining('has no open run') },
      });
      const back = await typed(['rollback', `${name}/s`, ...said('bo')]);
      expect(back.stderr).toContain(`fleet ${name} has ended; it is opened again to roll back`);
      expect(back.stdout).toMatch(/s: rollback applied: turning/);
      const again = lab.environment.client.workflow.getHandle(handle.workflowId);
      expect(await again.result()).toEqual({ kind: 'done', counts: { proven: 1, back: 1 } });
      expect((await typed(['rollback', name, ...said('bo')])).exit).toBe(0);
      expect(await again.result()).toEqual({ kind: 'done', counts: { back: 2 } });
      const nothing = await typed(['rollback', name, ...said('bo')]);
      expect({ exit: nothing.exit, stderr: nothing.stderr }).toEqual({
        ...{ exit: 7, stderr: expect.stringContaining('rollback was refused') },
      });
      expect((await typed(['status', name])).stdout).toMatch(/✔ Ended · 0\/2 proven/);
    });
  });

  it('a wave waits for another person, who sees whom and what to type', async () => {
    await lab.withWorker(async () => {
      const waves = [{ approvals: { before: 1, after: 0 } }];
      const handle = await lab.start({ name: 'asked', waves, rows: [{ name: 'k' }] });
      const name = lab.named('asked');
      await untilPhases(handle, areAll('waiting'));
      const { status } = (await document(['status', name])) as {
        status: { needs: { command: string; who: string }[] };
      };
      const [need] = status.needs;
      const words = (need?.command ?? '').split(' ').slice(1);
      expect(words[0]).toBe('approve');
      const asker = (need?.who ?? '').replace('anyone but ', '');
      const own = await typed([...words, ...said(asker)]);
      expect({ exit: own.exit, stderr: own.stderr }).toEqual({
        exit: 7,
        stderr: expect.stringContaining('asked for this fleet'),
      });
      const asked = await typed(['get', 'approvals', name]);
      expect(asked.stdout).toMatch(/^• wave \S+ before: 0 of 1 \(anyone but /);
      const listed = await typed(['get', 'waves', name]);
      expect(listed.stdout).toContain('1 approval missing');
      const declined = await typed([...words, '--reason', 'r', '--actor', 'bo'], ['n']);
      expect(declined.stderr).toContain('nothing was changed');
      expect((await typed([...words, ...said('bo')])).stdout).toContain('1 of 1 approvals');
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 1 } });
    });
  });

  it('limits are lowered at once, raised by a second person, and tried out without either', async () => {
    await lab.withWorker(async () => {
      const rows = [{ name: 'slow-m' }, { name: 'n' }, { name: 'o' }];
      const handle = await lab.start({
        name: 'limits',
        rows,
        policy: { inFlight: 1, unproven: 1 },
      });
      const name = lab.named('limits');
      await untilPhases(handle, areAll('active', 'waiting', 'waiting'));
      const tried = await document([
        'set',
        name,
        '--in-flight',
        '3',
        '--unproven',
        '3',
        '--what-if',
      ]);
      expect(tried).toMatchObject({ kind: 'FleetForecast', inFlight: 3, unproven: 3 });
      const { status } = await document(['status', name]);
      expect(status).toMatchObject({ forecast: { kind: 'known', changes: 0, afterPeople: false } });
      expect((await typed(['status', name])).stdout).toMatch(
        /^Forecast: {2}ends .* · by the plan, no cluster measured yet$/m,
      );
      const raised = await typed([
        'set',
        name,
        '--in-flight',
        '3',
        '--unproven',
        '3',
        ...said('bo'),
      ]);
      expect(raised).toMatchObject({
        exit: 0,
        stdout: expect.stringContaining(
          `Next, by another person: ccm-migrate approve ${name} --limits`,
        ),
      });
      const own = await typed(['approve', name, '--limits', ...said('bo')]);
      expect(own.stderr).toContain('bo asked for these limits');
      await typed(['approve', name, '--limits', ...said('cy')]);
      await untilPhases(handle, areAll('active', 'proven', 'proven'));
      expect((await typed(['stop', name, ...said('bo')])).stdout).toContain('stop applied');
      expect(await handle.result()).toEqual({ kind: 'stopped', counts: { stopped: 1, proven: 2 } });
    });
  });

  it('a command that names nothing of the fleet is refused before it is sent', async () => {
    await lab.withWorker(async () => {
      const handle = await lab.start({ name: 'wrong', rows: [{ name: 'slow-q' }] });
      const name = lab.named('wrong');
      await untilPhases(handle, areAll('active'));
      for (const [words, message] of [
        [['pause', `${name}/slow-x`], 'has no cluster slow-x'],
        [['open', name], 'open is for a wave'],
        [['set', name], '--in-flight or --unproven is required'],
        [['approve', name], 'name what is approved'],
        [['retry', name, '--failed', '--skipped'], 'exclude each other'],
      ] as const) {
        const { exit, stderr } = await typed([...words, ...said('bo')]);
        expect({ exit, stderr }).toEqual({ exit: 64, stderr: expect.stringContaining(message) });
      }
      await handle.terminate();
      expect((await typed(['status', name])).stdout).toContain('✖ Terminated');
    });
  });

  it('without a worker a pause is kept, and what needs names is refused', async () => {
    const handle = await lab.start({ name: 'alone', rows: [{ name: 'slow-r' }] });
    const name = lab.named('alone');
    const paused = await typed(['pause', name, ...said('bo'), '--timeout', '1s']);
    expect(paused.exit).toBe(124);
    expect(paused.stdout).toContain('the fleet keeps the command and applies it once');
    const one = await typed(['pause', `${name}/slow-r`, ...said('bo'), '--timeout', '1s']);
    expect(one.exit).toBe(1);
    expect(one.stderr).toContain('CCM4018');
    await lab.withWorker(async () => {
      await untilPhases(handle, areAll('waiting'));
      await typed(['stop', name, ...said('bo')]);
      expect(await handle.result()).toMatchObject({ kind: 'stopped' });
    });
  });
});
