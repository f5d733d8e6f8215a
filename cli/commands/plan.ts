import { constants } from 'node:fs';
import { access, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Fleet } from '../../config/fleet.js';
import { canonicalJson } from '../../domain/digest.js';
import type { Cli } from '../cli.js';
import { isText, printDocument, screen } from '../cli.js';
import { errorCode } from '../../activities/failures.js';
import type { ExitStatus } from '../exit-status.js';
import { fleetNextLine, fleetPlanText } from '../plan/fleet-plan-text.js';
import { makeFleetPlan } from '../plan/make-fleet-plan.js';
import type { Chosen } from '../plan/make-plan.js';
import { chosenMigration, chosenTarget, makePlan } from '../plan/make-plan.js';
import { pathFrom } from '../plan/plan-document.js';
import { UsageError } from '../cli-error.js';
import { nextLine, planText } from '../plan/plan-text.js';

/** `plan`: every step with its exact changes, of one cluster or of a fleet. Changes nothing. */
export async function plan(cli: Cli): Promise<ExitStatus> {
  await refuseNoPlace(cli.options.text('out'));
  const choice = await chosenMigration(cli);
  return choice.kind === 'fleet' ? planFleet(cli, choice.fleet) : planCluster(cli, choice.chosen);
}

async function planCluster(cli: Cli, chosen: Chosen): Promise<ExitStatus> {
  const folder = folderOf(cli);
  const inspected = await makePlan({
    ...chosen,
    ...{ target: chosenTarget(cli), signal: cli.signal, folder },
  });
  const files = cli.options.texts('file').map((file) => pathFrom(folder, file));
  const made = { ...inspected, files };
  const out = await saved(cli, made);
  if (isText(cli))
    cli.terminal.out(
      `${planText(made, cli.theme, cli.options.flag('full'))}${nextLine(made, out, cli.options)}\n`,
    );
  else printDocument(cli, 'MigrationPlan', { ...made });
  if (made.ending.kind !== 'done') return 'checksFailed';
  return changesIn(cli, made.steps.length);
}

/** Clusters that are left out are part of the plan; one that has none left shows only what stands in the way. */
async function planFleet(cli: Cli, fleet: Fleet): Promise<ExitStatus> {
  const made = await makeFleetPlan(cli, fleet, folderOf(cli));
  const out = await saved(cli, made);
  const { width = Infinity } = screen(cli);
  const shown = { full: cli.options.flag('full'), width };
  if (isText(cli))
    cli.terminal.out(
      `${fleetPlanText(made, cli.theme, shown)}${fleetNextLine(made, out, cli.options)}\n`,
    );
  else printDocument(cli, 'FleetPlan', { ...made });
  const blocked = made.skipped.some(({ kind }) => kind !== 'nothingToDo');
  if (made.clusters.length === 0 && blocked) return 'checksFailed';
  return changesIn(cli, made.clusters.length);
}

function folderOf({ options }: Cli): string {
  const out = options.text('out');
  return out === null ? '.' : dirname(out);
}

async function saved({ options }: Cli, made: object): Promise<string | null> {
  const out = options.text('out');
  if (out === null) return null;
  await writeFile(out, `${canonicalJson(made)}\n`, { mode: 0o600 }).catch((error: unknown) => {
    throw noPlace(out, `cannot be written (${errorCode(error)})`);
  });
  return out;
}

/** Before every cluster is read for a plan that could not be kept. */
async function refuseNoPlace(out: string | null): Promise<void> {
  if (out === null) return;
  if ((await kindOf(out)) === 'folder') throw noPlace(out, 'is a folder');
  const folder = dirname(out);
  if ((await kindOf(folder)) !== 'folder') throw noPlace(out, `${folder} is no folder`);
  await access(folder, constants.W_OK).catch(() => {
    throw noPlace(out, `${folder} may not be written by this user`);
  });
}

async function kindOf(path: string): Promise<'folder' | 'other'> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true ? 'folder' : 'other';
}

function noPlace(out: string, why: string): UsageError {
  return new UsageError(
    `--out ${out}: ${why}; name a file in a folder that exists, with room in it`,
  );
}

function changesIn(cli: Cli, count: number): ExitStatus {
  return cli.options.flag('detailedExitcode') && count > 0 ? 'changes' : 'reached';
}
