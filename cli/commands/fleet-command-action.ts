import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { fleetWorkflowId } from '../../config/names.js';
import type { FleetCommand, FleetOrder } from '../../domain/fleet/fleet-command.js';
import { fleetVerbOf } from '../../domain/fleet/fleet-verbs.js';
import type { FleetState } from '../../domain/fleet/fleet-state.js';
import { oneLine } from '../../domain/findings/plain-text.js';
import { rowsIn } from '../../domain/fleet/order-result.js';
import type { Cli, CommandAction } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import { CliError, UsageError } from '../cli-error.js';
import { confirm } from '../confirm.js';
import type { ExitStatus } from '../exit-status.js';
import { fleetSealFor } from '../authority/seal.js';
import { refuseForeignFlags } from '../fleets/foreign-flags.js';
import { fleetPath, scopeOf, type FleetPath } from '../fleets/fleet-path.js';
import { effectOf, orderFor, whatIfLimits } from '../fleets/fleet-orders.js';
import { silentFleet, viewFleetRun, type FleetRunView } from '../fleets/fleet-run.js';
import { reopenWith } from '../fleets/send-to-ended-fleet.js';
import { fleetReply, sendFleetCommand, type FleetReply } from '../fleets/send-fleet-command.js';
import { phasesText } from '../terminal/fleet-wording.js';
import { withTemporal } from '../runs/connection.js';
import { answerPatience } from '../runs/send-command.js';
import { attribution, type Attribution } from '../runs/start-run.js';
import { counted, shownCount, firstNames } from '../terminal/wording.js';
import type { AnsweredCommand } from '../../workflows/messages/fleet-messages.js';
import { serverCommand } from '../typed-command.js';

type FleetVerb = FleetOrder['verb'];

interface Ordered {
  readonly verb: FleetVerb;
  readonly path: FleetPath;
  readonly who: Attribution;
}

/** The action of one of the verbs that only fleets have. */
export function fleetCommandOf(verb: FleetVerb): CommandAction {
  return async (cli) => {
    const [written] = cli.arguments;
    if (verb === 'freeze' || verb === 'unfreeze') {
      if (cli.options.flag('all') === (written !== undefined))
        throw new UsageError(
          written === undefined
            ? `name what to ${verb}: a fleet, or --all`
            : `${verb} takes a fleet or --all, not both: leave out ${written} or --all`,
        );
      if (written === undefined) return (await import('./freeze-all.js')).freezeAll(cli, verb);
    }
    const path = fleetPath(written ?? '');
    if (path === null) throw new UsageError(`${written} is the run of a cluster, not a fleet`);
    if (cli.options.flag('whatIf'))
      return withTemporal(cli, async (client) => whatIfLimits(cli, client, path));
    const who = await attribution(cli);
    return withTemporal(cli, async (client) => commandFleet(cli, client, { verb, path, who }));
  };
}

/** Sends one command to a fleet and reports its one answer. */
export async function commandFleet(
  cli: Cli,
  client: Client,
  { verb, path, who }: Ordered,
): Promise<ExitStatus> {
  const { word, scopes } = fleetVerbOf(verb);
  refuseForeignFlags(cli, word, path);
  const view = await viewFor(cli, client, verb, path);
  const state = view?.state ?? null;
  const labels = cli.options.texts('selector');
  const scope = state === null ? { kind: 'fleet' as const } : scopeOf(state, path, labels);
  if (!scopes.includes(scope.kind)) throw new UsageError(`${word} is for ${wanted(scopes)}`);
  const order = orderFor(cli, verb, scope, state);
  const what = [path.text, ...labels.map((label) => `-l ${label}`)].join(' ');
  if (endedOnly(view) !== null && isText(cli)) {
    cli.terminal.err(`fleet ${path.fleet} has ended; it is opened again to roll back\n`);
  }
  if (!(await isConfirmed(cli, { order, what, state, scope }))) {
    cli.terminal.err('nothing was changed\n');
    return 'refused';
  }
  const { actor, reason } = who;
  const fleetRun = seenRun(view);
  const seal = await fleetSealFor(cli, verb, path.fleet);
  const command = await seal({ commandId: randomUUID(), actor, reason, fleetRun, scope, order });
  const reply = await deliver(cli, client, endedOnly(view), { fleet: path.fleet, command });
  if (reply === 'ended') throw isOver(cli, path.fleet);
  return answered(cli, { what, word, fleet: path.fleet, command, reply });
}

/** The fleet that the command is for; null where none was looked at. */
function seenRun(view: FleetRunView | null): string | null {
  return view?.state?.fleetRun ?? view?.fleetRun ?? null;
}

/** Null for a fleet that is open, or was not asked. */
function endedOnly(view: FleetRunView | null): FleetRunView | null {
  return view?.execution === 'running' ? null : view;
}

async function deliver(
  cli: Cli,
  client: Client,
  ended: FleetRunView | null,
  { fleet, command }: { readonly fleet: string; readonly command: FleetCommand },
): Promise<FleetReply | 'ended'> {
  const patience = answerPatience(cli);
  if (ended === null) {
    return sendFleetCommand(client, fleetWorkflowId(fleet), command, patience);
  }
  const { state, workflowId } = ended;
  const sent = state === null ? null : await reopenWith(client, ended, state, command);
  return sent === null ? 'ended' : fleetReply(client, workflowId, command, patience);
}

function wanted(scopes: readonly string[]): string {
  return scopes.includes('wave') ? 'a wave: write FLEET/wave/NAME' : 'a whole fleet';
}

function isOver({ options }: Pick<Cli, 'options'>, fleet: string): CliError {
  return new CliError('CCM4022', `fleet ${fleet} has no open run`, {
    why: 'It has ended, or never began: only a fleet that is open takes commands.',
    fix: `See how it ended with \`${serverCommand(['status', fleet], options)}\`. Each of its clusters can still be commanded by its own name, and \`${serverCommand(['rollback', fleet], options)}\` opens a fleet again that has ended.`,
    state: 'nothing was changed',
  });
}

/** A pause of everything waits for nothing: it needs no names, and no worker to be sent. */
async function viewFor(
  cli: Cli,
  client: Client,
  verb: FleetVerb,
  { fleet, part }: FleetPath,
): Promise<FleetRunView | null> {
  const isWhole = part.kind === 'all' && cli.options.texts('selector').length === 0;
  if (isWhole && IS_BRAKE.has(verb)) return null;
  const view = await viewFleetRun(client, fleet);
  if (view === null || !takes(view, verb)) throw isOver(cli, fleet);
  const needsState = !isWhole || IS_BOUND.has(verb) || endedOnly(view) !== null;
  if (view.state === null && needsState) throw silentFleet(view);
  return view;
}

/** One that has ended by itself, or was stopped, is opened again for a rollback. */
function takes({ execution }: FleetRunView, verb: FleetVerb): boolean {
  return execution === 'running' || (execution === 'completed' && verb === 'rollBack');
}

const IS_BRAKE: ReadonlySet<FleetVerb> = new Set(['pause', 'freeze']);

/** Bound to what the fleet reports of its plan. */
const IS_BOUND: ReadonlySet<FleetVerb> = new Set(['approve', 'reject']);

async function isConfirmed(
  cli: Cli,
  {
    order,
    what,
    state,
    scope,
  }: {
    readonly order: FleetOrder;
    readonly what: string;
    readonly state: FleetState | null;
    readonly scope: FleetCommand['scope'];
  },
): Promise<boolean> {
  const { word, confirmation } = fleetVerbOf(order.verb);
  if (confirmation === 'none') return true;
  const rows = state === null ? [] : rowsIn(state, scope);
  if (rows.length > 0 && !cli.options.flag('yes') && isText(cli)) {
    cli.terminal.err(`${counted(rows.length, 'cluster')}: ${phasesText(rows)}\n`);
  }
  // One cluster or wave can be started again; the stop of a fleet is its end.
  const tier = confirmation === 'typed' && scope.kind !== 'fleet' ? 'simple' : confirmation;
  return confirm(cli, {
    tier,
    what: `${word} ${what}: the fleet ${effectOf(order, state)}`,
    name: what,
  });
}

function answered(
  cli: Cli,
  {
    what,
    word,
    fleet,
    command,
    reply,
  }: {
    readonly what: string;
    readonly word: string;
    readonly fleet: string;
    readonly command: FleetCommand;
    readonly reply: FleetReply;
  },
): ExitStatus {
  if (reply.state === 'refused') {
    throw new CliError('CCM4005', `${what}: ${word} was refused: ${oneLine(reply.detail)}`, {
      why: 'The fleet takes it only where it applies to one of its clusters or waves as they are now.',
      fix: `See where it is with \`${serverCommand(['status', fleet], cli.options)}\`.`,
      state: 'nothing was changed',
    });
  }
  const counts =
    reply.state === 'unanswered'
      ? { applied: 0, refused: 0, reach: null }
      : { applied: reply.applied, refused: reply.refused, reach: reply.reach ?? null };
  const { state, detail } = reply;
  if (!isText(cli)) {
    const { commandId } = command;
    printDocument(cli, 'FleetCommandResult', {
      ...{ fleet, scope: what, verb: word, commandId, state, detail, ...counts },
    });
  } else cli.terminal.out(`${answerText(cli, { what, word, reply, fleet })}\n`);
  if (cli.signal.aborted) return 'interrupted';
  return state === 'unanswered' ? 'timedOut' : 'reached';
}

function answerText(
  cli: Cli,
  given: {
    readonly what: string;
    readonly word: string;
    readonly fleet: string;
    readonly reply: FleetReply;
  },
): string {
  const { what, word, reply, fleet } = given;
  const mark = cli.theme.mark(reply.state === 'applied' ? 'ok' : 'running');
  const head = `${mark} ${what}: ${word} ${reply.state}: ${oneLine(reply.detail)}`;
  if (reply.state === 'unanswered') {
    return `${head} (the fleet keeps the command and applies it once)`;
  }
  const refused = reply.refused === 0 ? '' : `, ${shownCount(reply.refused)} not in this state`;
  const counts = reply.applied > 1 ? ` · ${shownCount(reply.applied)} clusters${refused}` : '';
  const next =
    reply.state === 'pending'
      ? `\nNext, by another person: ${serverCommand(['approve', fleet, '--limits'], cli.options)}`
      : '';
  return `${head}${counts}${reachText(cli, reply)}${next}`;
}

/** Whom it has not reached. That the fleet does not know is said too: silence would read as all of them. */
function reachText({ theme }: Cli, { state, reach = null }: AnsweredCommand): string {
  if (state !== 'applied') return '';
  if (reach === null) {
    return `\n${theme.mark('waiting')} whether every run has been told is not known: the fleet's run has continued since, or runs older code`;
  }
  const { unreached, unreachedCount, waiting } = reach;
  const away =
    unreachedCount === 0
      ? ''
      : `\n${theme.mark('warning')} could not reach ${firstNames(unreached, unreachedCount)}; told again until reached or ended`;
  const later =
    waiting === 0 ? '' : `\n${theme.mark('running')} ${counted(waiting, 'run')} still to be told`;
  return `${away}${later}`;
}
