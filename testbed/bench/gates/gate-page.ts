import { machineText } from '../bench-machine.js';
import { alignedTable } from '../markdown-table.js';
import { informationBound } from './bad-windows.js';
import { intervalText } from './binomial-interval.js';
import type { BrokenFigures } from './broken-figures.js';
import { gateBars } from './gate-bars.js';
import type { BadSummary, Delays, GateFigures, GoodSummary } from './gate-figures.js';
import type { GateRecord } from './gate-records.js';
import { OTHER_GATE_RULES } from './other-gate-rules.js';

const OTHERS = OTHER_GATE_RULES.map(({ name }) => name);

/** Both tables of one run. */
export function gateTables({ good, bad, broken }: GateFigures): string {
  const goodTable = alignedTable([
    ['good runs', 'ours fails', 'ours suspects', 'suspect min', ...OTHERS],
    ...good.map(goodCells),
  ]);
  const badTable = alignedTable([
    ...[['harm', 'windows', 'ours fails', 's', 'ours suspects', 's', 'ends', 'bound s', ...OTHERS]],
    ...bad.map(badCells),
  ]);
  return [goodTable, badTable, ...(broken === undefined ? [] : [brokenText(broken)])].join('\n\n');
}

function brokenText({ answers, passed, misnamed }: BrokenFigures): string {
  return `${answers} broken answers of a metrics server (not a number, stale, relabelled, partial, endless, hanging, redirected …): ${passed.length} passed, ${misnamed.length} refused for another reason.`;
}

function goodCells(summary: GoodSummary): readonly string[] {
  const { hours, runs, failed, suspected, heldMinutes, otherFailed } = summary;
  return [
    ...[`${runs} of ${hours} h`, intervalText(failed, runs), intervalText(suspected, runs)],
    delayText(heldMinutes),
    ...otherFailed.map((each) => `${((100 * each) / runs).toFixed(0)} %`),
  ];
}

function badCells(summary: BadSummary): readonly string[] {
  const { row, windows, fail, suspect, ends, others } = summary;
  const bound = informationBound(row);
  return [
    ...[rowText(summary), String(windows), intervalText(fail.count, windows), delayText(fail)],
    ...[intervalText(suspect.count, windows), delayText(suspect)],
    Object.entries(ends)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', '),
    bound === null ? '–' : bound.toFixed(0),
    ...others.map((each) => `${((100 * each.count) / windows).toFixed(0)} %, ${delayText(each)}`),
  ];
}

function rowText({ row: { kind, perMinute, ratio, to, begins, minutes } }: BadSummary): string {
  const change = kind === 'hang' ? '' : ` ${ratio * 100} → ${to * 100} %`;
  const when = begins === 'step' ? 'at our step' : 'at any minute';
  return `${kind}${change}, ${perMinute}/min, ${when}, ${minutes} min`;
}

function delayText({ p50, p95 }: Delays): string {
  return p50 === null || p95 === null ? '–' : `${p50.toFixed(0)} / ${p95.toFixed(0)}`;
}

/** The section of the page of benchmarks: the figures of the last run of a file, and which bars every run kept. */
export function gateSection(records: readonly GateRecord[]): string {
  const last = records.at(-1);
  if (last === undefined) throw new Error('no run to tell of');
  return [
    '## Gates that count events',
    '```console\nnpm run bench -- gates --append --write-docs --out docs/benchmarks/gates.jsonl\n```',
    `Machine: ${machineText(last.machine)}. Seed ${last.seed}, ${(last.figures.seconds / 60).toFixed(1)} minutes.`,
    WHAT_THEY_ARE,
    gateTables(last.figures),
    HOW_TO_READ_GATES,
    'Bars, of this run and of earlier ones, by the rule as it was then:',
    records.map(barsOfRun).join('\n'),
  ].join('\n\n');
}

function barsOfRun({ seed, at, quick, figures }: GateRecord): string {
  const bars = gateBars(figures);
  const broken = bars.filter(({ holds }) => !holds).map(({ said }) => said);
  const verdict =
    broken.length === 0 ? `all ${bars.length} bars hold` : `not kept: ${broken.join('; ')}`;
  return `- Seed ${seed}${quick ? ' (quick)' : ''}, ${at.slice(0, 10)}: ${verdict}.`;
}

const WHAT_THEY_ARE = `Drawn counts, a scrape each 15 s; the generator knows nothing of the rules. A good run has twelve gates of 0.5 to 60 events a minute with 0, 0.2 or 2 % errors:
steady, errors in bursts, swinging by half over a day, a blip of 15 s in which everything fails, a Service that was broken before and whose
back-off begins again, counters that begin again with a full resync. Half of the clusters have six hours of past, a quarter one hour, a quarter lifetime counters
only. Six steps of ours, five minutes apart; _at our step_ is one of them, drawn. Argo, Flagger and
SRE have the numbers of their documentation; the burn rate scaled to our runs and "3 in a row" are stand-ins of ours. Rule and generator were changed while looking
at earlier runs of this benchmark: only the seed of the last one was fresh.`;

const HOW_TO_READ_GATES = `Percent with two-sided 95 % intervals (Clopper–Pearson); _s_: seconds from harm, p50 / p95 of those found. _Suspect min_: minutes that a run was suspect. _Ends_: verdicts
after the window. _Bound_: the least mean time of any test with the same false alarms, 1 % of runs over twelve gates (Wald); rules that alarm in good runs can be faster. What failed before the harm is not found.`;
