import { didYouMean } from '../../../config/nearest-name.js';
import { FleetAuditExport } from '../../../config/outputs/fleet-audit-export.js';
import { AuditExport } from '../../../config/outputs/report-documents.js';
import type { Cli } from '../../cli.js';
import { CliError, UsageError } from '../../cli-error.js';
import { parseJson } from '../../read-json.js';
import { someNames } from '../../terminal/wording.js';
import { expandsTooFar } from '../expanded-size.js';
import { type AuditedFleet, exportedFleet } from '../fleet/fleets-on-record.js';
import { givenExports, givenFleetExports } from '../given-exports.js';
import { type AuditedRun, exportedRun } from '../runs-on-record.js';
import { readRegularText } from '../../../config/regular-file.js';

/** An export that the command line means. What it is of is null where the file is none: its checks say so. */
export type ChosenExport = { readonly file: string; readonly text: string } & (
  | { readonly kind: 'run'; readonly of: AuditedRun | null }
  | { readonly kind: 'fleet'; readonly of: AuditedFleet }
);

/**
 * The exports of the command line, oldest run first: files, runs and fleets of `--exports` by cluster, UID, fleet, workflow or run
 * id, and of those only the ones with `--ticket`. Without `--exports`, an argument that ends in `.json` is a file.
 */
export async function chosenExports(cli: Cli): Promise<readonly ChosenExport[]> {
  const inFolder = cli.options.text('exports') !== null;
  const isFile = (written: string): boolean => !inFolder && written.endsWith('.json');
  const files = await Promise.all(cli.arguments.filter(isFile).map(fileOf));
  const names = cli.arguments.filter((written) => !isFile(written));
  const isAsked = names.length > 0 || files.length === 0;
  const found = [...files, ...(isAsked ? await namedExports(cli, names) : [])];
  const ticket = cli.options.text('ticket');
  const chosen = ticket === null ? found : found.filter(({ of }) => of?.ticket === ticket);
  if (chosen.length === 0)
    throw noExport(ticket === null ? 'no export' : `no export of ticket ${ticket}`);
  const once = new Map(chosen.map((each) => [each.file, each]));
  return [...once.values()].sort((a, b) => startOf(a) - startOf(b));
}

function startOf({ of }: ChosenExport): number {
  return of?.startedAtMs ?? 0;
}

async function fileOf(file: string): Promise<ChosenExport> {
  const text = await readRegularText(file).catch(() => null);
  if (text === null) throw new UsageError(`${file} cannot be read`);
  const raw = readableExport(text);
  const ofFleet = FleetAuditExport.safeParse(raw);
  if (ofFleet.success) {
    const { fleet: of } = await exportedFleet(file, text, ofFleet.data);
    return { kind: 'fleet', file, text, of };
  }
  const parsed = AuditExport.safeParse(raw);
  const of = parsed.success ? (await exportedRun(file, text, parsed.data)).run : null;
  return { kind: 'run', file, text, of };
}

/** Null where nothing of it is to be read before its checks say so. */
function readableExport(text: string): unknown {
  const raw = parseJson(text);
  return expandsTooFar(raw) ? null : raw;
}

interface NamedExport {
  readonly export: ChosenExport;
  /** By which it is meant; the first one for people. */
  readonly ids: readonly string[];
}

async function namedExports(cli: Cli, names: readonly string[]): Promise<readonly ChosenExport[]> {
  const all = [
    ...(await givenExports(cli)).map(({ run, text, executions }): NamedExport => ({
      export: { kind: 'run', file: run.file, text, of: run },
      ids: [run.cluster, run.uid, run.workflowId, run.runId, ...executions],
    })),
    ...(await givenFleetExports(cli)).map(({ fleet, text, executions }): NamedExport => ({
      export: { kind: 'fleet', file: fleet.file, text, of: fleet },
      ids: [fleet.fleet, fleet.workflowId, fleet.runId, ...executions],
    })),
  ];
  const known = all.flatMap(({ ids }) => ids.slice(0, 1));
  if (names.length === 0) {
    if (all.length < 2 || cli.options.text('ticket') !== null)
      return all.map((each) => each.export);
    throw new UsageError(
      `there are ${String(all.length)} runs: name one, a cluster or fleet (${someNames([...new Set(known)])}), or a --ticket`,
    );
  }
  return names.flatMap((name) => {
    const found = all.filter(({ ids }) => ids.includes(name));
    if (found.length > 0) return found.map((each) => each.export);
    throw noExport(`no export of a run ${name}${didYouMean(name, known)}`);
  });
}

function noExport(what: string): CliError {
  return new CliError('CCM4022', what, {
    exitStatus: 'failed',
    fix: 'Name a file of `audit export`, or the folder with --exports. `audit list` shows each run.',
  });
}
