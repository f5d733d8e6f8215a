import { machineText } from '../bench-machine.js';
import { alignedTable } from '../markdown-table.js';
import { atLeast, atMost, exactly, type Bar } from '../stated-bars.js';
import { FROM, TO } from '../on-lab/versions.js';
import type { LabBrakeRecord, LabBrakeRun } from './lab-brake-records.js';

const LIMIT_SECONDS = 4;
const RUNS = 5;

/** What the runs must keep. */
export function labBrakeBars({ runs }: Pick<LabBrakeRecord, 'runs'>): readonly Bar[] {
  const judged = runs.filter(({ changing }) => changing);
  const most = (of: (run: LabBrakeRun) => number | null): number =>
    Math.max(0, ...judged.map((run) => of(run) ?? 0)) / 1000;
  const unclosed = judged.filter(({ closedMs, overMs }) => closedMs === null && overMs === null);
  return [
    atLeast('runs while changes may happen', judged.length, RUNS),
    atMost(
      's to the last new write, most',
      most(({ lastNewMs }) => lastNewMs),
      LIMIT_SECONDS,
    ),
    atMost(
      's until the fence refuses, most',
      most(({ closedMs }) => closedMs),
      LIMIT_SECONDS,
    ),
    exactly('runs whose fence never refused while the harm lasted', unclosed.length, 0),
  ];
}

const HEAD = ['at the signal', 'stopped', 'last new write s', 'new writes', 'fence refuses s'];

export function labBrakeTable({ runs }: Pick<LabBrakeRecord, 'runs'>): string {
  return alignedTable([HEAD, ...runs.map(cellsOf)]);
}

function cellsOf(run: LabBrakeRun): readonly string[] {
  const { step, changing, stopped, lastNewMs, newWrites, closedMs, overMs } = run;
  const where = changing ? step || 'between two steps' : 'not changing';
  const refused =
    closedMs === null && overMs !== null ? `over after ${secondsOf(overMs)}` : secondsOf(closedMs);
  return [where, stopped, secondsOf(lastNewMs), String(newWrites), refused];
}

function secondsOf(ms: number | null): string {
  return ms === null ? '–' : (ms / 1000).toFixed(2);
}

/** The section of the page of benchmarks: the last bench of a file, and which bars every one kept. */
export function labBrakeSection(records: readonly LabBrakeRecord[]): string {
  const last = records.at(-1);
  if (last === undefined) throw new Error('no run to tell of');
  return [
    '## From a bad sign to the last write, on real control planes',
    COMMAND,
    `Machine: ${machineText(last.machine)}. Seed ${last.seed}, ${(last.seconds / 60).toFixed(1)} minutes. Runs in which nothing became bad: ${last.missed.length}.`,
    WHAT_IT_IS,
    labBrakeTable(last),
    'Bars:',
    records.map(barsText).join('\n'),
  ].join('\n\n');
}

function barsText(record: LabBrakeRecord): string {
  const bars = labBrakeBars(record);
  const broken = bars.filter(({ holds }) => !holds).map(({ said }) => said);
  const verdict =
    broken.length === 0 ? `all ${bars.length} bars hold` : `not kept: ${broken.join('; ')}`;
  return `- ${record.runs.length} runs, seed ${record.seed}, ${record.at.slice(0, 10)}: ${verdict}.`;
}

const COMMAND = `\`\`\`console
npm run bench -- brake --lab --runs 8 --append --write-docs --out docs/benchmarks/brake-lab.jsonl
\`\`\``;

const WHAT_IT_IS = `The product migrates a cluster of the lab in place: three nodes, managers ${FROM} → ${TO}, over SSH; the cluster is laid out afresh before each run. At a random moment
SIGSTOP hits the process that owns the cloud controllers. _Last new write_: by the API server's audit log, and for files and processes of nodes by the evidence, whose outcomes are
recorded after the change, so it is never too early; – when the last one came before the signal. _Fence refuses_: until the guard's write of the finding had arrived. _Over_: the step in flight
restarted the very process, which ends the harm.

The first bench, beside other work on the same two cores, found that a process which is stopped just while its metrics page is read delayed the finding by the 3 s that such a page may take.
The host is read again now as soon as a page is late.`;
