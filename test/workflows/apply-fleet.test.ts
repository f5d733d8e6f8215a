import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fleetWorkflowId } from '../../config/names.js';
import { exampleFleet, givenFleetPlan, plannedResult } from '../cli/plan/given-fleet-plan.js';
import { fakeTerminal, ran, type Ran } from '../cli/fake-terminal.js';
import { invocationOf, nextOf } from '../cli/typed-line.js';
import { type FleetLab, openFleetLab } from './support/fleet-lab.js';

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

it('a fleet starts once: a second one of its name is refused and names the open one', async () => {
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
  expect(again.exit).toBe(7);
  expect(JSON.parse(again.stdout)).toMatchObject({
    code: 'CCM4031',
    next: expect.stringContaining(`ccm-migrate status ${name} -w`),
  });
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
