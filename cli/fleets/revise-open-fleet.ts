import { randomUUID } from 'node:crypto';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { sentBytes } from '../../config/compressed-payloads.js';
import type { FleetSettings } from '../../activities/fleet-input.js';
import type { FleetPlanDocument } from '../../config/outputs/fleet-plan-document.js';
import { encodeFleet } from '../../domain/fleet/encoded-fleet.js';
import { mergedSettings, settingsTexts } from '../../domain/fleet/revised-settings.js';
import {
  REVISION_FORMAT,
  reviseFleet,
  type RevisedFleet,
} from '../../domain/fleet/revise-fleet.js';
import {
  fleetRevisionSignal,
  type FleetGiven,
  type RevisionOrder,
} from '../../workflows/messages/fleet-messages.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import { CliError } from '../cli-error.js';
import { confirm } from '../confirm.js';
import type { ExitStatus } from '../exit-status.js';
import { revisionLines } from '../plan/revision-text.js';
import { shortDigest } from '../plan/plan-text.js';
import { answerPatience } from '../runs/send-command.js';
import type { Attribution } from '../runs/start-run.js';
import { settingsOfRun, silentFleet, type FleetRunView } from './fleet-run.js';
import { fleetReply, type FleetReply } from './send-fleet-command.js';
import { fleetGiven, refuseBytes } from './start-fleet.js';

export interface Revising {
  /** The fleet as it is. */
  readonly open: FleetRunView;
  readonly plan: FleetPlanDocument;
  readonly who: Attribution;
  readonly files: readonly string[];
}

/** `apply` for a fleet that is open: shows what the plan changes of what waits, asks, and sends it. */
export async function reviseOpenFleet(
  cli: Cli,
  client: Client,
  revising: Revising,
): Promise<ExitStatus> {
  const { open, plan } = revising;
  const order = revisionOrder(revising);
  const { fleet } = open;
  const revised = await tried(client, open, order);
  if (revised === null) {
    return sameAlready(cli, fleet);
  }
  if (isText(cli)) {
    cli.terminal.err(`${revisionLines(fleet, revised, cli.theme).join('\n')}\n`);
  }
  const machines = plan.totals.machinesDeleted;
  const what = `give plan ${shortDigest(plan.digest)} to fleet ${fleet}, which is open: it becomes revision ${order.revision + 1}`;
  const tier = machines === 0 ? 'simple' : 'typed';
  if (!(await confirm(cli, { tier, what, name: fleet }))) {
    cli.terminal.err('nothing was changed\n');
    return 'refused';
  }
  const signed = await signedOrder(cli, fleet, order, revised);
  return told(cli, fleet, order, await send(cli, client, open.workflowId, signed));
}

/** Of one command line there is one document: where it goes on to watch, the last is of what it has seen. */
function isWatched({ options }: Cli): boolean {
  return options.flag('watch');
}

function sameAlready(cli: Cli, fleet: string): ExitStatus {
  const detail = 'it is open and has this plan already';
  cli.terminal.err(`fleet ${fleet}: ${detail}: nothing was changed\n`);
  if (!isText(cli) && !isWatched(cli)) {
    printDocument(cli, 'FleetCommandResult', {
      ...{ fleet, scope: fleet, verb: 'revise', commandId: '', state: 'nothingToDo', detail },
      ...{ applied: 0, refused: 0, reach: null },
    });
  }
  return 'reached';
}

async function signedOrder(
  cli: Cli,
  fleet: string,
  order: RevisionOrder,
  { state, settings }: Revised,
): Promise<RevisionOrder> {
  const { signerOf } = await import('../authority/signing-key.js');
  const signer = await signerOf(cli);
  if (signer === null) return order;
  const { signedRevision } = await import('../authority/sign-requests.js');
  return { ...order, signed: await signedRevision(signer, fleet, order, { settings, state }) };
}

/** The fleet as the plan makes it, with what it starts runs with. */
interface Revised extends RevisedFleet {
  readonly settings: FleetSettings;
}

function revisionOrder({ open, plan, who, files }: Revising): RevisionOrder {
  if (open.state === null) throw silentFleet(open);
  const { fleetRun, revision } = open.state;
  return {
    ...{ format: REVISION_FORMAT, commandId: randomUUID(), ...who },
    ...{ fleetRun, revision, given: fleetGiven(plan, who.actor), files: [...files] },
  };
}

/**
 * The same rule that the fleet will apply, on the state that was just read; null where the plan changes nothing.
 * @throws CliError for what the fleet would refuse, and for a plan that it cannot carry.
 */
async function tried(
  client: Client,
  open: FleetRunView,
  order: RevisionOrder,
): Promise<Revised | null> {
  const { fleet, state } = open;
  const settings = await settingsOfRun(client, open);
  if (state === null || settings === null) throw silentFleet(open);
  const { given, ...asked } = order;
  const revision = { ...asked, plan: given.plan, texts: settingsTexts(given) };
  const now = { ...state, nowMs: Date.now() };
  const result = reviseFleet(now, revision, settingsTexts(settings));
  if (result.kind === 'unchanged') return null;
  if (result.kind === 'refused') throw refused(fleet, result.detail);
  const carried = mergedSettings<FleetGiven['waves'][number], FleetGiven['members'][number]>(
    settings,
    given,
    result,
  );
  refuseBytes(fleet, sentBytes(order));
  refuseBytes(fleet, sentBytes({ state: encodeFleet(result.state), ...carried }));
  return { ...result, settings: carried };
}

function refused(fleet: string, detail: string): CliError {
  return new CliError('CCM4005', `fleet ${fleet} is open and does not take this plan: ${detail}`, {
    state: 'nothing was changed',
  });
}

async function send(
  cli: Cli,
  client: Client,
  workflowId: string,
  order: RevisionOrder,
): Promise<FleetReply> {
  try {
    await client.workflow.getHandle(workflowId).signal(fleetRevisionSignal, order);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CliError('CCM4022', `${workflowId} has ended meanwhile`, {
      state: 'nothing was changed',
    });
  }
  return fleetReply(client, workflowId, order, answerPatience(cli));
}

function told(
  cli: Cli,
  fleet: string,
  { commandId }: RevisionOrder,
  reply: FleetReply,
): ExitStatus {
  if (reply.state === 'refused') throw refused(fleet, reply.detail);
  const { state, detail } = reply;
  const applied = reply.state === 'unanswered' ? 0 : reply.applied;
  if (isText(cli)) {
    const mark = cli.theme.mark(state === 'applied' ? 'ok' : 'running');
    const later = state === 'unanswered' ? ' (the fleet keeps the plan and takes it once)' : '';
    cli.terminal.out(`${mark} ${fleet}: revise ${state}: ${detail}${later}\n`);
  } else if (state === 'unanswered' || !isWatched(cli)) {
    printDocument(cli, 'FleetCommandResult', {
      ...{ fleet, scope: fleet, verb: 'revise', commandId, state, detail },
      ...{ applied, refused: 0, reach: null },
    });
  }
  return state === 'unanswered' ? 'timedOut' : 'reached';
}
