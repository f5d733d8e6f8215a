import { didYouMean } from '../../config/nearest-name.js';
import { GATE_CATALOGUE } from '../../domain/gates/catalogue/gate-catalogue.js';
import type { Cli } from '../cli.js';
import { isText, printDocument, screen } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { askedManagers, listedGate, type ListedGate } from '../gates/served-gates.js';
import { tableLines } from '../terminal/aligned-table.js';

/** `gates list`: what can be judged on the metrics of these managers. */
export function listGates(cli: Cli): Promise<ExitStatus> {
  const asked = askedManagers(cli.options);
  const gates = GATE_CATALOGUE.map((gate) => listedGate(gate, asked));
  if (isText(cli)) print(cli, [...gateTable(gates, screen(cli).width), '', OWN_GATES]);
  else printDocument(cli, 'GateList', { gates });
  return Promise.resolve('reached');
}

const OWN_GATES =
  "Gates of your own, on any expression of the cluster's Prometheus: gates.metrics.own of a policy; `gates test` shows them.";

/** `gates explain GATE`: what a gate measures, when it fails, and what it cannot see. */
export function explainGate(cli: Cli): Promise<ExitStatus> {
  const [written = ''] = cli.arguments;
  const gate = GATE_CATALOGUE.find(({ name }) => name === written);
  if (gate === undefined) {
    const names = GATE_CATALOGUE.map(({ name }) => name);
    throw new UsageError(
      `unknown gate ${written}${didYouMean(written, names)} (all: ccm-migrate gates list; those of a policy: ccm-migrate gates test)`,
    );
  }
  const listed = listedGate(gate, askedManagers(cli.options));
  if (isText(cli)) print(cli, gatePage(listed));
  else printDocument(cli, 'GatePage', { gate: listed });
  return Promise.resolve('reached');
}

function gateTable(gates: readonly ListedGate[], width = Infinity): readonly string[] {
  const column = (title: string, cell: (gate: ListedGate) => string) => ({
    title,
    cells: gates.map(cell),
  });
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

function gatePage({
  name,
  about,
  measures,
  limit,
  blind,
  kcm,
  ccm,
  source,
}: ListedGate): readonly string[] {
  return [
    `${name}  ${about}`,
    `  measures    ${measures}`,
    `  fails       ${limit}`,
    `  cannot see  ${blind}`,
    `  KCM         ${kcm.text}`,
    `  CCM         ${ccm.text}`,
    `  source      ${source}`,
  ];
}

function print({ terminal }: Cli, lines: readonly string[]): void {
  terminal.out(`${lines.join('\n')}\n`);
}
