import type { Client } from '@temporalio/client';
import type { Cli } from '../cli.js';
import type { Ending } from '../endings.js';
import { isText, printDocument } from '../print.js';
import { withTemporal } from '../runs/connection.js';
import type { KnownRun } from '../runs/find-run.js';
import { findRun, listRuns } from '../runs/find-run.js';
import { followRun } from '../runs/follow-run.js';
import type { RunView } from '../runs/run-view.js';
import { viewRun } from '../runs/run-view.js';
import type { Goal } from '../runs/watch-goal.js';
import { GOALS } from '../runs/watch-goal.js';
import { runTree } from '../tree/run-tree.js';
import { silenceLines } from '../tree/silence-lines.js';

/** `status [cluster] [-w]`: where a run stands. Without a name and with several runs, the list of them. */
export async function status(cli: Cli): Promise<Ending> {
  const timeoutMs = cli.options.durationMs('timeout');
  return withTemporal(cli, async (client) => {
    const [written] = cli.arguments;
    const watch = cli.options.flag('watch') || cli.options.text('until') !== null;
    const runs = written === undefined && !watch ? await listRuns(client) : [];
    if (runs.length > 1) return showList(cli, runs);
    const workflowId = await findRun(cli, client);
    return watch
      ? watchRun(cli, client, { workflowId, timeoutMs })
      : showOnce(cli, await viewRun(client, workflowId));
  });
}

async function watchRun(
  cli: Cli,
  client: Client,
  { workflowId, timeoutMs }: { readonly workflowId: string; readonly timeoutMs: number | null },
): Promise<Ending> {
  const { ending, view } = await followRun(cli, client, workflowId, {
    until: goalOf(cli.options.text('until')),
    deadlineMs: timeoutMs === null ? null : Date.now() + timeoutMs,
  });
  if (cli.output === 'json') printDocument(cli, 'RunStatus', { ...view });
  if (ending === 'interrupted') {
    cli.terminal.err('detached; the run goes on. Follow it again with `ccm-migrate status -w`\n');
  }
  return ending;
}

function goalOf(written: string | null): Goal {
  return GOALS.find((goal) => goal === written) ?? 'settled';
}

function showOnce(cli: Cli, view: RunView): Ending {
  if (!isText(cli)) {
    printDocument(cli, 'RunStatus', { ...view });
    return 'reached';
  }
  const lines = runTree({ view, status: view.status, nowMs: Date.now(), extra: [] }, cli.theme);
  cli.terminal.out(`${lines.join('\n')}\n`);
  for (const line of silenceLines(view, cli.theme)) cli.terminal.err(`${line}\n`);
  return 'reached';
}

function showList(cli: Cli, runs: readonly KnownRun[]): Ending {
  if (!isText(cli)) {
    printDocument(cli, 'RunList', { runs });
    return 'reached';
  }
  const rows = runs.map(({ cluster, running, phase, startedAtMs }) => [
    cluster,
    running ? 'running' : 'ended',
    phase,
    new Date(startedAtMs).toISOString(),
  ]);
  cli.terminal.out(table([['CLUSTER', 'STATE', 'PHASE', 'STARTED'], ...rows]));
  return 'reached';
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
