import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Context } from '@temporalio/activity';
import {
  type BundleOptions,
  bundleWorkflowCode,
  DefaultLogger,
  Runtime,
  Worker,
  type WorkerDeploymentOptions,
} from '@temporalio/worker';
import { type ActivityScope, type Authority, realClock } from '../../../activities/dependencies.js';
import { failure } from '../../../activities/failures.js';
import { createFleetActivities } from '../../../activities/fleet/fleet-activities.js';
import type { RunDirectory } from '../../../activities/fleet/run-directory.js';
import { clusterWorkflowId, FLEET_MIGRATION, fleetWorkflowId } from '../../../config/names.js';
import { decodeFleet } from '../../../domain/fleet/encoded-fleet.js';
import type { FleetOrder, FleetScope } from '../../../domain/fleet/fleet-command.js';
import type { FleetAnswer, FleetState } from '../../../domain/fleet/fleet-state.js';
import { temporalRuns } from '../../../workers/temporal-runs.js';
import type { fleetMigration } from '../../../workflows/fleet-migration.js';
import {
  fleetAnswerQuery,
  fleetCommandSignal,
  fleetStateQuery,
  type FleetMigrationInput,
} from '../../../workflows/messages/fleet-messages.js';
import { fleetInputOf, type GivenFleetInput } from '../../support/fleet-input.js';
import { closingPlugin } from './closing-plugin.js';
import { eventually, QUICK } from './migration-run.js';

export type FleetHandle = WorkflowHandleWithFirstExecutionRunId<typeof fleetMigration>;

/** A fleet of model members on the real server. */
export interface GivenRun extends GivenFleetInput {
  readonly changes?: Partial<FleetMigrationInput>;
}

/** What a worker runs: by default the sources as they are, without versioning. */
export interface FleetBuild {
  readonly code: string;
  readonly deployment: WorkerDeploymentOptions;
}

export interface FleetLab {
  readonly environment: TestWorkflowEnvironment;
  readonly directory: RunDirectory;
  readonly queue: string;
  /** Workflow ids of members that no order reaches. */
  readonly cutOff: Set<string>;
  /** Whether the server lists runs. */
  readonly index: { answers: boolean };
  /** Who may do what, for workers that start afterwards; everyone while it is null. */
  readonly access: { policy: Authority['policy'] | null };
  /** Makes a name unique to this file, because all share one server. */
  readonly named: (name: string) => string;
  readonly start: (given: GivenRun) => Promise<FleetHandle>;
  readonly withWorker: <T>(story: () => Promise<T>, build?: FleetBuild) => Promise<T>;
  /** Serves members alone, where they are apart. */
  readonly withMembers: <T>(story: () => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/**
 * `workflows`: the model member unless others are named. `apart`: members have workers of their own, as in production.
 * `install`: a runtime of the SDK that shows more than errors.
 */
export async function openFleetLab(
  workflows = 'fleet-member.ts',
  apart = false,
  install: () => void = installQuietRuntime,
): Promise<FleetLab> {
  install();
  const address = process.env['CCM_TEST_TEMPORAL_ADDRESS'];
  if (address === undefined) throw new Error('the jest global setup did not run');
  const retries = closingPlugin();
  const environment = await TestWorkflowEnvironment.createFromExistingServer({
    ...{ address, plugins: [retries.plugin] },
  });
  const ownCode = await fleetBundle({}, workflows);
  const id = randomUUID().slice(0, 8);
  const queue = `fleet-test-${id}`;
  // The model members have no activities, so no worker serves their regions.
  const members = apart ? `${queue}-members` : queue;
  const runs = temporalRuns(environment.client, members);
  const cutOff = new Set<string>();
  const index = { answers: true };
  const access: FleetLab['access'] = { policy: null };
  const directory: RunDirectory = {
    ...runs,
    openRuns: (atMost) =>
      index.answers ? runs.openRuns(atMost) : Promise.reject(failure('Unavailable', 'no index')),
    serviceOf: () => Promise.resolve('served'),
    signal: async (workflowId, message) =>
      cutOff.has(workflowId) ? 'unreachable' : runs.signal(workflowId, message),
  };
  const named = (name: string): string => `${name}-${id}`;
  return {
    ...{ environment, directory, queue, named, cutOff, index, access },
    start: (given) => {
      const input = inputIn({ queue, named }, given);
      const { actor, reason, ticket } = input;
      return environment.client.workflow.start<typeof fleetMigration>(FLEET_MIGRATION, {
        workflowId: fleetWorkflowId(named(given.name ?? 'fleet')),
        taskQueue: queue,
        args: [input],
        memo: { actor, reason, ticket },
      });
    },
    withWorker: async (story, build) => {
      const worker = await Worker.create({
        connection: environment.nativeConnection,
        taskQueue: queue,
        workflowBundle: { code: build?.code ?? ownCode },
        ...(build === undefined ? {} : { workerDeploymentOptions: build.deployment }),
        activities: createFleetActivities({
          ...{ directory, clock: realClock, scope: liveScope },
          ...(access.policy === null ? {} : { authority: { policy: access.policy } }),
        }),
        shutdownForceTime: '2s',
      });
      return worker.runUntil(story);
    },
    withMembers: async (story) => {
      const worker = await Worker.create({
        connection: environment.nativeConnection,
        taskQueue: members,
        workflowBundle: { code: ownCode },
        shutdownForceTime: '2s',
      });
      return worker.runUntil(story);
    },
    close: async () => {
      retries.end();
      await environment.teardown();
      await Runtime.instance().shutdown();
    },
  };
}

function installQuietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  });
}

/** The workflows of the product beside a model member. */
export async function fleetBundle(
  options: Partial<BundleOptions> = {},
  workflows = 'fleet-member.ts',
): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL(workflows, import.meta.url)),
    logger: new DefaultLogger('ERROR'),
    ...options,
  });
  return code;
}

function liveScope(): ActivityScope {
  const context = Context.current();
  return {
    signal: context.cancellationSignal,
    heartbeat: (details) => {
      context.heartbeat(details);
    },
    lastHeartbeat: context.info.heartbeatDetails as unknown,
  };
}

/** Inputs name the queue and the clusters of this file. */
export function inputIn(
  { queue, named }: Pick<FleetLab, 'queue' | 'named'>,
  { changes, ...given }: GivenRun,
): FleetMigrationInput {
  const name = named(given.name ?? 'fleet');
  const input = fleetInputOf({ ...given, name, timings: QUICK, uid: named });
  return { ...input, taskQueue: queue, ...changes };
}

export function memberId({ named }: Pick<FleetLab, 'named'>, name: string): string {
  return clusterWorkflowId(named(name));
}

export async function stateOf(handle: FleetHandle): Promise<FleetState> {
  return decodeFleet(await handle.query(fleetStateQuery));
}

/** Polls the phases of the rows, in their order, until they are as wanted. */
export function untilPhases(
  handle: FleetHandle,
  wanted: (phases: readonly string[]) => boolean,
): Promise<readonly string[]> {
  return eventually(async () => (await stateOf(handle)).rows.map(({ phase }) => phase), wanted);
}

/** A row is active before its run is open: a pause that comes in between keeps the run from starting. */
export async function untilOpen(
  lab: Pick<FleetLab, 'environment' | 'named'>,
  name: string,
): Promise<void> {
  const run = lab.environment.client.workflow.getHandle(memberId(lab, name));
  const isOpen = (): Promise<boolean> =>
    run.describe().then(
      () => true,
      () => false,
    );
  await eventually(isOpen, (open) => open);
}

/** Sends a command and waits for its answer. */
export async function order(
  handle: FleetHandle,
  given: FleetOrder,
  scope: FleetScope = { kind: 'fleet' },
  actor = 'bo',
): Promise<FleetAnswer> {
  const commandId = randomUUID();
  const { fleetRun } = await stateOf(handle);
  const command = { commandId, actor, reason: 'CHG-2', fleetRun, scope, order: given };
  await handle.signal(fleetCommandSignal, command);
  const answer = await eventually(
    () => handle.query(fleetAnswerQuery, commandId),
    (found) => found !== null,
  );
  if (answer === null) throw new Error('a command had no answer');
  return answer;
}
