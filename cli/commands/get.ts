import type { FleetState, Row } from '../../domain/fleet/fleet-state.js';
import type { Cli } from '../cli.js';
import { isText, printDocument, screen } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { fleetPath, scopeOf } from '../fleets/fleet-path.js';
import { rowsIn } from '../../domain/fleet/order-result.js';
import { withTemporal } from '../runs/connection.js';
import { PHASE_WORDS } from '../terminal/fleet-wording.js';
import { sameServer, serverCommand } from '../typed-command.js';
import { approvalLines, clusterTable, listedClusters, waveTable } from '../screens/fleet-lists.js';
import { printFleetStatus, requireState } from './status-fleet.js';

/** `get clusters|waves|approvals FLEET`: what `status` sums up, in full. */
export async function get(cli: Cli): Promise<ExitStatus> {
  const [what = '', written = ''] = cli.arguments;
  const path = fleetPath(written);
  if (path === null) throw new UsageError(`${written} is the run of a cluster, not a fleet`);
  const selected = cli.options.texts('selector');
  if (what !== 'clusters' && selected.length > 0) {
    throw new UsageError('-l selects clusters: get clusters FLEET -l LABEL');
  }
  if (what !== 'clusters' && path.part.kind !== 'all') {
    throw new UsageError(
      `get ${what} lists those of a whole fleet, and ${path.text} is a part of it: type \`${serverCommand(['get', what, path.fleet], cli.options)}\``,
    );
  }
  return withTemporal<ExitStatus>(cli, async (client) => {
    const run = await requireState(client, path.fleet);
    const { width = Infinity } = screen(cli);
    const nowMs = Date.now();
    switch (what) {
      case 'clusters': {
        const labels = selected.filter((each) => !each.startsWith(STATE));
        const rows = rowsIn(run.state, scopeOf(run.state, path, labels)).filter(inState(selected));
        const clusters = listedClusters(run.state, rows, nowMs);
        if (!isText(cli)) printDocument(cli, 'FleetClusterList', { fleet: path.fleet, clusters });
        else print(cli, clusterTable(clusters, { nowMs, width }));
        return 'reached';
      }
      case 'waves':
      case 'approvals':
        if (!isText(cli)) printFleetStatus(cli, run, nowMs);
        else print(cli, linesOf(cli, what, run.state, { nowMs, width }));
        return 'reached';
      default:
        throw new UsageError(`get ${what}: choose clusters, waves or approvals`);
    }
  });
}

function linesOf(
  { theme, options }: Cli,
  what: 'waves' | 'approvals',
  state: FleetState,
  shown: { readonly nowMs: number; readonly width: number },
): readonly string[] {
  if (what === 'waves') return waveTable(state, shown);
  return approvalLines(state, theme, { nowMs: shown.nowMs, server: sameServer(options) });
}

const STATE = 'state=';

/** `-l state=held`: by the word that the list shows. */
function inState(selected: readonly string[]): (row: Row) => boolean {
  const states = selected.flatMap((each) =>
    each.startsWith(STATE) ? [each.slice(STATE.length)] : [],
  );
  const known: readonly string[] = Object.values(PHASE_WORDS);
  const wrong = states.find((each) => !known.includes(each));
  if (wrong !== undefined) throw new UsageError(`-l state=${wrong}: one of ${known.join(', ')}`);
  return ({ phase }) => states.length === 0 || states.includes(PHASE_WORDS[phase]);
}

function print({ terminal }: Cli, lines: readonly string[]): void {
  terminal.out(`${lines.join('\n')}\n`);
}
