import type { Cli, CommandAction } from '../cli.js';
import { oneLine } from '../../domain/findings/plain-text.js';
import { confirm } from '../confirm.js';
import type { ExitStatus } from '../exit-status.js';
import { isText, printDocument } from '../cli.js';
import { CliError, UsageError } from '../cli-error.js';
import { attribution } from '../runs/start-run.js';
import { withTemporal } from '../runs/connection.js';
import { refuseForeignFlags } from '../fleets/foreign-flags.js';
import { fleetPath, isOnlyFleet } from '../fleets/fleet-path.js';
import { meantFleet } from '../fleets/meant-fleet.js';
import { findRun } from '../runs/find-run.js';
import { viewRun, type RunView } from '../runs/run-view.js';
import type { SentCommand } from '../runs/send-command.js';
import { sealFor } from '../authority/seal.js';
import { withSubject, type GivenSubject } from '../runs/named-subject.js';
import { answerPatience, sendCommand } from '../runs/send-command.js';
import type { OperatorVerb } from '../../domain/run/operator-verbs.js';
import { OPERATOR_VERBS } from '../../domain/run/operator-verbs.js';
import { effectLines, standingOf } from '../runs/effect-lines.js';

/** The action of one of the verbs that command a run. */
export function commandOf(verb: OperatorVerb): CommandAction {
  return (cli) => command(cli, verb);
}

async function command(cli: Cli, verb: OperatorVerb): Promise<ExitStatus> {
  const { word, turnsTo } = OPERATOR_VERBS[verb];
  const target = isForFleet(cli) ? fleetPath(cli.arguments[0] ?? '') : null;
  if (target !== null) refuseForeignFlags(cli, word, target);
  else requireCode(cli, verb);
  const who = await attribution(cli);
  return withTemporal(cli, async (client) => {
    const [written] = cli.arguments;
    const fleet = written === undefined ? null : await meantFleet(client, written);
    if (fleet !== null) {
      const { commandFleet } = await import('./fleet-command-action.js');
      return commandFleet(cli, client, { verb, path: fleet, who });
    }
    const given = subjectGiven(cli, verb);
    const workflowId = await findRun(cli, client);
    const view = await viewRun(client, workflowId);
    const { cluster } = view;
    // Loaded lazily: planning needs everything that reads a cluster, a command needs none of it.
    const ended = async (view: RunView): Promise<ExitStatus> =>
      (await import('./after-the-end.js')).afterTheEnd(cli, client, {
        ...{ view, verb, who, cluster },
      });
    if (view.execution !== 'running') return ended(view);
    const about = withSubject(given, verb, view);
    const lines = effectLines(turnsTo, view.status && standingOf(view.status));
    if (!(await isConfirmed(cli, { verb, cluster, lines }))) return notConfirmed(cli);
    const order = { verb, arguments: about, ...who };
    const seal = await sealFor(cli, verb, view);
    const sent = await sendCommand(client, workflowId, order, answerPatience(cli), seal);
    // The run ended while the operator was reading or typing.
    if (sent === 'ended') return ended(await viewRun(client, workflowId));
    return answered(cli, { word, cluster, sent });
  });
}

/** What only a fleet takes is refused, so that no one thinks it had an effect. */
function subjectGiven(cli: Cli, verb: OperatorVerb): GivenSubject {
  const { options } = cli;
  requireCode(cli, verb);
  const foreign = FLEET_FLAGS.find((name) => options.text(name) !== null || options.flag(name));
  if (foreign !== undefined || options.texts('selector').length > 0) {
    throw new UsageError(
      `--${foreign ?? 'selector'} is for fleets: this is the run of one cluster`,
    );
  }
  const [code, gate] = [options.text('code'), options.text('gate')];
  return { ...(code === null ? {} : { code }), ...(gate === null ? {} : { gate }) };
}

/** As typed: only a part of a fleet, or clusters by their label, need no server to be known as a fleet's. */
function isForFleet({ arguments: [written = ''], options }: Cli): boolean {
  return isOnlyFleet(written) || options.texts('selector').length > 0;
}

function requireCode({ options }: Cli, verb: OperatorVerb): void {
  const { word, effect, code } = OPERATOR_VERBS[verb];
  if (code !== 'required' || options.text('code') !== null) return;
  throw new UsageError(
    `--code is required: ${word} ${effect}; clusters of a fleet are left out as FLEET/CLUSTER or FLEET/wave/NAME`,
  );
}

const FLEET_FLAGS = ['failed', 'skipped', 'signature', 'limits'] as const;

async function isConfirmed(
  cli: Cli,
  {
    verb,
    cluster,
    lines,
  }: { readonly verb: OperatorVerb; readonly cluster: string; readonly lines: readonly string[] },
): Promise<boolean> {
  const { word, effect, confirmation } = OPERATOR_VERBS[verb];
  if (confirmation === 'none') return true;
  if (!cli.options.flag('yes') && isText(cli))
    for (const line of lines) cli.terminal.err(`${line}\n`);
  const what = `${word} ${cluster}: the run ${effect}`;
  return confirm(cli, { tier: confirmation, what, name: cluster });
}

function notConfirmed(cli: Cli): ExitStatus {
  cli.terminal.err('nothing was changed\n');
  return 'refused';
}

function answered(
  cli: Cli,
  {
    word,
    cluster,
    sent,
  }: { readonly word: string; readonly cluster: string; readonly sent: SentCommand },
): ExitStatus {
  const { answer, commandId } = sent;
  if (answer.state === 'refused') {
    throw new CliError('CCM4005', `${cluster}: ${word} was refused: ${oneLine(answer.detail)}`);
  }
  if (!isText(cli)) {
    printDocument(cli, 'CommandResult', { cluster, verb: word, commandId, ...answer });
  } else {
    const mark = cli.theme.mark(answer.state === 'applied' ? 'ok' : 'running');
    const later =
      answer.state === 'applied' ? '' : ' (the run keeps the command and applies it once)';
    const detail = oneLine(answer.detail);
    cli.terminal.out(`${mark} ${cluster}: ${word} ${answer.state}: ${detail}${later}\n`);
  }
  if (cli.signal.aborted) return 'interrupted';
  return answer.state === 'applied' ? 'reached' : 'timedOut';
}
