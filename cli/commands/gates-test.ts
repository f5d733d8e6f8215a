import { holdsRun, type GateVerdict } from '../../domain/gates/verdicts.js';
import type { Cli } from '../cli.js';
import { isText, printDocument, screen } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { sampleHere } from '../gates/sample-here.js';
import { verdictTable } from '../gates/verdict-table.js';
import { chosenCluster } from '../plan/make-plan.js';

/** `gates test`: what each gate says of a cluster now, with its numbers, without a run and without any change. */
export async function testGates(cli: Cli): Promise<ExitStatus> {
  const chosen = await chosenCluster(cli);
  const { cluster } = chosen;
  if (cluster.nodeAccess.kind === 'none') {
    throw new UsageError(
      `${cluster.name}: pages of managers are read on nodes, and it has no nodeAccess`,
    );
  }
  const verdicts = await sampleHere(chosen, {
    ...{ forMs: sampledMs(cli), signal: cli.signal },
    onRound: (_verdicts, leftMs) => {
      if (leftMs > 0) cli.terminal.err(`sampled; ${String(Math.ceil(leftMs / 1000))} s left\n`);
    },
  });
  if (isText(cli)) {
    const lines = verdictTable(verdicts, screen(cli).width);
    cli.terminal.out(`${lines.join('\n')}\n`);
  } else {
    printDocument(cli, 'GateTest', { cluster: cluster.name, gates: verdicts });
  }
  return endOf(verdicts);
}

function sampledMs({ options }: Cli): number {
  const ms = options.durationMs('for') ?? 0;
  if (ms <= LONGEST_MS) return ms;
  throw new UsageError(
    `--for ${String(options.text('for'))}: a duration of at most 1h, such as 2m`,
  );
}

const LONGEST_MS = 3_600_000;

/** What could not be measured, or is only suspected, is no failure and no success. */
function endOf(verdicts: readonly GateVerdict[]): ExitStatus {
  if (verdicts.some(({ verdict }) => verdict === 'fail')) return 'checksFailed';
  return verdicts.some(holdsRun) ? 'inconclusive' : 'reached';
}
