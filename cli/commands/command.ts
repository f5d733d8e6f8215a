import type { Cli, CommandAction } from '../cli.js';
import type { Tier } from '../confirm.js';
import { confirm } from '../confirm.js';
import type { ExitStatus } from '../exit-status.js';
import { isText, printDocument } from '../cli.js';
import { CliError, UsageError } from '../cli-error.js';
import { attribution } from '../runs/start-run.js';
import { withTemporal } from '../runs/connection.js';
import { findRun } from '../runs/find-run.js';
import { viewRun, type RunView } from '../runs/run-view.js';
import type { SentCommand } from '../runs/send-command.js';
import { sendCommand } from '../runs/send-command.js';
import type { Verb } from '../../workflows/messages.js';
import { effectLines, standingOf } from '../runs/effect-lines.js';

interface VerbRow {
  readonly verb: Verb;
  /** Null: reversible, so a reason is enough. */
  readonly tier: Tier | null;
  readonly effect: string;
}

const ROWS: Readonly<Record<string, VerbRow>> = {
  pause: { verb: 'pause', tier: null, effect: 'holds at the next safe point' },
  resume: { verb: 'resume', tier: null, effect: 'continues in its previous direction' },
  approve: { verb: 'approve', tier: 'simple', effect: 'passes the approval' },
  reject: { verb: 'reject', tier: 'simple', effect: 'holds' },
  skip: { verb: 'skip', tier: 'typed', effect: 'waives one finding, once' },
  retry: { verb: 'retry', tier: 'simple', effect: 'observes again and retries' },
  rollback: { verb: 'rollBack', tier: 'simple', effect: 'rolls back to the in-tree controllers' },
  rollforward: { verb: 'rollForward', tier: 'simple', effect: 'makes the CCM the target again' },
  stop: { verb: 'stop', tier: 'simple', effect: 'ends at the next safe point' },
};

const WAIT_MS = 60_000;

/** The action of one of the verbs that command a run. */
export function commandNamed(name: string): CommandAction {
  const row = ROWS[name];
  if (row === undefined) throw new Error(`no command is named ${name}`);
  return (cli) => command(cli, name, row);
}

async function command(cli: Cli, name: string, row: VerbRow): Promise<ExitStatus> {
  const who = await attribution(cli);
  const code = cli.options.text('code');
  if (row.verb === 'skip' && code === null)
    throw new UsageError('--code is required: skip waives one finding');
  const given = code === null ? {} : { code };
  return withTemporal(cli, async (client) => {
    const workflowId = await findRun(cli, client);
    const view = await viewRun(client, workflowId);
    const { cluster } = view;
    // Loaded lazily: planning needs everything that reads a cluster, a command needs none of it.
    const ended = async (view: RunView): Promise<ExitStatus> =>
      (await import('./after-the-end.js')).afterTheEnd(cli, client, {
        ...{ view, verb: row.verb, who, cluster },
      });
    if (view.execution !== 'running') return ended(view);
    const effect = effectLines(row.verb, view.status && standingOf(view.status));
    if (!(await isConfirmed(cli, { name, row, cluster, effect }))) return notConfirmed(cli);
    const waitMs = cli.options.durationMs('timeout') ?? WAIT_MS;
    const sent = await sendCommand(
      client,
      workflowId,
      { verb: row.verb, arguments: given, ...who },
      { deadlineMs: Date.now() + waitMs, signal: cli.signal },
    );
    // The run ended while the operator was reading or typing.
    if (sent === 'ended') return ended(await viewRun(client, workflowId));
    return answered(cli, { name, cluster, sent });
  });
}

async function isConfirmed(
  cli: Cli,
  {
    name,
    row,
    cluster,
    effect,
  }: {
    readonly name: string;
    readonly row: VerbRow;
    readonly cluster: string;
    readonly effect: readonly string[];
  },
): Promise<boolean> {
  if (row.tier === null) return true;
  if (!cli.options.flag('yes') && isText(cli))
    for (const line of effect) cli.terminal.err(`${line}\n`);
  const what = `${name} ${cluster}: the run ${row.effect}`;
  return confirm(cli, { tier: row.tier, what, name: cluster });
}

function notConfirmed(cli: Cli): ExitStatus {
  cli.terminal.err('nothing was changed\n');
  return 'refused';
}

function answered(
  cli: Cli,
  {
    name,
    cluster,
    sent,
  }: { readonly name: string; readonly cluster: string; readonly sent: SentCommand },
): ExitStatus {
  const { answer, commandId } = sent;
  if (answer.state === 'refused') {
    throw new CliError('CCM4005', `${cluster}: ${name} was refused: ${answer.detail}`);
  }
  if (!isText(cli)) {
    printDocument(cli, 'CommandResult', { cluster, verb: name, commandId, ...answer });
  } else {
    const mark = cli.theme.mark(answer.state === 'applied' ? 'ok' : 'running');
    const later =
      answer.state === 'applied' ? '' : ' (the run keeps the command and applies it once)';
    cli.terminal.out(`${mark} ${cluster}: ${name} ${answer.state}: ${answer.detail}${later}\n`);
  }
  if (cli.signal.aborted) return 'interrupted';
  return answer.state === 'applied' ? 'reached' : 'timedOut';
}
