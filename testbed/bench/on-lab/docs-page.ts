import { machineText } from '../bench-machine.js';
import { writeSection } from '../page-section.js';
import type { RunRecord } from './records.js';
import { ROWS } from './rows.js';
import { summaries } from './summary.js';
import { figuresTable } from './figures-table.js';
import { verdictOn } from './verdict.js';
import { FROM, TO } from './versions.js';

const SECTION = 'handover on the lab';

export function writeDocs(file: string, records: readonly RunRecord[]): void {
  writeSection(file, SECTION, section(records));
}

/** The table with everything that is needed to read it. */
export function section(records: readonly RunRecord[]): string {
  const machines = [...new Set(records.map(({ machine }) => machineText(machine)))];
  return [
    '## Handover on real control planes',
    COMMAND,
    `Machine: ${machines.join('; ')}.`,
    WHAT_IT_IS,
    figuresTable(summaries(ROWS, records)),
    HOW_TO_READ,
    ...ordersOf(records),
    'Findings:',
    verdictOn(records)
      .said.map((said) => `- ${said}`)
      .join('\n'),
  ].join('\n\n');
}

/** The order in which the guide's script took the nodes, for rows with more than one node. */
function ordersOf(records: readonly RunRecord[]): readonly string[] {
  const lines = ROWS.flatMap(({ name, title }) => {
    const order = records.find((record) => record.row === name)?.order ?? [];
    return order.length > 1 ? [`- ${title}: ${order.join(', ')}`] : [];
  });
  return lines.length === 0 ? [] : ['Orders of nodes:', lines.join('\n')];
}

const COMMAND = `\`\`\`console
npm run bench -- handover --lab --runs 10 --write-docs --append --out docs/benchmarks/handover-lab.jsonl
\`\`\`

Rows can be run separately with \`--rows\` and \`--append\`; the column _runs_ shows the number of runs.`;

const WHAT_IT_IS = `Each run goes forward and back on a lab of Kubernetes ${FROM} → ${TO} ([lab.md](lab.md)): from in-tree KCMs without Leader
Migration to external KCMs and CCMs, and back to in-tree KCMs with Leader Migration. The rows are interleaved; in run N of every row the same
node leads at the start. _Ours_ is this project's workflow, started from its command line; its CCM polls its Leases each second, as its policy
says, and everything else has default timings (15/10/2 s). _Guide_ is the official guide's procedure in a plain script: the grant, Leader
Migration on each KCM, then external KCM and CCM on each node, and back node by node. Each step starts when the pods of the previous one are
Ready; no Lease is released, and the order of nodes does not depend on the leader. Its controller names and its grant are corrected, because
as printed they protect nothing: _guide, literal_ uses them unchanged.`;

const HOW_TO_READ = `Controllers' columns and _other KCM loops_ (no kube-controller-manager leads): seconds without owner in a whole direction, mean / p50 / p99 /
max over the runs. _One gap_: mean seconds of a single period without owner. _Moves_: how often the owner changed, mean. _Two owners_: seconds
with more than one owner, mean. All of these come from the lab's process monitor joined with the API server's audit log, for all rows alike,
and not from the tool that moved the controllers. _Requests_ and _writes_: requests of the operator's user in the audit log, mean. They include
reads, and the script's polling each second, but not the managers' own requests.`;
