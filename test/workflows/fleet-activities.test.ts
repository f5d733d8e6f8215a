import { randomUUID } from 'node:crypto';
import type { RunStart } from '../../activities/run-start.js';
import { quietScope, realClock } from '../../activities/dependencies.js';
import { createFleetActivities } from '../../activities/fleet/fleet-activities.js';
import {
  CLUSTER_MIGRATION,
  clusterWorkflowId,
  FLEET_MIGRATION,
  fleetWorkflowId,
} from '../../config/names.js';
import type { fleetMigration } from '../../workflows/fleet-migration.js';
import {
  CASES,
  type FleetPlace,
  fleetActivitiesContract,
  groupsOfCase,
  UNCAPPED,
} from '../activities/fleet/fleet-activities.contract.js';
import { goOnSignal } from './support/fleet-member.js';
import { type FleetLab, inputIn, memberId, openFleetLab } from './support/fleet-lab.js';
import { eventually } from './support/migration-run.js';

/** The fleet itself is served by no worker: its first event is all that its activities need. */
async function fleetIn(lab: FleetLab): Promise<FleetPlace['ref']> {
  const name = lab.named('contract');
  const workflowId = fleetWorkflowId(name);
  const rows = CASES.map((each) => ({ name: each, groups: groupsOfCase(each) }));
  const { client } = lab.environment;
  const { firstExecutionRunId: fleetRun } = await client.workflow.start<typeof fleetMigration>(
    FLEET_MIGRATION,
    {
      workflowId,
      taskQueue: `${lab.queue}-unserved`,
      args: [inputIn(lab, { name: 'contract', rows, changes: { ticket: 'slow' } })],
    },
  );
  return { fleetWorkflowId: workflowId, fleetRun, execution: fleetRun };
}

fleetActivitiesContract('a real server', async () => {
  const lab = await openFleetLab();
  const { client } = lab.environment;
  let served: Promise<void> = Promise.resolve();
  // A case that is run alone can be over before the worker has begun.
  const stop = await new Promise<() => void>((begun, failed) => {
    served = lab.withWorker(() => new Promise<void>((resolve) => begun(resolve)));
    served.catch(failed);
  });
  const ref = await fleetIn(lab);
  let losing = false;
  const directory: FleetLab['directory'] = {
    ...lab.directory,
    start: async (...given) => {
      const answer = await lab.directory.start(...given);
      const lost = losing;
      losing = false;
      if (lost) throw new Error('the answer was lost');
      return answer;
    },
  };
  const scope = (): ReturnType<typeof quietScope> => quietScope();
  const activities = createFleetActivities({ directory, clock: realClock, scope });
  const { given } = inputIn(lab, { rows: [{ name: 'any' }] });
  const [wave] = given?.waves ?? [];
  if (wave === undefined) throw new Error('the fleet has no wave');
  const { policy, timings, materials } = wave;
  return {
    ...{ activities, ref, nowMs: () => Date.now() },
    row: (name) => CASES.findIndex((each) => each === name),
    loseNextAnswer: () => {
      losing = true;
    },
    startAlone: (name, changes, requestId = randomUUID(), groups = UNCAPPED) => {
      const cluster = { name, uid: lab.named(name) };
      const alone: RunStart = {
        ...{ cluster, region: 'test', fleet: 'f', wave: '', ticket: 'slow' },
        ...{ policy, timings, materials, planDigest: `sha256:${name}` },
        ...{ target: 'ccm', actor: 'cy', reason: 'CHG-9' },
      };
      const given = { ...alone, ...changes };
      return groups === null
        ? startUnlabelled(lab, given)
        : lab.directory.start(given, requestId, groups);
    },
    end: async (name, how) => {
      const handle = client.workflow.getHandle(memberId(lab, name));
      if (how === 'terminated') await handle.terminate();
      if (how === 'done') await handle.signal(goOnSignal);
      if (how === 'stopped') {
        const { fleetRun } = ref;
        const row = CASES.findIndex((each) => each === name);
        const by = { actor: 'ana', reason: 'CHG-1' };
        const order = { kind: 'withdraw', by } as const;
        await lab.directory.signal(handle.workflowId, { fleetRun, row, grant: 1, order });
      }
      await handle.result().catch(() => undefined);
    },
    startsOf: async (name) => {
      const workflowId = memberId(lab, name);
      const { runId } = await client.workflow.getHandle(workflowId).describe();
      const listed = await eventually(
        () => runsOf(lab, workflowId),
        (runs) => runs.includes(runId),
      );
      return listed.length;
    },
    planDigestOf: async (name) => {
      const { memo } = await client.workflow.getHandle(memberId(lab, name)).describe();
      return String(memo?.['planDigest']);
    },
    until: eventually,
    close: async () => {
      stop();
      await served;
      await lab.close();
    },
  };
});

/** As versions did that wrote no labels. */
async function startUnlabelled(lab: FleetLab, given: RunStart): Promise<string> {
  await lab.environment.client.workflow.start(CLUSTER_MIGRATION, {
    workflowId: clusterWorkflowId(given.cluster.uid),
    taskQueue: lab.queue,
    args: [given],
    memo: { actor: given.actor },
  });
  return 'started';
}

async function runsOf({ environment }: FleetLab, workflowId: string): Promise<readonly string[]> {
  const runs: string[] = [];
  for await (const { runId } of environment.client.workflow.list({
    query: `WorkflowId='${workflowId}'`,
  })) {
    runs.push(runId);
  }
  return runs;
}
