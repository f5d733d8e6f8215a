import { rm } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import type { Cli } from '../../cli/cli.js';
import type { Claim } from './claims.js';
import { claimsOf } from './claims.js';
import type { DemoEnvironment } from './demo-environment.js';
import { startEnvironment } from './demo-environment.js';
import type { DemoLayout } from './layout.js';
import { demoLayout } from './layout.js';
import type { DirectionRun } from './direction-run.js';
import { runDirection } from './direction-run.js';
import { demoReport } from './report.js';
import type { DemoSettings } from './demo-settings.js';
import { demoSettings } from './demo-settings.js';
import { inspectionHints, summaryLines, whatRuns } from './demo-summary.js';
import { expectationOf } from './variant.js';
import { fleetDemo } from './fleet/run-fleet-demo.js';
import type { ExitStatus } from '../../cli/exit-status.js';
import { makePlan } from '../../cli/plan/make-plan.js';
import { isText, printDocument } from '../../cli/cli.js';
import { withServer } from '../../cli/runs/connection.js';

/**
 * `demo`: forward and rollback on a simulated cluster, or with `--lab` on a real one, measured from outside; with
 * `--fleet` many of them. Passes only if every claim holds.
 */
export async function demoVerb(cli: Cli): Promise<ExitStatus> {
  if (cli.options.flag('fleet')) return fleetDemo(cli);
  const settings = demoSettings(cli.options);
  const layout = await demoLayout(cli.options.text('stateDir'));
  cli.terminal.err(`folder of this demo: ${layout.root}\n`);
  const environment = await startEnvironment(cli, layout, settings);
  cli.terminal.err(`${whatRuns(environment)}\n`);
  let kept = false;
  try {
    const exitStatus = await runDemo(cli, environment, settings);
    kept = settings.keep && !cli.signal.aborted;
    if (kept) cli.terminal.out(inspectionHints(layout, environment));
    return exitStatus;
  } finally {
    if (!kept) await cleanUp(layout, environment);
  }
}

async function runDemo(
  cli: Cli,
  environment: DemoEnvironment,
  settings: DemoSettings,
): Promise<ExitStatus> {
  const { address, namespace } = environment.server;
  const directions = await withServer(
    { address, namespace, source: 'demo', found: false },
    cli.env,
    (client) => bothDirections(cli, client, environment),
  );
  if (cli.signal.aborted) return 'interrupted';
  const [forward, back] = directions;
  if (forward === undefined || back === undefined) {
    for (const direction of directions)
      cli.terminal.err(
        `${direction.target}: ${direction.outcome?.summary ?? direction.exitStatus}\n`,
      );
    return 'checksFailed';
  }
  const claims = claimsOf(forward, back, {
    guardMs: environment.fleet.timings.guardMs,
    observationMs: environment.cluster.observationMs,
    speed: settings.speed,
    environment: environment.cluster.source.name,
    expected: expectationOf(settings.variant, settings.nodes),
  });
  show(cli, directions, claims);
  return claims.every(({ holds }) => holds) ? 'reached' : 'checksFailed';
}

/** Forward, then rollback; the rollback does not start unless forward ended well. */
async function bothDirections(
  cli: Cli,
  client: Client,
  environment: DemoEnvironment,
): Promise<readonly DirectionRun[]> {
  const { evidenceDir } = environment;
  const [cluster] = environment.fleet.clusters;
  if (cluster === undefined) throw new Error('the demo has no cluster');
  const directions: DirectionRun[] = [];
  for (const target of ['ccm', 'kcm'] as const) {
    const plan = await makePlan({ fleet: environment.fleet, cluster, target, signal: cli.signal });
    const reason = target === 'ccm' ? 'demo, forward' : 'demo, rollback';
    const direction = await runDirection(cli, client, environment, { plan, reason, evidenceDir });
    directions.push(direction);
    if (direction.exitStatus !== 'reached') break;
  }
  return directions;
}

function show(cli: Cli, directions: readonly DirectionRun[], claims: readonly Claim[]): void {
  if (isText(cli)) cli.terminal.out(`${summaryLines(directions, claims, cli.theme).join('\n')}\n`);
  else printDocument(cli, 'DemoReport', demoReport(directions, claims));
}

/** A folder that we created is deleted at the end; one that the operator chose stays. */
async function cleanUp(layout: DemoLayout, environment: DemoEnvironment): Promise<void> {
  await environment.stop();
  if (layout.temporary) await rm(layout.root, { recursive: true, force: true });
}
