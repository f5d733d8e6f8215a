import { rm } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import type { Cli } from '../../cli/cli.js';
import type { Claim } from './claims.js';
import { claimsOf } from './claims.js';
import type { DemoWorld } from './demo-world.js';
import { startWorld } from './demo-world.js';
import type { DemoLayout } from './layout.js';
import { demoLayout } from './layout.js';
import type { Leg } from './leg.js';
import { runLeg } from './leg.js';
import { demoReport } from './report.js';
import type { DemoSettings } from './settings.js';
import { demoSettings } from './settings.js';
import { howToLook, summaryLines, whatRuns } from './summary.js';
import { expectationOf } from './way.js';
import type { Ending } from '../../cli/endings.js';
import { makePlan } from '../../cli/plan/make-plan.js';
import { isText, printDocument } from '../../cli/cli.js';
import { withServer } from '../../cli/runs/connection.js';

/**
 * `demo`: there and back on a simulated cluster, or with `--lab` on a real one, measured from outside. Passes only if
 * every claim holds.
 */
export async function demo(cli: Cli): Promise<Ending> {
  const settings = demoSettings(cli.options);
  const layout = await demoLayout(cli.options.text('stateDir'));
  cli.terminal.err(`folder of this demo: ${layout.root}\n`);
  const world = await startWorld(cli, layout, settings);
  cli.terminal.err(`${whatRuns(world)}\n`);
  let kept = false;
  try {
    const ending = await runDemo(cli, world, settings);
    kept = settings.keep && !cli.signal.aborted;
    if (kept) cli.terminal.out(howToLook(layout, world));
    return ending;
  } finally {
    if (!kept) await cleanUp(layout, world);
  }
}

async function runDemo(cli: Cli, world: DemoWorld, settings: DemoSettings): Promise<Ending> {
  const { address, namespace } = world.server;
  const legs = await withServer(
    { address, namespace, source: 'demo', found: false },
    cli.env,
    (client) => bothLegs(cli, client, world),
  );
  if (cli.signal.aborted) return 'interrupted';
  const [forward, back] = legs;
  if (forward === undefined || back === undefined) {
    for (const leg of legs)
      cli.terminal.err(`${leg.target}: ${leg.outcome?.summary ?? leg.ending}\n`);
    return 'checksFailed';
  }
  const claims = claimsOf(forward, back, {
    guardMs: world.fleet.timings.guardMs,
    lookMs: world.cluster.lookMs,
    speed: settings.speed,
    world: world.cluster.source.name,
    expected: expectationOf(settings.way, settings.nodes),
  });
  show(cli, legs, claims);
  return claims.every(({ holds }) => holds) ? 'reached' : 'checksFailed';
}

/** Forward, then back; the way back is not begun when the way there did not end well. */
async function bothLegs(cli: Cli, client: Client, world: DemoWorld): Promise<readonly Leg[]> {
  const { evidenceDir } = world;
  const [cluster] = world.fleet.clusters;
  if (cluster === undefined) throw new Error('the demo has no cluster');
  const legs: Leg[] = [];
  for (const target of ['ccm', 'kcm'] as const) {
    const plan = await makePlan({ fleet: world.fleet, cluster, target, signal: cli.signal });
    const reason = target === 'ccm' ? 'demo, the way there' : 'demo, the way back';
    const leg = await runLeg(cli, client, world, { plan, reason, evidenceDir });
    legs.push(leg);
    if (leg.ending !== 'reached') break;
  }
  return legs;
}

function show(cli: Cli, legs: readonly Leg[], claims: readonly Claim[]): void {
  if (isText(cli)) cli.terminal.out(`${summaryLines(legs, claims, cli.theme).join('\n')}\n`);
  else printDocument(cli, 'DemoReport', demoReport(legs, claims));
}

/** A folder that we made goes with us; one that was chosen stays for whoever chose it. */
async function cleanUp(layout: DemoLayout, world: DemoWorld): Promise<void> {
  await world.stop();
  if (layout.temporary) await rm(layout.root, { recursive: true, force: true });
}
