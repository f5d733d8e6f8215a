import { alignedTable } from '../markdown-table.js';
import { machineText } from '../bench-machine.js';
import { barsOf } from './fleet-bars.js';
import type { FleetRecord } from './fleet-records.js';

const HEAD = [
  ...['clusters', 'W / E / F', 'steps', 'change / soak', 'minutes', '× rule', '× bound'],
  ...['× barrier', '× pool', 'moving', 'unproven', 'burnt', 'proven', 'events', 'fleet events'],
  ...['worker MiB', 'CPU-s worker / server', 'read ms p95', 'pause'],
];

/** Results as a Markdown table, one line for each run. */
export function fleetTable(records: readonly FleetRecord[]): string {
  return alignedTable([HEAD, ...records.map(cellsOf)]);
}

function cellsOf({ parameters, figures }: FleetRecord): readonly string[] {
  const { clusters, inFlight, unproven, budget, steps, changeMs, soakMs } = parameters;
  const { seconds, ruleSeconds, boundSeconds, barrierSeconds, poolSeconds } = figures;
  const { clusterEvents, fleetEvents, readMs, pause } = figures;
  const each = (cpuSeconds: number): string => (cpuSeconds / clusters).toFixed(2);
  return [
    ...[String(clusters), `${inFlight} / ${unproven} / ${budget}`, String(steps)],
    `${changeMs / 1000} s / ${soakMs / 1000} s`,
    (seconds / 60).toFixed(1),
    ...[ruleSeconds, boundSeconds, barrierSeconds, poolSeconds].map((other) =>
      (seconds / other).toFixed(2),
    ),
    ...[figures.mostMoving, figures.mostUnproven, figures.burnt, figures.proven].map(String),
    clusterEvents === null
      ? '–'
      : `${clusterEvents.mean.toFixed(0)} (most ${clusterEvents.max.toFixed(0)})`,
    fleetEvents === null ? '–' : `${fleetEvents.count} × at most ${fleetEvents.max.toFixed(0)}`,
    figures.workerPeakMiB.toFixed(0),
    `${each(figures.workerCpuSeconds)} / ${each(figures.serverCpuSeconds)}`,
    readMs.p95.toFixed(0),
    pause === null ? '–' : `${pause.stepsLater} of ${pause.moving}`,
  ];
}

/** The table with everything that is needed to read it. */
export function fleetSection(records: readonly FleetRecord[]): string {
  const machines = [...new Set(records.map(({ machine }) => machineText(machine)))];
  return [
    '## Fleets on a real Temporal server',
    COMMAND,
    `Machine: ${machines.join('; ')}.`,
    WHAT_IT_IS,
    fleetTable(records),
    HOW_TO_READ,
    'Bars:',
    records.map(barsText).join('\n'),
  ].join('\n\n');
}

function barsText(record: FleetRecord): string {
  const { clusters, seed } = record.parameters;
  const bars = barsOf(record);
  const broken = bars.filter(({ holds }) => !holds).map(({ said }) => said);
  const verdict =
    broken.length === 0 ? `all ${bars.length} bars hold` : `not kept: ${broken.join('; ')}`;
  return `- ${clusters} clusters, seed ${seed}, ${record.at.slice(0, 10)}: ${verdict}.`;
}

const COMMAND = `\`\`\`console
npm run bench -- fleet --engine --append --write-docs --out docs/benchmarks/fleet-engine.jsonl
\`\`\``;

const WHAT_IT_IS = `Real workflows of a fleet and of its clusters on a Temporal dev server, a real worker, and clusters that are a model: their steps and soaks only
take time, drawn from a seed (a change between half and one and a half of its mean, 1 % of the clusters ten times as long, which the plan
knows, 3 % fail and are rolled back). Eight regions, four canaries. Server and worker are killed once each and started again on the same
database. The model keeps the journal from which the figures come: when each cluster took its fence, changed, soaked and ended.`;

const HOW_TO_READ = `_W / E / F_: limit of clusters that change, limit of unproven clusters, failure budget. _× rule_: the fleet's time divided by that of the rule
alone on the same durations, where no message takes any time. _× bound_: by the lower bound from the journal; no schedule within the limits is
faster. _× barrier_: by waves of W in which each wave waits for the soak of its slowest cluster. _× pool_: by a plain pool of W slots that knows
no soak, canary, E or budget. _Moving_, _unproven_: most at once. _Events_: history events of a cluster, mean. _Fleet events_: executions of the
fleet and the longest of them. _CPU-s_: for each cluster, and restarts count on. _Read ms_: reading the fleet's state as \`status\` does.
_Pause_: steps that began later than 5 s after a pause, of so many clusters that changed then.`;
