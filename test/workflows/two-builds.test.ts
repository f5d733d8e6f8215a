import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { recordedRun } from '../../cli/audit/recorded-run.js';
import type { Rules } from '../../domain/decision/decide-run.js';
import { nextStep } from '../../domain/decision/next-step.js';
import { policyOf } from '../support/cluster-builder.js';
import { buildsOf, makeCurrent, versioned, withoutRepetitions } from './support/deployments.js';
import { modelCluster } from './support/model-cluster.js';
import {
  messageGate,
  openLab,
  tell,
  until,
  type Build,
  type MigrationHandle,
  type MigrationLab,
} from './support/migration-run.js';

let lab: MigrationLab;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());

/** The older build, without the phase at the end. */
const olderRules: Rules = (observation, target, policy) =>
  nextStep(observation, target, { ...policy, disableLeaderMigration: 'never' });

/** The newer build, with that phase and another order of nodes within the phases before it. */
const newerRules: Rules = (observation, target, policy) =>
  nextStep({ ...observation, nodes: [...observation.nodes].reverse() }, target, policy);

const DEPLOYMENT = `ccm-migrate-${randomUUID()}`;

function build(name: string, rules: Rules): Partial<Build> {
  return { decider: { name, rules }, deployment: versioned(DEPLOYMENT, name) };
}

/** Which build each workflow task ran on, and which rules each decision was made by, without repetitions. */
async function servedBy(handle: MigrationHandle): Promise<{
  readonly tasks: readonly string[];
  readonly decisions: readonly string[];
}> {
  const history = await handle.fetchHistory();
  const run = await recordedRun([JSON.parse(historyToJSON(history))], loadDataConverter());
  if (run.kind === 'unreadable') throw new Error(run.why);
  const observations = run.events.flatMap((event) =>
    event.kind === 'observed' ? [event.observed] : [],
  );
  return {
    tasks: buildsOf(history),
    decisions: withoutRepetitions(observations.map(({ decidedBy }) => decidedBy)),
  };
}

describe('two builds whose rules differ within phases and between them', () => {
  it('two builds serve side by side; a run in flight continues under the one that is made current', async () => {
    const { client } = lab.environment;
    const cluster = modelCluster('c-two-builds', 4);
    const atStep = messageGate();
    cluster.before = (_step, nth) => (nth === 4 ? atStep.pass() : undefined);
    await lab.withWorker(
      async () => {
        const handle = await lab.withWorker(
          async () => {
            await makeCurrent(client, DEPLOYMENT, 'older');
            const policy = policyOf({ disableLeaderMigration: 'afterSoak' });
            const started = await lab.start(cluster, { policy });
            await atStep.reached;
            await makeCurrent(client, DEPLOYMENT, 'newer');
            atStep.open();
            await until(started, ({ stepsDone }) => stepsDone.length >= 6);
            // Its workers leave at a safe point; a step would have all of their shutdown grace.
            await tell(started, 'pause');
            await until(started, ({ pause }) => pause === 'paused');
            return started;
          },
          undefined,
          build('older', olderRules),
        );
        await tell(handle, 'resume');
        expect(await handle.result()).toMatchObject({ kind: 'done' });
        expect(await servedBy(handle)).toEqual({
          tasks: ['older', 'newer'],
          decisions: ['older', 'newer'],
        });
      },
      undefined,
      build('newer', newerRules),
    );
    const places = (name: string): readonly string[] =>
      cluster.journal
        .filter((words) => words.startsWith(`${name} `))
        .map((words) => words.slice(-4));
    // Begun by the older rules, from the first node on; continued by the newer ones, from the last on.
    expect(places('enableLeaderMigration').slice(0, 2)).toEqual(['cp-2', 'cp-3']);
    expect(places('startCcm')).toEqual(['cp-4', 'cp-3', 'cp-2', 'cp-1']);
    expect(places('disableLeaderMigration')).toHaveLength(4);
    const onNodes = cluster.journal.filter((words) => words.includes(' '));
    expect(new Set(onNodes).size).toBe(onNodes.length);
  }, 120_000);
});
