import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { fleetInput, refuseTooLarge } from '../../../cli/fleets/start-fleet.js';
import { digestText } from '../../../domain/digest.js';
import { readSavedPlan } from '../../../cli/plan/saved-plan.js';
import { exampleFleet, givenFleetPlan, plannedResult } from './given-fleet-plan.js';

const WHO = { actor: 'ana', reason: 'CHG-1', ticket: '' };

it('two names for one cluster are both left out, so that no run meets another', async () => {
  const fleet = await exampleFleet();
  const results = [0, 1, 2].map((index) =>
    plannedResult(fleet, index, index === 2 ? {} : { uid: 'same' }),
  );
  const plan = await givenFleetPlan(fleet, results);
  const [first, second, third] = fleet.rows.map(({ name }) => name);
  expect(plan.clusters.map(({ name }) => name)).toEqual([third]);
  expect(plan.skipped.map(({ name, code, seen }) => [name, code, seen])).toEqual([
    [first, 'CCM4010', `the same cluster as ${second} (same)`],
    [second, 'CCM4010', `the same cluster as ${first} (same)`],
  ]);
});

it('a wave whose canary is left out begins with another cluster, and the plan says so', async () => {
  const fleet = await exampleFleet();
  const canary = fleet.rows.findIndex((row) => row.canary && row.wave === 1);
  const results = fleet.rows.flatMap(({ wave }, index) =>
    wave === 1 && index !== canary ? [plannedResult(fleet, index)] : [],
  );
  const plan = await givenFleetPlan(fleet, results);
  const [instead] = plan.clusters;
  expect(plan.clusters.filter((each) => each.canary)).toEqual([instead]);
  expect(plan.notes).toEqual([
    `wave eu begins with ${instead?.name}: canary ${fleet.rows[canary]?.name} is skipped`,
  ]);
});

it('the digest covers limits, waves, clusters and who is left out, and no forecast', async () => {
  const fleet = await exampleFleet();
  const results = fleet.rows.map((_, index) => plannedResult(fleet, index));
  const { digest } = await givenFleetPlan(fleet, results);
  const others = [
    givenFleetPlan({ ...fleet, rollout: { ...fleet.rollout, inFlight: 5 } }, results),
    givenFleetPlan({ ...fleet, name: 'other' }, results),
    givenFleetPlan(fleet, [...results.slice(1), plannedResult(fleet, 0, { uid: 'x' })]),
    givenFleetPlan(fleet, results.slice(1)),
  ];
  for (const other of others) expect((await other).digest).not.toBe(digest);
  const again = results.map((_, index) => plannedResult(fleet, index, { shapeKey: `${index}` }));
  expect((await givenFleetPlan(fleet, again)).digest).toBe(digest);
});

it('a fleet that one workflow cannot carry is refused', async () => {
  const fleet = await exampleFleet();
  const plan = await givenFleetPlan(fleet, [plannedResult(fleet, 0)]);
  const [cluster] = plan.clusters;
  if (cluster === undefined) throw new Error('no cluster');
  // What is different in each cluster does not compress.
  const unlike = (_: unknown, index: number): typeof cluster => ({
    ...{ ...cluster, name: `cluster-${index}`, uid: randomUUID() },
    planDigest: digestText(String(index)),
  });
  const of = (count: number) =>
    fleetInput({ ...plan, clusters: Array.from({ length: count }, unlike) }, WHO);
  expect(() => {
    refuseTooLarge(of(10_000));
  }).not.toThrow();
  expect(() => {
    refuseTooLarge(of(20_000));
  }).toThrow(/1.8 MiB fit into one run/);
});

it('a saved plan with a key that this version does not know is refused with its place', async () => {
  const fleet = await exampleFleet();
  const plan = await givenFleetPlan(fleet, [plannedResult(fleet, 0)]);
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-saved-'));
  const path = join(folder, 'plan.json');
  await writeFile(path, JSON.stringify(plan, null, 2));
  expect(await readSavedPlan(path)).toEqual(plan);
  const rollout = { ...plan.rollout, inFligth: 9 };
  await writeFile(path, JSON.stringify({ ...plan, rollout }, null, 2));
  await expect(readSavedPlan(path)).rejects.toMatchObject({
    code: 'CCM4001',
    message: expect.stringMatching(/plan\.json:\d+:\d+: rollout\.inFligth: unknown key/),
  });
  await rm(folder, { recursive: true });
});
