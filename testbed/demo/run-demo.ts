import { rm } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import type { Cli } from '../../cli/cli.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Target } from '../../domain/vocabulary.js';
import type { Claim } from './claims.js';
import { claimsOf } from './claims.js';
import { writesRecorded } from './recorded-writes.js';
import type { DemoEnvironment } from './demo-environment.js';
import { startEnvironment } from './demo-environment.js';
import type { DemoLayout } from './layout.js';
import { demoLayout, startedIn } from './layout.js';
import type { DirectionRequest, DirectionRun } from './direction-run.js';
import { runDirection } from './direction-run.js';
import { demoReport } from './report.js';
import type { DemoSettings } from './demo-settings.js';
import { demoSettings } from './demo-settings.js';
import { endsEverything, inspectionHints, summaryLines, whatRuns } from './demo-summary.js';
import { interruptible } from './interruptible.js';
import { breakInSoak, turningPolicy } from './gate-turn.js';
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
  let started: DemoEnvironment | null = null;
  const outlivesUs = settings.keep ? () => endsEverything(layout, started) : null;
  return interruptible(cli, { name: 'demo', layout, outlivesUs }, async () => {
    const environment = startEnvironment(cli, layout, settings);
    started = await startedIn(layout, cli.signal, environment);
    return inDemo(cli, started, { settings, layout });
  });
}

async function inDemo(
  cli: Cli,
  environment: DemoEnvironment,
  { settings, layout }: { readonly settings: DemoSettings; readonly layout: DemoLayout },
): Promise<ExitStatus> {
  cli.terminal.err(`${whatRuns(environment)}\n`);
  let kept = false;
  try {
    const exitStatus = await runDemo(cli, environment, { settings, layout });
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
  { settings, layout }: { readonly settings: DemoSettings; readonly layout: DemoLayout },
): Promise<ExitStatus> {
  const { address, namespace } = environment.server;
  const { directions, recorded } = await withServer(
    { address, namespace, source: 'demo', namespaceSource: 'demo', found: false },
    cli.env,
    async (client) => ({
      directions: await allDirections(cli, client, environment),
      recorded: await writesRecorded(client, {
        ...{ auditLog: environment.cluster.auditLog, evidenceDir: environment.evidenceDir },
        folder: layout.root,
      }),
    }),
  );
  if (cli.signal.aborted) return 'interrupted';
  const [forward, back, turned] = directions;
  if (forward === undefined || back === undefined) {
    for (const direction of directions)
      cli.terminal.err(
        `${direction.target}: ${direction.outcome?.summary ?? direction.exitStatus}\n`,
      );
    return 'checksFailed';
  }
  const own = claimsOf(
    { forward, back, turned },
    {
      guardMs: environment.fleet.timings.guardMs,
      observationMs: environment.cluster.observationMs,
      speed: settings.speed,
      environment: environment.cluster.source.name,
      expected: expectationOf(settings.variant, settings.nodes),
    },
  );
  const claims = [...own, ...recorded];
  show(cli, directions, claims);
  return claims.every(({ holds }) => holds) ? 'reached' : 'checksFailed';
}

/**
 * Forward, then rollback, then where the cloud can be broken a migration that a gate turns around; each only when the one before
 * ended well.
 */
async function allDirections(
  cli: Cli,
  client: Client,
  environment: DemoEnvironment,
): Promise<readonly DirectionRun[]> {
  const directions: DirectionRun[] = [];
  for (const run of [forwardRun, rollbackRun, turnedRun]) {
    const order = await run(cli, environment);
    if (order === null) break;
    const direction = await runDirection(cli, client, environment, order);
    directions.push(direction);
    if (direction.exitStatus !== 'reached') break;
  }
  return directions;
}

type Order = DirectionRequest | null;

async function forwardRun(cli: Cli, environment: DemoEnvironment): Promise<Order> {
  return planned(cli, environment, { target: 'ccm', name: 'forward' });
}

async function rollbackRun(cli: Cli, environment: DemoEnvironment): Promise<Order> {
  return planned(cli, environment, { target: 'kcm', name: 'rollback' });
}

async function turnedRun(cli: Cli, environment: DemoEnvironment): Promise<Order> {
  const { breakCloud } = environment.cluster;
  if (breakCloud === null) return null;
  const order = await planned(cli, environment, {
    ...{ target: 'ccm', name: 'turned by a gate' },
    policy: turningPolicy(environment.fleet.policy),
  });
  return { ...order, until: 'rolledBack', onView: breakInSoak(cli, breakCloud) };
}

interface Wanted {
  readonly target: Target;
  readonly name: string;
  readonly policy?: MigrationPolicy;
}

async function planned(
  cli: Cli,
  { fleet, evidenceDir }: DemoEnvironment,
  { target, name, policy = fleet.policy }: Wanted,
): Promise<DirectionRequest> {
  const [cluster] = fleet.clusters;
  if (cluster === undefined) throw new Error('the demo has no cluster');
  const own = { ...fleet, policy };
  const plan = await makePlan({ fleet: own, cluster, target, signal: cli.signal });
  return { plan, name, evidenceDir, policy };
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
