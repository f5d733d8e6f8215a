import { machineText } from '../bench-machine.js';
import { intervalText } from '../gates/binomial-interval.js';
import { alignedTable } from '../markdown-table.js';
import type { Spread } from '../spread.js';
import { brakeBars, groupText } from './brake-bars.js';
import { brakeGroups, type BrakeFigures, type BrakeGroup } from './brake-figures.js';
import type { BrakeRecord } from './brake-records.js';

const HEAD = [
  ...['sign', 'runs', 'bar s', 'wrote after it', 'last new write s', 'later than the bar'],
  ...['nothing new', 'fence refuses s', 'went on', 'writes that finish', 'writes that cure'],
];

export function brakeTable(figures: BrakeFigures): string {
  return alignedTable([HEAD, ...brakeGroups(figures).map(cellsOf)]);
}

function cellsOf(group: BrakeGroup): readonly string[] {
  const { runs, limitSeconds, lastNew, late, before, closed, unstopped, finishing, cures } = group;
  const wrote = runs - before;
  return [
    ...[groupText(group), String(runs), String(limitSeconds), String(wrote), spreadText(lastNew)],
    wrote === 0 ? '–' : intervalText(late, wrote),
    ...[String(before), spreadText(closed), String(unstopped), String(finishing), String(cures)],
  ];
}

function spreadText(spread: Spread | null): string {
  if (spread === null) return '–';
  return [spread.p50, spread.p99, spread.max].map((seconds) => seconds.toFixed(2)).join(' / ');
}

/** The section of the page of benchmarks: the figures of the last bench of a file, and which bars every one kept. */
export function brakeSection(records: readonly BrakeRecord[]): string {
  const last = records.at(-1);
  if (last === undefined) throw new Error('no run to tell of');
  const { parameters, machine, figures } = last;
  return [
    '## From a bad sign to the last write',
    COMMAND,
    `Machine: ${machineText(machine)}. Seed ${parameters.seed}, ${(figures.seconds / 60).toFixed(1)} minutes.`,
    WHAT_IT_IS,
    conditionsText(last),
    brakeTable(figures),
    HOW_TO_READ,
    'Bars:',
    records.map(barsText).join('\n'),
  ].join('\n\n');
}

function conditionsText({ parameters, figures }: BrakeRecord): string {
  const { loopDelays, guardGapP99, missed } = figures;
  const delays = Object.entries(loopDelays)
    .filter(([name]) => PROCESSES.has(name))
    .map(([name, { p99, max }]) => `${PROCESSES.get(name) ?? name} ${p99} ms (most ${max} ms)`);
  const gap = guardGapP99 === null ? 'unknown' : `at most ${guardGapP99} s`;
  const left = missed.length === 0 ? 'none' : String(missed.length);
  return `${parameters.together} clusters migrated at a time. Event loops were late by, p99: ${delays.join(', ')}; between two observations of a guard while
changes may happen: ${gap} (p99). Runs in which nothing became bad: ${left}.`;
}

const PROCESSES: ReadonlyMap<string, string> = new Map([
  ['probed-worker', 'worker'],
  ['main', 'simulator'],
]);

function barsText({ parameters, at, figures }: BrakeRecord): string {
  const bars = brakeBars(figures);
  const broken = bars.filter(({ holds }) => !holds).map(({ said }) => said);
  const verdict =
    broken.length === 0 ? `all ${bars.length} bars hold` : `not kept: ${broken.join('; ')}`;
  return `- ${parameters.runs} runs, seed ${parameters.seed}, ${at.slice(0, 10)}: ${verdict}.`;
}

const COMMAND = `\`\`\`console
npm run bench -- brake --runs 100 --append --write-docs --out docs/benchmarks/brake.jsonl
\`\`\``;

const WHAT_IT_IS = `The product itself migrates simulated clusters in place (three control-plane nodes, two workers; real time), on a Temporal dev server with one worker. At a
random moment the cluster becomes bad. _Hard_: the process that owns the cloud controllers is stopped by a signal (state \`T\`), or someone runs a CCM without
leader election beside it. _Soft_: the cloud refuses load balancers, and a user asks for one; the policy watches metrics and objects, every 15 s. In a hold, the
owner is stopped while the run waits for the approval of its handover, which is given within 12 s after that.`;

const HOW_TO_READ = `By the simulator's journal and its clock. A sign begins when the harm does: with the order to stop the process (a little before it), with two processes that run
the controllers, with the first call that the cloud refused. _Last new write_: p50 / p99 / most, of the runs that wrote after the sign; a hard sign may stop a step
between two writes, so each later write counts. _Nothing new_: the last write came before the sign, which is no success of the first bar. _Fence refuses_: until the guard
had written the finding into the fence, of all runs; until then a new write could have come (0: a second CCM was seen before it ran a controller). _Writes that finish_: of a step that had begun to write, which a soft sign lets
end. _Writes that cure_: of a repair of this very harm. _Later than the bar_ with two-sided 95 % interval (Clopper–Pearson). In a soak nothing is left to write.

Known: a step that sends several writes together reads the fence once and records each of them on disk first. Beside a running test suite the last of them
(\`prepareCcm\`) came 2.5 s after a hard sign once, 1.7 s after the fence refused.`;
