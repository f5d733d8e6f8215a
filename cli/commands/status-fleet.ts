import type { Client } from '@temporalio/client';
import type { Cli } from '../cli.js';
import { isText, printDocument, screen } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { sameServer, serverCommand } from '../typed-command.js';
import { scopeOf, type FleetPath } from '../fleets/fleet-path.js';
import { fleetForecaster } from '../fleets/fleet-forecaster.js';
import { silentFleet, viewForPeople, type FleetRunView } from '../fleets/fleet-run.js';
import { fleetStatusDocument } from '../fleets/fleet-status.js';
import { noFleet } from '../runs/find-run.js';
import { sayDetached } from '../runs/detached.js';
import { watchDeadlineMs } from '../runs/watch-time.js';
import { FLEET_LINES, fleetScreen } from '../screens/fleet-screen.js';
import { followFleet } from '../screens/follow-fleet.js';

/** `status FLEET [-w]`: one screen, however many clusters it has. */
export async function statusOfFleet(
  cli: Cli,
  client: Client,
  path: FleetPath,
): Promise<ExitStatus> {
  const { fleet } = path;
  if (cli.options.text('until') !== null) {
    throw new UsageError(
      '--until is for the run of one cluster; a fleet is watched until it ends or holds',
    );
  }
  await refusePart(cli, client, 'status', path);
  if (cli.options.flag('watch')) return watchFleet(cli, client, fleet);
  const run = await fleetForecaster(client)(await requireFleet(client, fleet));
  if (!isText(cli)) {
    printFleetStatus(cli, run, Date.now());
    return 'reached';
  }
  const { width = Infinity } = screen(cli);
  const input = {
    run,
    server: sameServer(cli.options),
    nowMs: Date.now(),
    width,
    height: FLEET_LINES,
  };
  cli.terminal.out(`${fleetScreen(input, cli.theme).join('\n')}\n`);
  return 'reached';
}

/** A fleet as a document, whose commands ask the server that was named. */
export function printFleetStatus(cli: Cli, run: FleetRunView, nowMs: number): void {
  printDocument(cli, 'FleetStatus', fleetStatusDocument(run, nowMs, sameServer(cli.options)));
}

/**
 * The screen of a fleet is of the whole of it: shown for a part, it would be read as the state of that part.
 * @throws UsageError with the command that shows the part; it says first where the fleet has no such part
 */
export async function refusePart(
  { options }: Pick<Cli, 'options'>,
  client: Client,
  verb: 'status' | 'describe',
  path: FleetPath,
): Promise<void> {
  const { part, fleet, text } = path;
  if (part.kind === 'all') return;
  const { state } = await requireFleet(client, fleet);
  if (state !== null) scopeOf(state, path, []);
  const shows = serverCommand(['get', 'clusters', text], options);
  const alone = serverCommand(
    part.kind === 'cluster' ? ['describe', text] : [verb, fleet],
    options,
  );
  throw new UsageError(
    `${verb} shows a whole fleet, and ${text} is a part of it: type \`${shows}\`, or \`${alone}\``,
  );
}

/** Follows a fleet, and says at the end of an interrupted watch that it goes on. */
export async function watchFleet(cli: Cli, client: Client, fleet: string): Promise<ExitStatus> {
  const { exitStatus, run } = await followFleet(cli, client, fleet, watchDeadlineMs(cli));
  if (cli.output === 'json') printFleetStatus(cli, run, Date.now());
  if (exitStatus === 'interrupted') sayDetached(cli, fleet);
  return exitStatus;
}

/** @throws CliError CCM4022 where no fleet of this name ever ran. */
export async function requireFleet(client: Client, fleet: string): Promise<FleetRunView> {
  const run = await viewForPeople(client, fleet);
  if (run !== null) return run;
  throw await noFleet(client, fleet);
}

/** The same, where a worker answers: what is asked about single clusters is in the state only. */
export async function requireState(
  client: Client,
  fleet: string,
): Promise<FleetRunView & { readonly state: NonNullable<FleetRunView['state']> }> {
  const run = await requireFleet(client, fleet);
  const { state } = run;
  if (state === null) throw silentFleet(run);
  return { ...run, state };
}
