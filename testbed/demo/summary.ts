import type { Theme } from '../../cli/terminal/theme.js';
import type { Claim } from './claims.js';
import { legName } from './claims.js';
import { relative } from 'node:path';
import { compiledProgram } from '../../devserver/package-files.js';
import type { DemoWorld } from './demo-world.js';
import type { DemoLayout } from './layout.js';
import type { Leg } from './leg.js';
import { CLOUD_LOOPS } from './truth-source.js';

/** What both directions took, and which promises held. */
export function summaryLines(
  legs: readonly Leg[],
  claims: readonly Claim[],
  theme: Theme,
): readonly string[] {
  return [
    '',
    theme.paint('strong', 'Summary'),
    ...legs.flatMap(legLines),
    '',
    ...claims.map(({ claim, holds, seen }) => {
      const word = holds ? '' : theme.paint('bad', 'NOT TRUE ');
      return `${theme.mark(holds ? 'ok' : 'failed')} ${word}${claim} (${seen})`;
    }),
    '',
  ];
}

function legLines(leg: Leg): readonly string[] {
  const { outcome, durationSeconds, historyEvents, requests, mutations, sources } = leg;
  const nodes = requests.nodes === null ? '' : `, ${requests.nodes} to nodes and machines`;
  return [
    '',
    `${legName(leg)}: ${outcome?.stepsDone ?? 0} steps in ${durationSeconds.toFixed(0)} s · ${historyEvents} history events · ${requests.steps} API requests (${mutations} changes; ${requests.guard} more by the guard${nodes})`,
    ...CLOUD_LOOPS.map((name) => {
      const { overlapSeconds, orphanSeconds, moves, orphans } = leg.truth[name];
      const each = orphans.map(({ seconds }) => `${seconds.toFixed(1)} s`).join(', ');
      const gaps = each === '' ? '' : ` (${each})`;
      return `  ${name.padEnd(22)} ${moves} moves · two owners ${overlapSeconds.toFixed(1)} s · no owner ${orphanSeconds.toFixed(1)} s${gaps}`;
    }),
    ...(sources === null ? [] : [`  sources                ${sources.told}`]),
  ];
}

/** Said at the start: anyone may look, and may kill what they like. */
export function whatRuns({ server, workerPid, cluster }: DemoWorld): string {
  return [
    `Temporal  ${server.address} (pid ${server.pid()}), web page ${server.uiUrl ?? 'none'}`,
    `worker    pid ${workerPid()}; ${cluster.told}`,
    `try       kill -9 ${workerPid()} ${server.pid()}: both are started again and the run goes on`,
  ].join('\n');
}

/** What a kept demo can be asked, and how it can be tried. */
export function howToLook(layout: DemoLayout, world: DemoWorld): string {
  const dir = `--state-dir ${layout.root}`;
  const us = `node ${relative(process.cwd(), compiledProgram('cli', 'main.js'))}`;
  const { files: paths, name, endIt } = world.cluster;
  const files = paths.map((file) => `-f ${file}`).join(' ');
  return [
    'Everything is still running:',
    `  web page of Temporal   ${world.server.uiUrl ?? 'none'}`,
    `  logs                   ${layout.logs}`,
    `  look                   ${us} status ${name} ${dir}`,
    `  once more, live        ${us} apply ${files} ${dir} --reason "again" --yes --watch`,
    `  and back               ${us} rollback ${name} ${dir} --reason "back" --yes`,
    `  kill the worker        kill -9 ${world.workerPid()}   (nothing restarts it now; then:)`,
    `                         ${us} worker -f ${world.fleet.inventoryFile} ${dir}`,
    `  evidence               ${us} audit export ${name} ${dir} --out demo-audit.json`,
    `  end it                 kill ${world.workerPid()} ${world.server.pid()}; ${endIt}; rm -r ${layout.root}`,
    '',
  ].join('\n');
}
