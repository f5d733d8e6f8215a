import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isText, printDocument, type Cli } from '../../../cli/cli.js';
import type { ExitStatus } from '../../../cli/exit-status.js';
import { packageFile } from '../../../devserver/package-files.js';
import type { DemoLayout } from '../layout.js';
import { interruptible } from '../interruptible.js';
import { demoLayout, startedIn } from '../layout.js';
import { fleetClaims, type FleetEvidence } from './fleet-claims.js';
import { NO_DEEDS, nextDeeds, type Deeds } from './fleet-deeds.js';
import type { DemoFleet } from './fleet-environment.js';
import { startFleetEnvironment } from './fleet-environment.js';
import { accountOf, type JournalledCluster } from './fleet-journal.js';
import {
  endsFleetDemo,
  fleetHints,
  fleetSummary,
  keptFleetHints,
  progressLine,
} from './fleet-lines.js';
import { leftOutBy, withLeftOut, type FleetReport } from './fleet-report.js';
import { fleetSettings, type FleetDemoSettings } from './fleet-settings.js';
import { FLEET_STORY as STORY } from './fleet-story.js';
import { fleetReports, isOver } from './followed-fleet.js';
import { provenFleet } from './proven-fleet.js';
import { showCommand } from './typed-commands.js';

/**
 * `demo --fleet`: twelve simulated clusters in three waves, with the product's own commands, while things go wrong. Passes
 * only if every claim holds by the simulator's journal.
 */
export async function fleetDemo(cli: Cli): Promise<ExitStatus> {
  const settings = fleetSettings(cli.options);
  const layout = await demoLayout(cli.options.text('stateDir'));
  cli.terminal.err(`folder of this demo: ${layout.root}\n`);
  let started: DemoFleet | null = null;
  const outlivesUs = settings.keep ? () => endsFleetDemo(layout, started) : null;
  return interruptible(cli, { name: 'demo', layout, outlivesUs }, async () =>
    demoIn(cli, { layout, settings }, (environment) => {
      started = environment;
    }),
  );
}

async function demoIn(
  cli: Cli,
  { layout, settings }: Pick<Story, 'layout' | 'settings'>,
  onStart: (environment: DemoFleet) => void,
): Promise<ExitStatus> {
  await cp(packageFile('config', 'examples', 'simulated-fleet'), layout.config, {
    recursive: true,
  });
  const restarts: string[] = [];
  const report = (line: string): void => {
    if (/^worker runs again/.test(line)) restarts.push(line);
    cli.terminal.err(`${line}\n`);
  };
  const environment = await startedIn(
    layout,
    cli.signal,
    startFleetEnvironment(cli, { layout, settings, report }),
  );
  onStart(environment);
  let kept = false;
  try {
    const story = { cli, layout, settings, environment };
    const evidence = await tellStory(story, () => restarts.length);
    if (evidence === null) return cli.signal.aborted ? 'interrupted' : 'timedOut';
    const passed = showFleet(cli, evidence);
    kept = settings.keep && !cli.signal.aborted;
    if (kept) cli.terminal.out(keptFleetHints(layout, environment));
    return passed ? 'reached' : 'checksFailed';
  } finally {
    if (!kept) await cleanUpFleet(layout, environment);
  }
}

interface Story {
  readonly cli: Cli;
  readonly layout: DemoLayout;
  readonly settings: FleetDemoSettings;
  readonly environment: DemoFleet;
}

/** Someone may pause it for a while in another terminal. */
const DEADLINE_MS = 20 * 60_000;

/** Null when it was interrupted, or did not end in time. */
async function tellStory(story: Story, restarts: () => number): Promise<FleetEvidence | null> {
  const { cli, layout, environment } = story;
  const server = ['--state-dir', layout.root];
  const plan = join(layout.root, 'plan.json');
  cli.terminal.err(`${fleetHints(layout, environment)}\n`);
  const files = environment.files.flatMap((file) => ['-f', file]);
  await showCommand(cli, ['plan', ...files, '--out', plan], headOf);
  const leftOut = leftOutBy(JSON.parse(await readFile(plan, 'utf8')) as unknown);
  const asked = ['--actor', STORY.requester, '--reason', 'the demo of a fleet', '--yes'];
  await showCommand(cli, ['apply', plan, ...asked, ...server]);
  const followed = await follow(story, server);
  if (followed === null) return null;
  const { deeds, needs } = followed;
  const report = withLeftOut(followed.report, leftOut);
  const { kills, ownApprovalRefused, approvedAtMs } = deeds;
  return {
    ...{ report, kills, ownApprovalRefused, approvedAtMs, asked: [...needs] },
    accounts: await accountsOf(environment),
    restarts: restarts(),
    // Meanwhile a watch in another terminal, which asks every two seconds, sees the end before the server goes.
    proof: await provenFleet(cli, layout, server),
  };
}

/** Every change of twelve clusters is too much to read on the way; it is all in the file. */
function headOf(text: string): string {
  return `${text.split('\n\n')[0] ?? ''}\n`;
}

interface Followed {
  readonly report: FleetReport;
  readonly deeds: Deeds;
  readonly needs: ReadonlySet<string>;
}

/** Shows the fleet until it is over, and does to it what is due. */
async function follow(
  { cli, settings: { speed }, environment }: Story,
  server: readonly string[],
): Promise<Followed | null> {
  const beganAtMs = Date.now();
  const tell = (line: string): void => cli.terminal.err(`${clock(beganAtMs)}  ${line}\n`);
  const signal = AbortSignal.any([cli.signal, AbortSignal.timeout(DEADLINE_MS)]);
  const context = { cli, environment, speed, server, tell };
  const needs = new Set<string>();
  let deeds = NO_DEEDS;
  let shown = '';
  for await (const report of fleetReports(cli, ['status', STORY.fleet, ...server], signal)) {
    const line = progressLine(report);
    if (line !== shown) tell(line);
    shown = line;
    for (const { kind, subject } of report.needs) needs.add(`${kind} ${subject}`);
    if (isOver(report)) return { report, deeds, needs };
    deeds = await nextDeeds(context, report, deeds);
  }
  return null;
}

/** Minutes and seconds since the fleet was started. */
export function clock(sinceMs: number): string {
  const seconds = Math.round((Date.now() - sinceMs) / 1000);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${pad(Math.floor(seconds / 60))}:${pad(seconds % 60)}`;
}

async function accountsOf({ members }: DemoFleet): Promise<readonly JournalledCluster[]> {
  return Promise.all(
    members.map(async (member) => {
      const [journal, truth] = [await member.control.journal(0), await member.control.truth()];
      return accountOf(member, journal, truth);
    }),
  );
}

function showFleet(cli: Cli, evidence: FleetEvidence): boolean {
  const claims = fleetClaims(evidence);
  const passed = claims.every(({ holds }) => holds);
  const { accounts } = evidence;
  if (isText(cli)) {
    cli.terminal.out(`${fleetSummary(accounts, claims, cli.theme).join('\n')}\n`);
  } else {
    printDocument(cli, 'FleetDemoReport', { passed, clusters: accounts, claims });
  }
  return passed;
}

/** A folder that we created is deleted at the end; one that the operator chose stays. */
async function cleanUpFleet(layout: DemoLayout, environment: DemoFleet): Promise<void> {
  await environment.stop();
  if (layout.temporary) await rm(layout.root, { recursive: true, force: true });
}
