import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readSavedPlan } from '../../cli/plan/saved-plan.js';
import { fleetInput, startFleet } from '../../cli/fleets/start-fleet.js';
import { FLEET_MIGRATION, MESSAGES, fleetWorkflowId } from '../../config/names.js';
import { digestText } from '../../domain/digest.js';
import type { fleetMigration } from '../../workflows/fleet-migration.js';

import { exampleFleet, givenFleetPlan, plannedResult } from '../cli/plan/given-fleet-plan.js';
import { fakeTerminal, ran, type Ran } from '../cli/fake-terminal.js';
import { invocationOf, nextOf } from '../cli/typed-line.js';
import { goOnSignal } from './support/fleet-member.js';
import { type FleetLab, memberId, openFleetLab, stateOf, untilOpen } from './support/fleet-lab.js';

let lab: FleetLab;
let folder: string;
beforeAll(async () => {
  lab = await openFleetLab();
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-apply-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await lab.close();
});

async function saved(name: string, regions: readonly string[]): Promise<string> {
  const fleet = { ...(await exampleFleet()), name };
  const results = regions.map((region, index) => plannedResult(fleet, index, { region }));
  const path = join(folder, `${name}.json`);
  await writeFile(path, JSON.stringify(await givenFleetPlan(fleet, results)));
  return path;
}

function apply(
  path: string,
  more: readonly string[],
  answers: readonly string[] = [],
): Promise<Ran> {
  const address = process.env['CCM_TEST_TEMPORAL_ADDRESS'] ?? '';
  const words = ['apply', path, '--reason', 'CHG-1', '--address', address, ...more];
  return ran(words, { terminal: fakeTerminal({ answers }) });
}

it('a fleet starts once: where it is open, it must answer before it gets another plan', async () => {
  const name = lab.named('once');
  const path = await saved(name, ['eu', 'us']);
  const declined = await apply(path, ['--without-workers'], ['n']);
  expect(declined.exit).toBe(7);
  expect(declined.stderr).toContain(`Fleet ${name} · 2 clusters`);
  expect(declined.stderr).toContain('nothing was changed');
  const started = await apply(path, ['--without-workers', '--yes']);
  expect(started).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('started, 2 clusters'),
  });
  const next = await invocationOf(nextOf(started.stdout));
  expect(next).toMatchObject({ verb: { name: 'status' }, arguments: [name] });
  const again = await apply(path, ['--without-workers', '--yes', '-o', 'json']);
  expect(again.exit).toBe(1);
  expect(JSON.parse(again.stdout)).toMatchObject({
    code: 'CCM4018',
    message: expect.stringContaining('does not answer'),
  });
  const plan = await readSavedPlan(path);
  if (plan.kind !== 'FleetPlan') throw new Error('it is the plan of one cluster');
  const who = { actor: 'bo', reason: 'CHG-1', ticket: '' };
  const { client } = lab.environment;
  await expect(startFleet(client, plan, who, [])).rejects.toMatchObject({ code: 'CCM4031' });
  const handle = lab.environment.client.workflow.getHandle(fleetWorkflowId(name));
  const { memo } = await handle.describe();
  expect(memo).toMatchObject({ reason: 'CHG-1', fleet: name });
  await handle.terminate();
});

it('a fleet whose region no worker serves is refused with its queues, before any question', async () => {
  const region = randomUUID();
  const refused = await apply(await saved(lab.named('unserved'), [region]), []);
  expect(refused.exit).toBe(7);
  expect(refused.stderr).toContain(`CCM4018 region ${region}: no worker polls`);
  expect(refused.stderr).toContain(`ccm-migrate-guards-${region}`);
}, 30_000);

/** A plan of one wave, one cluster at a time: its clusters by name, each with what its plan says. */
async function savedOneWave(
  fleetName: string,
  clusters: Readonly<Record<string, string>>,
): Promise<string> {
  const example = await exampleFleet();
  const [first] = example.rows;
  if (first === undefined) throw new Error('the example has no cluster');
  const names = Object.keys(clusters);
  const fleet = {
    ...{ ...example, name: fleetName, waves: example.waves.slice(0, 1) },
    rows: names.map((name) => ({ ...first, name, wave: 0, canary: false })),
    rollout: { ...example.rollout, inFlight: 1, unproven: 4, slowStart: 1 },
  };
  const results = Object.values(clusters).map((steps, index) =>
    plannedResult(fleet, index, {
      ...{ uid: lab.named(names[index] ?? ''), region: 'test', planDigest: digestText(steps) },
    }),
  );
  const path = join(folder, `${fleetName} ${names.join(' ')}.json`);
  await writeFile(path, JSON.stringify(await givenFleetPlan(fleet, results)));
  return path;
}

it('an open fleet takes a new plan for what waits, and goes on by it', async () => {
  const name = lab.named('revised');
  const { client } = lab.environment;
  const [old, next] = [
    await savedOneWave(name, { 'slow-a': 'a', b: 'b', c: 'c' }),
    await savedOneWave(name, { b: 'b again', d: 'd' }),
  ];
  const plan = await readSavedPlan(old);
  if (plan.kind !== 'FleetPlan') throw new Error('it is the plan of one cluster');
  const who = { actor: 'ana', reason: 'CHG-1', ticket: '' };
  await lab.withWorker(async () => {
    const handle = await client.workflow.start<typeof fleetMigration>(FLEET_MIGRATION, {
      workflowId: fleetWorkflowId(name),
      taskQueue: lab.queue,
      args: [{ ...fleetInput(plan, who), taskQueue: lab.queue }],
      memo: { ...who, fleet: name, files: [] },
    });
    await untilOpen(lab, 'slow-a');
    const declined = await apply(next, ['--without-workers', '--actor', 'bo'], ['n']);
    expect(declined.exit).toBe(7);
    expect(declined.stderr.split('\n')).toEqual(
      expect.arrayContaining([
        ...[`Fleet ${name} is open. What the plan changes:`, '  + 1 cluster joining: d (pilot)'],
        ...['  - 1 cluster left out: c', '  ~ 1 cluster planned again: b'],
        '  1 cluster under way, unchanged',
      ]),
    );
    expect(await stateOf(handle)).toMatchObject({ revision: 1 });
    const taken = await apply(next, ['--without-workers', '--actor', 'bo'], ['y']);
    expect([taken.exit, taken.stdout]).toEqual([
      0,
      `✔ ${name}: revise applied: revision 2: 1 joining, 1 left out, 1 planned again, 1 under way, unchanged\n`,
    ]);
    const again = await apply(next, ['--without-workers', '--yes']);
    expect([again.exit, again.stderr]).toEqual([
      0,
      expect.stringContaining('has this plan already'),
    ]);
    const same = await apply(next, ['--without-workers', '--yes', '-o', 'json']);
    expect(JSON.parse(same.stdout)).toMatchObject({
      ...{ kind: 'FleetCommandResult', verb: 'revise', state: 'nothingToDo' },
    });
    const third = await savedOneWave(name, { b: 'b again', d: 'd again' });
    const watching = ['--watch', '--timeout', '1s', '-o', 'json'];
    const watched = await apply(third, [
      ...['--without-workers', '--yes', '--actor', 'bo'],
      ...watching,
    ]);
    expect(watched.stderr).toBe('');
    expect(JSON.parse(watched.stdout)).toMatchObject({ kind: 'FleetStatus' });
    await client.workflow.getHandle(memberId(lab, 'slow-a')).signal(goOnSignal);
    const current = client.workflow.getHandle<typeof fleetMigration>(handle.workflowId);
    expect(await current.result()).toEqual({ kind: 'done', counts: { proven: 3, skipped: 1 } });
    const { memo, runId } = await current.describe();
    expect(memo).toMatchObject({ actor: 'bo', fleet: name });
    expect(runId).not.toBe(handle.firstExecutionRunId);
    const runs = await Promise.all(
      ['slow-a', 'b', 'd'].map(async (each) => {
        const run = client.workflow.getHandle(memberId(lab, each));
        const { planDigest } = await run.query<{ readonly planDigest: string }>(MESSAGES.status);
        const { memo: told } = await run.describe();
        return [told?.['actor'], planDigest];
      }),
    );
    expect(runs).toEqual([
      ...[
        ['ana', digestText('a')],
        ['bo', digestText('b again')],
        ['bo', digestText('d again')],
      ],
    ]);
  });
});
