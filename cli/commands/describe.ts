import type { Client } from '@temporalio/client';
import type { Cli } from '../cli.js';
import type { Ending } from '../endings.js';
import { isText, printDocument } from '../print.js';
import { withTemporal } from '../runs/connection.js';
import { findRun } from '../runs/find-run.js';
import type { RunView } from '../runs/run-view.js';
import { askStatus, viewRun } from '../runs/run-view.js';
import { runTree } from '../tree/run-tree.js';
import { silenceLines } from '../tree/silence-lines.js';
import { seconds } from '../tree/step-groups.js';

/** `describe [cluster]`: all that is known of a run, the cause first, also after its end. */
export async function describe(cli: Cli): Promise<Ending> {
  return withTemporal<Ending>(cli, async (client) => {
    const workflowId = await findRun(cli, client);
    const view = await withSteps(client, await viewRun(client, workflowId));
    if (!isText(cli)) {
      printDocument(cli, 'RunStatus', { ...view });
      return 'reached';
    }
    const { status } = view;
    const lines = runTree({ view, status, nowMs: Date.now(), extra: outcomeRows(view) }, cli.theme);
    cli.terminal.out(`${lines.join('\n')}\n`);
    for (const line of silenceLines(view, cli.theme)) cli.terminal.err(`${line}\n`);
    return 'reached';
  });
}

/** The steps of a run that has ended are told by a worker too; without one they are left out. */
async function withSteps(client: Client, view: RunView): Promise<RunView> {
  if (view.execution === 'running') return view;
  const asked = await askStatus(client, view.workflowId, view.runId);
  return asked.kind === 'answered' ? { ...view, status: asked.value } : view;
}

function outcomeRows(view: RunView): readonly (readonly [string, string])[] {
  const { outcome, historyEvents, historyBytes } = view;
  const size = historyBytes === null ? '' : `, ${Math.ceil(historyBytes / 1024)} KiB`;
  const events = ['History', `${historyEvents} events${size}`] as const;
  if (outcome === null) return [events];
  const { clusterState, nextCommand, reversibility, guard, evidence, closing } = outcome;
  return [
    ['Cluster', clusterState],
    ['Next', nextCommand],
    ['Way back', reversibility],
    ...(guard === null ? [] : [['Guard saw', guardWords(guard)] as const]),
    ...(evidence === null
      ? []
      : [['Evidence', `${evidence.records} records, head ${evidence.head}`] as const]),
    ...(closing === '' ? [] : [['Closing', closing] as const]),
    events,
  ];
}

/** What the guard of a run saw of ownership; time that nobody can speak for is said only where there is some. */
export function guardWords(guard: NonNullable<NonNullable<RunView['outcome']>['guard']>): string {
  const { moves, overlapSeconds, orphanSeconds, unknownSeconds } = guard;
  const known = `${moves} moves, two owners for ${seconds(overlapSeconds * 1000)}, none for ${seconds(orphanSeconds * 1000)}`;
  return unknownSeconds > 0
    ? `${known}, and for ${seconds(unknownSeconds * 1000)} nobody can tell`
    : known;
}
