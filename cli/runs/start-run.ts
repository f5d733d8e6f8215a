import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import { loadInventories } from '../../config/loaded-inventories.js';
import { type RunNotes, runStartOf } from '../../activities/run-start.js';
import { clusterLabels, groupsOf } from '../../config/cluster-groups.js';
import { CLUSTER_MIGRATION, WORKFLOW_TASK_QUEUE, clusterWorkflowId } from '../../config/names.js';
import { plannedPolicy, plannedTimings } from '../../config/outputs/planned-policy.js';
import { readDocuments } from '../../config/read-documents.js';
import { isOfKind } from '../../config/validated-documents.js';
import { oneLine } from '../../domain/findings/plain-text.js';
import type { Target } from '../../domain/vocabulary.js';
import type { ClusterMigrationInput, ClusterOutcome } from '../../workflows/messages.js';
import type { Cli, OptionReader } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import type { Ready } from '../plan/agreed-plan.js';
import { observeAndPlan } from '../plan/make-plan.js';
import { CliError, UsageError } from '../cli-error.js';
import { typedCommand, watchCommand } from '../typed-command.js';
import { thisUser } from '../this-user.js';
import { inventoryPaths } from './connection.js';
import { describedRun, firstInput } from './described-run.js';
import { effectLines, standingNow } from './effect-lines.js';
import { CLUSTER_ATTRIBUTE } from './find-run.js';
import { refuseUnserved } from './queue-pollers.js';
import type { RunView } from './run-view.js';

export type RunRequest = Omit<
  ClusterMigrationInput,
  'stepTaskQueue' | 'waitTaskQueue' | 'guardTaskQueue'
>;

/**
 * Starts a cluster's migration. The workflow id is the mutex: a second run for the same cluster is refused, naming the
 * run that holds it.
 */
export async function startRun(
  client: Client,
  request: RunRequest,
  notes: RunNotes = { files: [], groups: [] },
): Promise<{ readonly workflowId: string; readonly runId: string }> {
  const { workflowId, input, memo, summary } = runStartOf(request, notes);
  try {
    const handle = await client.workflow.start<
      (input: ClusterMigrationInput) => Promise<ClusterOutcome>
    >(CLUSTER_MIGRATION, {
      workflowId,
      taskQueue: WORKFLOW_TASK_QUEUE,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      memo: { ...memo },
      // Lets a run be found by its cluster's name before a worker has picked it up.
      typedSearchAttributes: [{ key: CLUSTER_ATTRIBUTE, value: request.cluster.name }],
      staticSummary: summary,
    });
    return { workflowId, runId: handle.firstExecutionRunId };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const { name } = request.cluster;
    throw isOpen(name, workflowId, typedCommand(['status', name, '-w']));
  }
}

function isOpen(cluster: string, workflowId: string, follow: string): CliError {
  return new CliError('CCM4003', `${cluster}: a run is open already (${workflowId})`, {
    fix: `Follow it with \`${follow}\`, reverse it with rollback or rollforward, or stop it.`,
  });
}

/**
 * Before a saved plan is compared with its cluster: an open run changes the cluster, and the plan would only seem to be stale.
 * @throws CliError CCM4003
 */
export async function refuseOpenRun(
  client: Client,
  { name, uid }: RunRequest['cluster'],
  options: OptionReader,
): Promise<void> {
  const workflowId = clusterWorkflowId(uid);
  const last = await describedRun(client, workflowId);
  if (last?.status.name === 'RUNNING') throw isOpen(name, workflowId, watchCommand(name, options));
}

/** The claimed actor, the reason and the ticket; part of history and evidence. */
export interface Attribution {
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
}

/**
 * `--actor`, or the user of this machine. A reason is never made up: without one an operator at a terminal is asked, so
 * a command works as shown.
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
  const who = {
    actor: options.text('actor') ?? thisUser(),
    reason,
    ticket: options.text('ticket') ?? '',
  };
  for (const [name, text] of Object.entries(who)) {
    if (oneLine(text) !== text)
      throw new UsageError(
        `--${name} has a line end or a control character: write one line of plain text`,
      );
  }
  return who;
}

interface Started {
  readonly workflowId: string;
  readonly runId: string;
}

/** Starts the run of an agreed plan, where workers serve its region. */
export async function startPlanned(
  cli: Cli,
  client: Client,
  { plan, cluster, fleet, files }: Ready,
  given: Attribution & { readonly wave: string },
): Promise<Started> {
  const { name, uid, region } = plan.cluster;
  // Checked again although `apply` checked before its confirmation, which may have taken an hour: a run without workers
  // processes no command, not even `stop`. For a run that follows an ended one this is the only check.
  if (!cli.options.flag('withoutWorkers')) await refuseUnserved(client, region);
  const { policy, timings, materials } = fleet;
  const takeOver = cli.options.flag('takeOver') ? { takeOver: { reason: given.reason } } : {};
  const request = {
    ...{ cluster: { name, uid }, region, fleet: fleet.name, target: plan.target },
    ...{ policy, materials, timings, planDigest: plan.digest },
    ...given,
    ...takeOver,
  };
  return startRun(client, await signedRequest(cli, request), {
    files,
    groups: groupsOf(clusterLabels(cluster)),
  });
}

/** Signed with the key that is set up; as it is where none is, for workers without an access policy. */
async function signedRequest(cli: Cli, request: RunRequest): Promise<RunRequest> {
  const { signerOf } = await import('../authority/signing-key.js');
  const signer = await signerOf(cli);
  if (signer === null) return request;
  const { signedStart } = await import('../authority/sign-requests.js');
  return { ...request, authority: await signedStart(signer, request) };
}

/** Reports that a run was started, and how to follow it. */
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
 * The input of a cluster's next run, toward `target`: policy and materials of its last run, and a new plan. The cluster may
 * have changed since, so the last run's plan does not apply to this one.
 */
export async function planTurnAround(
  cli: Cli,
  client: Client,
  last: RunView,
  target: Target,
): Promise<Ready & { readonly wave: string }> {
  const input = await inputOf(client, last);
  const cluster = await clusterOf(cli, input);
  const { policy, timings } = stillKnown(input);
  const fleet = {
    ...{ name: input.fleet, policy, timings, materials: input.materials },
  };
  const { plan, observation } = await observeAndPlan({
    fleet,
    cluster,
    target,
    signal: cli.signal,
  });
  if (plan.cluster.uid !== input.cluster.uid) {
    throw new CliError(
      'CCM4010',
      `${cluster.name}: the cluster at its address is ${plan.cluster.uid}, the last run was of ${input.cluster.uid}`,
    );
  }
  const standing = standingNow(observation, policy, last.outcome?.stepsDone ?? null);
  const given = cli.options.texts('file');
  return {
    ...{ plan, cluster, fleet, wave: input.wave },
    files: (await namesFleet(given)) ? given : last.files,
    effect: effectLines(target, standing),
  };
}

/**
 * Whether files can be typed with `check` and `apply`, which need a whole fleet; an inventory alone is enough to turn a
 * run around. Files given now exist here; those that the last run was started from may be on another machine, or deleted.
 */
async function namesFleet(files: readonly string[]): Promise<boolean> {
  const { documents } = await readDocuments(files);
  return documents.some((document) => isOfKind(document, 'FleetMigration'));
}

/** How the cluster of a run is reached from here; a run never carries that. */
async function clusterOf(cli: Cli, { cluster }: ClusterMigrationInput): Promise<InventoryCluster> {
  const files = await inventoryPaths(cli);
  if (files.length === 0) {
    throw new UsageError(
      `the run of ${cluster.name} has ended, so the next one is planned first: name its inventory with -f`,
    );
  }
  const found = (await loadInventories(files)).find(({ name }) => name === cluster.name);
  if (found !== undefined) return found;
  throw new CliError('CCM5008', `${cluster.name} is not in ${files.join(', ')}`);
}

/** A run of another version may lack input that this version needs, or carry input that it does not know. */
function stillKnown(
  input: ClusterMigrationInput,
): Pick<ClusterMigrationInput, 'policy' | 'timings'> {
  const [policy, timings] = [
    plannedPolicy.safeParse(input.policy),
    plannedTimings.safeParse(input.timings),
  ];
  if (policy.success && timings.success) return { policy: policy.data, timings: timings.data };
  throw fromFiles(`${input.cluster.name}: the policy of its last run is of another version`);
}

/** The input of a run, from its history. */
export async function inputOf(client: Client, run: RunView): Promise<ClusterMigrationInput> {
  const input = await firstInput<ClusterMigrationInput>(client, run);
  if (input !== null) return input;
  throw fromFiles(`${run.workflowId}: its history no longer contains its input`);
}

function fromFiles(what: string): CliError {
  return new CliError('CCM4022', what, {
    fix: 'Start it from its files: `ccm-migrate apply -f FILES --target kcm` (or ccm).',
  });
}
