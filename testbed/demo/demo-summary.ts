import type { Theme } from '../../cli/terminal/theme.js';
import { OWNED } from '../base/truth/truth.js';
import type { Claim } from './claims.js';
import { relative } from 'node:path';
import { compiledProgram } from '../../devserver/package-files.js';
import type { DemoEnvironment } from './demo-environment.js';
import { inventoryFileOf } from './demo-environment.js';
import { type DemoLayout, findsProcesses } from './layout.js';
import type { DirectionRun } from './direction-run.js';

/** What both directions took, and which claims held. */
export function summaryLines(
  directions: readonly DirectionRun[],
  claims: readonly Claim[],
  theme: Theme,
): readonly string[] {
  return [
    '',
    theme.paint('strong', 'Summary'),
    ...directions.flatMap(directionLines),
    '',
    ...claims.map(({ claim, holds, seen }) => {
      const word = holds ? '' : theme.paint('bad', 'NOT TRUE ');
      return `${theme.mark(holds ? 'ok' : 'failed')} ${word}${claim} (${seen})`;
    }),
    '',
  ];
}

function directionLines(direction: DirectionRun): readonly string[] {
  const { outcome, durationSeconds, historyEvents, requests, mutations, sources } = direction;
  const nodes = requests.nodes === null ? '' : `, ${requests.nodes} to nodes and machines`;
  return [
    '',
    `${direction.name}: ${outcome?.stepsDone ?? 0} steps in ${durationSeconds.toFixed(0)} s · ${historyEvents} history events · ${requests.steps} API requests (${mutations} changes; ${requests.guard} more by the guard${nodes})`,
    ...OWNED.map((name) => {
      const { overlapSeconds, orphanSeconds, moves, orphans } = direction.truth[name];
      const each = orphans.map(({ seconds }) => `${seconds.toFixed(1)} s`).join(', ');
      const gaps = each === '' ? '' : ` (${each})`;
      return `  ${name.padEnd(22)} ${moves} ${moves === 1 ? 'move' : 'moves'} · two owners ${overlapSeconds.toFixed(1)} s · no owner ${orphanSeconds.toFixed(1)} s${gaps}`;
    }),
    ...(sources === null ? [] : [`  sources                ${sources.told}`]),
  ];
}

/** Printed at the start: anyone may inspect these processes, and kill any of them. */
export function whatRuns({ server, workerPid, cluster }: DemoEnvironment): string {
  return [
    `Temporal  ${server.address} (pid ${server.pid()}), web page ${server.uiUrl ?? 'none'}`,
    `worker    pid ${workerPid()}; ${cluster.told}`,
    `try       kill -9 ${workerPid()} ${server.pid()}: both are started again and the run continues`,
  ].join('\n');
}

/** The command that ends a kept demo; while it still starts, the one that finds its processes. */
export function endsEverything(layout: DemoLayout, environment: DemoEnvironment | null): string {
  if (environment === null) return findsProcesses(layout);
  const { workerPid, server, cluster } = environment;
  return `kill ${workerPid()} ${server.pid()}; ${cluster.endIt}; rm -r ${layout.root}`;
}

/** Commands to inspect a kept demo and to try things on it. */
export function inspectionHints(layout: DemoLayout, environment: DemoEnvironment): string {
  const dir = `--state-dir ${layout.root}`;
  const us = `node ${relative(process.cwd(), compiledProgram('cli', 'main.js'))}`;
  const { files: paths, name } = environment.cluster;
  const files = paths.map((file) => `-f ${file}`).join(' ');
  return [
    'Everything is still running:',
    `  web page of Temporal   ${environment.server.uiUrl ?? 'none'}`,
    `  logs                   ${layout.logs}`,
    `  status                 ${us} status ${name} ${dir}`,
    `  once more, live        ${us} apply ${files} ${dir} --reason "again" --yes --watch`,
    `  roll back              ${us} rollback ${name} ${dir} --reason "again" --yes`,
    `  kill the worker        kill -9 ${environment.workerPid()}   (not restarted now; to start one:)`,
    `                         ${us} worker -f ${inventoryFileOf(environment.fleet)} ${dir}`,
    `  evidence               ${us} audit export ${name} ${dir} --out demo-audit.json`,
    `  stop everything        ${endsEverything(layout, environment)}`,
    '',
  ].join('\n');
}
