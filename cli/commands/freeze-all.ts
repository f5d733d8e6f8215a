import type { Client } from '@temporalio/client';
import { signerFor } from '../authority/signing-key.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import { answerPatience } from '../runs/send-command.js';
import { confirm } from '../confirm.js';
import type { ExitStatus } from '../exit-status.js';
import { openWork, untilSettled, type OpenWork } from '../fleets/open-work.js';
import { tellWork, type BrakeVerb, type ToldWork } from '../fleets/tell-work.js';
import { withTemporal } from '../runs/connection.js';
import { attribution, type Attribution } from '../runs/start-run.js';
import { flatTexts } from '../terminal/flat-texts.js';
import { counted } from '../terminal/wording.js';

/** `freeze --all` and `unfreeze --all`: every open fleet, and every open run that no open fleet leads. */
export async function freezeAll(cli: Cli, verb: BrakeVerb): Promise<ExitStatus> {
  const who = await attribution(cli);
  return withTemporal(cli, (client) => freezeOpen(cli, client, verb, who));
}

/** The same, on a connection that is open. */
export async function freezeOpen(
  cli: Cli,
  client: Client,
  verb: BrakeVerb,
  who: Attribution,
): Promise<ExitStatus> {
  const first = await openWork(client);
  // There is nothing to ask about; what this listing does not have yet is told all the same.
  if (first.length === 0) return tellAll(cli, client, verb, who);
  const what = `${verb} everything in namespace ${client.options.namespace}: ${countsText(first)}`;
  if (!(await confirm(cli, { tier: 'typed', what, name: String(first.length) }))) {
    cli.terminal.err('nothing was changed\n');
    return 'refused';
  }
  return tellAll(cli, client, verb, who);
}

async function tellAll(
  cli: Cli,
  client: Client,
  verb: BrakeVerb,
  who: Attribution,
): Promise<ExitStatus> {
  const patience = answerPatience(cli);
  const signer = await signerFor(cli, verb);
  const { told, settled } = await untilSettled(
    async () => openWork(client),
    async (work) => tellWork(client, work, { verb, who, patience, signer }),
    { signal: cli.signal },
  );
  if (isText(cli)) cli.terminal.out(toldText(cli, verb, { told, settled }));
  else printDocument(cli, 'FreezeResult', { verb, settled, told });
  return cli.signal.aborted ? 'interrupted' : exitStatusOfAll(told, settled);
}

function countsText(works: readonly Pick<OpenWork, 'kind'>[]): string {
  const fleets = works.filter(({ kind }) => kind === 'fleet').length;
  return `${counted(fleets, 'fleet')} and ${counted(works.length - fleets, 'run')} on their own`;
}

/** Partial failure is not success: whatever is not known to hold counts. */
export function exitStatusOfAll(told: readonly ToldWork[], settled: boolean): ExitStatus {
  const is = (state: ToldWork['state']): boolean => told.some((each) => each.state === state);
  if (is('failed')) return 'failed';
  if (is('unanswered') || !settled || told.some(({ untold }) => untold > 0)) return 'timedOut';
  return is('refused') ? 'refused' : 'reached';
}

const MOST_LINES = 40;

const ORDER: readonly ToldWork['state'][] = [
  ...(['failed', 'unanswered', 'refused', 'left', 'done', 'ended'] as const),
];

const MARKS = {
  failed: 'failed',
  unanswered: 'running',
  refused: 'warning',
  left: 'held',
  done: 'ok',
  ended: 'waiting',
} as const;

/** What needs a person first, one line for each, as many as fit; then the counts of all. */
export function toldText(
  { theme }: Pick<Cli, 'theme'>,
  verb: BrakeVerb,
  { told, settled }: { readonly told: readonly ToldWork[]; readonly settled: boolean },
): string {
  const sorted = [...flatTexts(told)].sort(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || b.untold - a.untold,
  );
  const rest = sorted.length - MOST_LINES;
  const untold = told.reduce((sum, each) => sum + each.untold, 0);
  const counts = ORDER.flatMap((state) => {
    const count = told.filter((each) => each.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  return [
    ...sorted
      .slice(0, MOST_LINES)
      .map(
        ({ kind, name, state, detail, untold: own }) =>
          `${theme.mark(MARKS[state])} ${kind} ${name}: ${verb} ${state}: ${detail}${own === 0 ? '' : ` · ${counted(own, 'run')} not told yet`}`,
      ),
    ...(rest > 0 ? [`… and ${rest} more`] : []),
    `${countsText(told)}: ${counts.join(', ') || 'nothing is open'}${untold === 0 ? '' : ` · ${counted(untold, 'run')} of fleets not told yet, told again`}`,
    ...(settled ? [] : [`${theme.mark('warning')} new runs kept appearing: type it again`]),
    '',
  ].join('\n');
}
