import { hostname, userInfo } from 'node:os';
import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { decodeFromPayloadsAtIndex } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { InventoryCluster } from '../../config/inventory.js';
import { loadInventories } from '../../config/inventory.js';
import {
  CLUSTER_MIGRATION,
  WORKFLOW_TASK_QUEUE,
  clusterWorkflowId,
  guardTaskQueue,
  stepTaskQueue,
  waitTaskQueue,
} from '../../config/names.js';
import { plannedPolicy, plannedTimings } from '../../config/outputs/planned-policy.js';
import type { ClusterMigrationInput, ClusterOutcome } from '../../workflows/messages.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import type { Ready } from '../plan/agreed-plan.js';
import { observeAndPlan } from '../plan/make-plan.js';
import { CliError, UsageError } from '../cli-error.js';
import { typedCommand, watchCommand } from '../typed-command.js';
import { inventoryPaths } from './connection.js';
import { effectLines, standingNow } from './effect-lines.js';
import { CLUSTER } from './find-run.js';
import { refuseUnserved } from './queue-pollers.js';
import type { RunView } from './run-view.js';

export type RunRequest = Omit<
  ClusterMigrationInput,
  'stepTaskQueue' | 'waitTaskQueue' | 'guardTaskQueue'
>;

/** Where a run is described for people: beside it, not in it. */
export interface RunNotes {
  /** The files that it was started from, for the commands that people are told to type. */
  readonly files: readonly string[];
}

/**
 * Starts a cluster's migration. The workflow id is the mutex: a second run for the same cluster is refused
 * with the one that has it.
 */
export async function startRun(
  client: Client,
  request: RunRequest,
  { files }: RunNotes = { files: [] },
): Promise<{ readonly workflowId: string; readonly runId: string }> {
  const workflowId = clusterWorkflowId(request.cluster.uid);
  const { actor, reason, ticket, fleet } = request;
  const input: ClusterMigrationInput = {
    ...request,
    stepTaskQueue: stepTaskQueue(request.region),
    waitTaskQueue: waitTaskQueue(request.region),
    guardTaskQueue: guardTaskQueue(request.region),
  };
  try {
    const handle = await client.workflow.start<
      (input: ClusterMigrationInput) => Promise<ClusterOutcome>
    >(CLUSTER_MIGRATION, {
      workflowId,
      taskQueue: WORKFLOW_TASK_QUEUE,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      memo: { actor, reason, ticket, fleet, files: [...files] },
      // So that a run is found by its cluster's name before a worker has taken it up.
      typedSearchAttributes: [{ key: CLUSTER, value: request.cluster.name }],
      staticSummary: `${request.cluster.name}, target ${request.target.toUpperCase()}`,
    });
    return { workflowId, runId: handle.firstExecutionRunId };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new CliError(
      'CCM4003',
      `${request.cluster.name}: a run is open already (${workflowId})`,
      {
        fix: `Follow it with \`${typedCommand(['status', request.cluster.name, '-w'])}\`, turn it around with rollback or rollforward, or stop it.`,
      },
    );
  }
}

/** Who claims to act, why, and under which ticket; part of history and evidence. */
export interface Attribution {
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
}

/**
 * `--actor`, or the user of this machine. A reason is never made up: where none is given and somebody is there, they are
 * asked, so that a command can be typed as it is shown.
 */
export async function attribution({ options, terminal, signal }: Cli): Promise<Attribution> {
  const given = options.text('reason') ?? '';
  const asks = given.trim() === '' && terminal.canAsk && !options.flag('yes');
  const reason = asks
    ? (await terminal.ask('Reason, for history and evidence: ', signal)).trim()
    : given;
  if (reason.trim() === '') {
    throw new UsageError('--reason is required: it goes into the history and the evidence');
  }
  const actor = options.text('actor') ?? `${userInfo().username}@${hostname()}`;
  return { actor, reason, ticket: options.text('ticket') ?? '' };
}

interface Started {
  readonly workflowId: string;
  readonly runId: string;
}

/** Starts the run of a plan that was agreed on, where workers serve its region. */
export async function startPlanned(
  cli: Cli,
  client: Client,
  { plan, fleet, files }: Ready,
  given: Attribution & { readonly wave: string },
): Promise<Started> {
  const { name, uid, region } = plan.cluster;
  // Asked again although `apply` asked before its question: somebody may have thought about it for an hour, and a run
  // without workers takes no command, not even `stop`. After the end of a run this is the only time.
  if (!cli.options.flag('withoutWorkers')) await refuseUnserved(client, region);
  const { policy, timings, materials } = fleet;
  const takeOver = cli.options.flag('takeOver') ? { takeOver: { reason: given.reason } } : {};
  const request = {
    ...{ cluster: { name, uid }, region, fleet: fleet.name, target: plan.target },
    ...{ policy, materials, timings, planDigest: plan.digest },
    ...given,
    ...takeOver,
  };
  return startRun(client, request, { files });
}

/** Says that a run was started, and how to follow it. */
export function showStarted(cli: Cli, { plan }: Ready, { workflowId, runId }: Started): void {
  const { name } = plan.cluster;
  const next = watchCommand(name, cli.options);
  if (isText(cli)) {
    const mark = cli.theme.mark('running');
    cli.terminal.out(
      `${mark} ${name}: started, target ${plan.target.toUpperCase()} (${workflowId})\nNext: ${next}\n`,
    );
    return;
  }
  const { target } = plan;
  printDocument(cli, 'RunStarted', { workflowId, runId, cluster: name, target, next });
}

/**
 * What the next run of a cluster is started with, for `verb`: policy and materials of its last run, and a plan of
 * its own. The cluster may have changed since, so what was shown for the last run says nothing about this one.
 */
export async function planTurnAround(
  cli: Cli,
  client: Client,
  last: RunView,
  verb: 'rollBack' | 'rollForward',
): Promise<Ready & { readonly wave: string }> {
  const input = await inputOf(client, last);
  const { cluster, files } = await clusterOf(cli, input);
  const { policy, timings } = stillKnown(input);
  const fleet = {
    ...{ name: input.fleet, clusters: [cluster], policy, timings, materials: input.materials },
    inventoryFile: files[0] ?? '.',
  };
  const target = verb === 'rollBack' ? 'kcm' : 'ccm';
  const { plan, observation } = await observeAndPlan({
    fleet,
    cluster,
    target,
    signal: cli.signal,
  });
  if (plan.cluster.uid !== input.cluster.uid) {
    throw new CliError(
      'CCM4010',
      `${cluster.name}: its address answers as ${plan.cluster.uid}, the last run was of ${input.cluster.uid}`,
    );
  }
  const standing = standingNow(observation, policy, last.outcome?.stepsDone ?? null);
  // What was given now is there; what the last run was started from may be on another machine, or gone.
  const given = cli.options.texts('file');
  return {
    ...{ plan, cluster, fleet, wave: input.wave },
    files: given.length > 0 ? given : last.files,
    effect: effectLines(verb, standing),
  };
}

/** How the cluster of a run is reached from here. A run never carries that. */
async function clusterOf(
  cli: Cli,
  { cluster }: ClusterMigrationInput,
): Promise<{ readonly cluster: InventoryCluster; readonly files: readonly string[] }> {
  const files = await inventoryPaths(cli);
  if (files.length === 0) {
    throw new UsageError(
      `the run of ${cluster.name} has ended, so the next one is planned first: name its inventory with -f`,
    );
  }
  const found = (await loadInventories(files)).find(({ name }) => name === cluster.name);
  if (found !== undefined) return { cluster: found, files };
  throw new CliError('CCM5008', `${cluster.name} is not in ${files.join(', ')}`);
}

/** A run of another version may have been started with less, or with what nobody here knows. */
function stillKnown(
  input: ClusterMigrationInput,
): Pick<ClusterMigrationInput, 'policy' | 'timings'> {
  const [policy, timings] = [
    plannedPolicy.safeParse(input.policy),
    plannedTimings.safeParse(input.timings),
  ];
  if (policy.success && timings.success) return { policy: policy.data, timings: timings.data };
  throw fromFiles(`${input.cluster.name}: its last run had a policy of another version`);
}

/** What a run was started with, as its history says. */
export async function inputOf(client: Client, run: RunView): Promise<ClusterMigrationInput> {
  const history = await client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  const payloads = started?.input?.payloads ?? [];
  if (payloads.length === 0)
    throw fromFiles(`${run.workflowId}: its history no longer says what it was given`);
  return decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, payloads);
}

function fromFiles(what: string): CliError {
  return new CliError('CCM4022', what, {
    fix: 'Start it from its files: `ccm-migrate apply -f FILES --target kcm` (or ccm).',
  });
}
