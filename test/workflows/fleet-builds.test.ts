import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildsOf, makeCurrent, versioned, withoutRepetitions } from './support/deployments.js';
import {
  fleetBundle,
  type FleetBuild,
  type FleetHandle,
  type FleetLab,
  memberId,
  openFleetLab,
  order,
  stateOf,
  untilPhases,
} from './support/fleet-lab.js';
import { chainOf, eventually } from './support/migration-run.js';

const DEPLOYMENT = `ccm-migrate-${randomUUID()}`;
let lab: FleetLab;
let older: FleetBuild;
let newer: FleetBuild;
beforeAll(async () => {
  lab = await openFleetLab('fleet-member.ts', true);
  const otherAdmission = fileURLToPath(new URL('./support/other-admission.ts', import.meta.url));
  const otherRules = await fleetBundle({
    webpackConfigHook: ({ resolve, ...config }) => {
      const alias = Object.assign({}, resolve?.alias, { './admit-rows.js$': otherAdmission });
      return { ...config, resolve: { ...resolve, alias } };
    },
  });
  older = { code: await fleetBundle(), deployment: versioned(DEPLOYMENT, 'older', 'PINNED') };
  newer = { code: otherRules, deployment: versioned(DEPLOYMENT, 'newer', 'PINNED') };
}, 120_000);
afterAll(() => lab.close());

const names = Array.from({ length: 20 }, (_, index) => `b${String(index).padStart(2, '0')}`);

async function executionsOf({
  workflowId,
  firstExecutionRunId,
}: Pick<FleetHandle, 'workflowId' | 'firstExecutionRunId'>): Promise<readonly string[]> {
  const { client } = lab.environment;
  const chain = await chainOf(lab, { workflowId, firstExecutionRunId });
  const builds = chain.map(async ({ runId }) => {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    // None of them may have been served by two builds.
    return buildsOf(history).join(' and ');
  });
  return Promise.all(builds);
}

/** One of the builds, and members, which any build may serve. */
const serving = (build: FleetBuild, story: () => Promise<void>): Promise<void> =>
  lab.withMembers(() => lab.withWorker(story, build));

describe('two builds whose rules of a fleet differ', () => {
  it('a fleet that is under way moves on to the build that becomes current; every cluster starts once and ends once', async () => {
    const { client } = lab.environment;
    await serving(newer, async () => {
      const handle = await lab.withWorker(async () => {
        await makeCurrent(client, DEPLOYMENT, 'older');
        const rows = names.map((name) => ({ name }));
        const policy = { inFlight: 3, unproven: 6, slowStart: 3 };
        const started = await lab.start({ name: 'two-builds', rows, policy });
        await untilPhases(started, (phases) => proven(phases) >= 6);
        await makeCurrent(client, DEPLOYMENT, 'newer');
        // Only then the older workers leave.
        await eventually(
          () => executionsOf(started),
          (builds) => builds.includes('newer'),
        );
        return started;
      }, older);

      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 20 } });
      const builds = await executionsOf(handle);
      expect(withoutRepetitions(builds)).toEqual(['older', 'newer']);
      const { rows } = await stateOf(handle);
      expect(rows.map(({ grant }) => grant)).toEqual(names.map(() => 1));
      const inOrder = [...rows].sort((a, b) => a.started - b.started).map(({ index }) => index);
      // The newer rules begin with the last cluster, so they ended with three in the opposite order.
      const [first = 0, second = 0, third = 0] = inOrder.slice(-3);
      expect([inOrder.slice(0, 6), second, third]).toEqual([
        [0, 1, 2, 3, 4, 5],
        first - 1,
        first - 2,
      ]);
      for (const name of names) {
        const member = client.workflow.getHandle(memberId(lab, name));
        await expect(member.result()).resolves.toMatchObject({ kind: 'done' });
      }
    });
  }, 120_000);

  it('a fleet that waits for a person moves on too, so that the older workers may leave, and then takes the approval', async () => {
    const { client } = lab.environment;
    await serving(newer, async () => {
      const handle = await lab.withWorker(async () => {
        await makeCurrent(client, DEPLOYMENT, 'older');
        const started = await lab.start({
          ...{
            name: 'waits',
            waves: [{ approvals: { before: 1, after: 0 } }],
            rows: [{ name: 'only' }],
          },
          changes: { sweepAfterMs: 500 },
        });
        await eventually(
          () => executionsOf(started),
          (builds) => builds.includes('older'),
        );
        await makeCurrent(client, DEPLOYMENT, 'newer');
        await eventually(
          () => executionsOf(started),
          (builds) => builds.at(-1) === 'newer',
        );
        return started;
      }, older);
      const { rows, planDigest, revision } = await stateOf(handle);
      expect(rows.map(({ phase }) => phase)).toEqual(['waiting']);
      const subject = { kind: 'before', wave: 0 } as const;
      await order(handle, { verb: 'approve', subject, planDigest, revision });
      expect(await handle.result()).toEqual({ kind: 'done', counts: { proven: 1 } });
    });
  }, 120_000);
});

const proven = (phases: readonly string[]): number =>
  phases.filter((phase) => phase === 'proven').length;
