import type { Theme } from '../../../cli/terminal/theme.js';
import type { Claim } from '../claims.js';
import { type DemoLayout, findsProcesses } from '../layout.js';
import type { DemoFleet } from './fleet-environment.js';
import type { JournalledCluster } from './fleet-journal.js';
import type { FleetReport } from './fleet-report.js';
import { FLEET_STORY as STORY } from './fleet-story.js';
import { shownCommand } from './typed-commands.js';

/** Printed at the start: what runs, and what to try from a second terminal. */
export function fleetHints(layout: DemoLayout, environment: DemoFleet): string {
  const { server, workers, simulatorPid } = environment;
  const where = ['--state-dir', layout.root];
  const told = (...words: readonly string[]): string => shownCommand(...words, ...where);
  const pids = [...workers].map(([region, worker]) => `${region} pid ${worker.current().pid}`);
  const why = ['--reason', 'trying it', '--yes'];
  return [
    `Temporal   ${server.address} (pid ${server.pid()}), web page ${server.uiUrl ?? 'none'}`,
    `workers    ${pids.join(', ')}; simulator pid ${simulatorPid}`,
    'In a second terminal:',
    `  follow     ${told('status', STORY.fleet, '-w')}`,
    `  stop it    ${told('pause', STORY.fleet, '--reason', 'trying it')}`,
    `  go on      ${told('resume', STORY.fleet, '--reason', 'trying it')}`,
    `  undo       ${told('rollback', STORY.fleet, ...why)}   (what was claimed below is no longer true then)`,
    '',
  ].join('\n');
}

/** Phases in the order in which people want them, with their words. */
const SHOWN: readonly (readonly [phase: string, word: string, named: boolean])[] = [
  ['proven', 'proven', false],
  ['soaking', 'soaking', true],
  ['active', 'changing', true],
  ['parking', 'parking', true],
  ['parked', 'parked', true],
  ['failed', 'failed', true],
  ['back', 'back', true],
  ['skipped', 'skipped', true],
  ['stopped', 'stopped', true],
  ['waiting', 'waiting', false],
];

/** Where the fleet is, in one line. */
export function progressLine({ phases, standing, needs }: FleetReport): string {
  const parts = SHOWN.flatMap(([phase, word, named]) => {
    const names = Object.keys(phases).filter((name) => phases[name] === phase);
    if (names.length === 0) return [];
    return [`${names.length} ${word}${named ? ` (${names.join(' ')})` : ''}`];
  });
  const asked = needs.map(({ kind, subject }) => `${kind} of ${subject}`);
  const needed = asked.length === 0 ? '' : ` · a person is needed: ${asked.join(', ')}`;
  return `${standing} · ${parts.join(' · ')}${needed}`;
}

/** What really happened to each cluster, and which claims held. */
export function fleetSummary(
  accounts: readonly JournalledCluster[],
  claims: readonly Claim[],
  theme: Theme,
): readonly string[] {
  return [
    '',
    theme.paint('strong', "By the simulator's own journal"),
    ...accounts.map(accountLine),
    '',
    ...claims.map(({ claim, holds, seen }) => {
      const word = holds ? '' : theme.paint('bad', 'NOT TRUE ');
      return `${theme.mark(holds ? 'ok' : 'failed')} ${word}${claim} (${seen})`;
    }),
    '',
  ];
}

function accountLine(account: JournalledCluster): string {
  const { name, owners, changes, changing, overlapSeconds, orphanSeconds, struck } = account;
  const span = changing === null ? 0 : (changing.toMs - changing.fromMs) / 1000;
  const cut = struck === 0 ? '' : ` · ${struck} requests cut`;
  return `  ${name.padEnd(6)} owned by ${owners.join(' and ').padEnd(4)} ${String(changes).padStart(3)} changes in ${span.toFixed(0)} s · two owners ${overlapSeconds.toFixed(1)} s · no owner ${orphanSeconds.toFixed(1)} s${cut}`;
}

/** The command that ends a kept demo of a fleet; while it still starts, the one that finds its processes. */
export function endsFleetDemo(layout: DemoLayout, environment: DemoFleet | null): string {
  if (environment === null) return findsProcesses(layout);
  const { server, workers, simulatorPid } = environment;
  const pids = [...workers.values()].map((worker) => worker.current().pid);
  return `kill ${[...pids, server.pid(), simulatorPid].join(' ')}; rm -r ${layout.root}`;
}

/** Commands to inspect a kept demo of a fleet, and to end it. */
export function keptFleetHints(layout: DemoLayout, environment: DemoFleet): string {
  const where = ['--state-dir', layout.root];
  return [
    'Everything is still running:',
    `  status           ${shownCommand('status', STORY.fleet, ...where)}`,
    `  undo all of it   ${shownCommand('rollback', STORY.fleet, '--reason', 'trying it', '--yes', ...where)}`,
    `  logs             ${layout.logs}`,
    `  stop everything  ${endsFleetDemo(layout, environment)}`,
    '',
  ].join('\n');
}
