import { didYouMean } from '../../config/nearest-name.js';
import { GATE_CATALOGUE } from '../../domain/gates/catalogue/gate-catalogue.js';
import { OBJECT_GATES, type ObjectGate } from '../../domain/gates/objects/object-gates.js';
import type { CatalogueGate } from '../../domain/gates/catalogue/catalogue-gate.js';
import type { Cli } from '../cli.js';
import { isText, printDocument, screen } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { askedManagers, listedGate, type ListedGate } from '../gates/served-gates.js';
import { tableLines, type TableColumn } from '../terminal/aligned-table.js';

/** `gates list`: what can be judged on the metrics of these managers, and on objects of the cluster. */
export function listGates(cli: Cli): Promise<ExitStatus> {
  const asked = askedManagers(cli.options);
  const gates = GATE_CATALOGUE.map((gate) => listedGate(gate, asked));
  if (!isText(cli)) printDocument(cli, 'GateList', { gates, objectGates: OBJECT_GATES });
  else {
    const { width } = screen(cli);
    print(cli, [...gateTable(gates, width), '', ...objectTable(width), '', OWN_GATES]);
  }
  return Promise.resolve('reached');
}

const OWN_GATES =
  "Gates of your own, on what the cluster's Prometheus has: gates.metrics.own of a policy; `gates test` shows them.";

/** `gates explain GATE`: what a gate measures, when it fails, and what it cannot see. */
export function explainGate(cli: Cli): Promise<ExitStatus> {
  const [written = ''] = cli.arguments;
  const onObjects = OBJECT_GATES.find(({ name }) => name === written);
  const gate = onObjects ?? listedGate(meantGate(written), askedManagers(cli.options));
  if (!isText(cli)) printDocument(cli, 'GatePage', { gate });
  else print(cli, 'reads' in gate ? objectGatePage(gate) : gatePage(gate));
  return Promise.resolve('reached');
}

function meantGate(written: string): CatalogueGate {
  const gate = GATE_CATALOGUE.find(({ name }) => name === written);
  if (gate !== undefined) return gate;
  const names = [...GATE_CATALOGUE, ...OBJECT_GATES].map(({ name }) => name);
  throw new UsageError(
    `unknown gate ${written}${didYouMean(written, names)} (all: ccm-migrate gates list; those of a policy: ccm-migrate gates test)`,
  );
}

function gateTable(gates: readonly ListedGate[], width = Infinity): readonly string[] {
  const column = columnsOf(gates);
  return tableLines(
    [
      column('GATE', ({ name }) => name),
      column('KCM', ({ kcm }) => kcm.text),
      column('CCM', ({ ccm }) => ccm.text),
      column('FAILS', ({ limit }) => limit),
      column('MEASURES', ({ measures }) => measures),
    ],
    { width, always: 3 },
  );
}

function objectTable(width = Infinity): readonly string[] {
  const column = columnsOf<ObjectGate>(OBJECT_GATES);
  return tableLines(
    [
      column('GATE ON OBJECTS', ({ name }) => name),
      column('FAILS', ({ fails }) => fails),
      column('READS', ({ reads }) => reads),
    ],
    { width, always: 2 },
  );
}

/** Makes columns of a table with one row for each gate. */
function columnsOf<Gate>(gates: readonly Gate[]) {
  return (title: string, cell: (gate: Gate) => string): TableColumn => ({
    title,
    cells: gates.map(cell),
  });
}

function gatePage(gate: ListedGate): readonly string[] {
  const { measures, limit, blind, kcm, ccm, source } = gate;
  return pageLines(gate, [
    ['measures', measures],
    ['fails', limit],
    ['cannot see', blind],
    ['KCM', kcm.text],
    ['CCM', ccm.text],
    ['source', source],
  ]);
}

function objectGatePage(gate: ObjectGate): readonly string[] {
  const { reads, fails, blind, source } = gate;
  return pageLines(gate, [
    ['reads', reads],
    ['fails', fails],
    ['cannot see', blind],
    ['source', source],
  ]);
}

/** As wide as `cannot see`, the longest label. */
const LABEL_WIDTH = 10;

function pageLines(
  { name, about }: Pick<ObjectGate, 'name' | 'about'>,
  rows: readonly (readonly [label: string, text: string])[],
): readonly string[] {
  return [
    `${name}  ${about}`,
    ...rows.map(([label, text]) => `  ${label.padEnd(LABEL_WIDTH)}  ${text}`),
  ];
}

function print({ terminal }: Cli, lines: readonly string[]): void {
  terminal.out(`${lines.join('\n')}\n`);
}
