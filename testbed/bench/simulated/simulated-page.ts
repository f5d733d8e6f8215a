import { machineText } from '../bench-machine.js';
import { alignedTable } from '../markdown-table.js';
import { simulatedBars } from './simulated-bars.js';
import type { CpuShare, HeldFigures } from './simulated-figures.js';
import type { SimulatedRecord } from './simulated-records.js';

const HEAD = [
  ...['run', 'clusters', 'held', 'minutes', 'migrated', 'changing', 'in a zone', 'unproven'],
  ...['burnt', 'CPU-s worker / server', 'moving %', 'held %', 'heap KiB', 'sockets', 'replay ms'],
  ...['guard gap p99', 'requests steps / guard / nodes', 'worker MiB'],
];

/** Results as a Markdown table, one line for each run. */
export function simulatedTable(records: readonly SimulatedRecord[]): string {
  return alignedTable([HEAD, ...records.map(cellsOf)]);
}

const NONE = '–';

function cellsOf({ parameters, figures }: SimulatedRecord): readonly string[] {
  const { run, clusters } = parameters;
  const { most, held, cpu, stepRequests, guardRequests, nodeRequests } = figures;
  return [
    ...[run, String(clusters), held === null ? NONE : String(parameters.held)],
    rounded((held?.seconds ?? figures.seconds) / 60, 1),
    ...[figures.migrated, most.changing, most.changingInZone, most.unproven].map(String),
    String(figures.burnt),
    ...[shares(cpu), ...heldCells(held), rounded(figures.replayMs, 0)],
    figures.guardGapP99 === null ? NONE : `${figures.guardGapP99} s`,
    [stepRequests, guardRequests, nodeRequests]
      .map((spread) => rounded(spread?.mean ?? null, 0))
      .join(' / '),
    rounded(figures.workerPeakMiB, 0),
  ];
}

function heldCells(held: HeldFigures | null): readonly string[] {
  if (held === null) return [NONE, NONE, NONE, NONE];
  const { movingPercent, heldPercent, heapKiB, sockets } = held;
  return [shares(movingPercent), shares(heldPercent), rounded(heapKiB, 0), rounded(sockets, 1)];
}

function rounded(value: number | null, digits: number): string {
  return value === null ? NONE : value.toFixed(digits);
}

function shares(share: CpuShare | null): string {
  return share === null ? NONE : `${share.worker.toFixed(2)} / ${share.server.toFixed(2)}`;
}

/** The table with everything that is needed to read it. */
export function simulatedSection(records: readonly SimulatedRecord[]): string {
  const machines = [...new Set(records.map(({ machine }) => machineText(machine)))];
  return [
    '## Fleets of whole simulated clusters',
    COMMAND,
    `Machine: ${machines.join('; ')}.`,
    WHAT_IT_IS,
    simulatedTable(records),
    HOW_TO_READ,
    'Bars:',
    records.map(barsText).join('\n'),
  ].join('\n\n');
}

function barsText(record: SimulatedRecord): string {
  const { run, clusters } = record.parameters;
  const bars = simulatedBars(record);
  const broken = bars.filter(({ holds }) => !holds).map(({ said }) => said);
  const verdict =
    broken.length === 0 ? `all ${bars.length} bars hold` : `not kept: ${broken.join('; ')}`;
  return `- ${run}, ${clusters} clusters, ${record.at.slice(0, 10)}: ${verdict}.`;
}

const COMMAND = `\`\`\`console
npm run bench -- fleet --simulator --append --write-docs --out docs/benchmarks/fleet-simulator.jsonl
\`\`\``;

const WHAT_IT_IS = `The product itself: \`plan\` and \`apply\` of its command line, a Temporal dev server, one worker process, and one simulator process with all
clusters (three control-plane nodes, two workers; real time). \`in-place\` and \`replace\` move one fleet from start to end (W 20, E 60, ten of one zone, soak 30 s).
In \`held\`, clusters wait for the approval of their handover while another fleet always moves as many as it may. Intervals are the defaults: a guard
observes each second, and every 10 s while nothing may change. All processes share the machine.`;

const HOW_TO_READ = `_Changing_, _in a zone_, _unproven_: most at once, by the simulator's journal: from the first change of a cluster to the last, and from our first
write to its fence to the last. _Burnt_: changed and not migrated, by the processes that run at the end. _CPU-s_: of the whole run, for each cluster. _Moving %_,
_held %_: percent of one core for one cluster, worker / server, beyond what they use without it; a cluster moves from the first write to its fence to the last.
_Heap_: of the worker, all threads, after a garbage collection, for one held cluster. _Sockets_: connections of the worker to clusters, for one held cluster.
_Replay_: CPU time of one replay, mean of up to 20 histories. _Guard gap_: between two observations of a guard while writes may come, from the worker's metrics, as the
upper bound of its bucket. _Requests_: of one migration, mean: to the API server by steps and by the guard, and to nodes and the machines API by both.`;
