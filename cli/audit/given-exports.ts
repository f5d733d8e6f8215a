import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PopulationSpan } from '../../domain/evidence/population.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../cli-error.js';
import { noteOf, stateDirOf } from '../runs/connection.js';
import { exportedFleets, type ReadFleetExport } from './fleet/fleets-on-record.js';
import { type FolderExports, onlyExports } from './folder-exports.js';
import { exportedRuns, type ReadExport } from './runs-on-record.js';

/** The command line that names a folder of exports. */
export type NamesExports = Pick<Cli, 'options' | 'env'>;

const NONE = { exports: [], refused: [] } as const;

/** Those in the folder of `dev` unless another one is named; none without either. */
export async function foundExports(cli: NamesExports): Promise<FolderExports<ReadExport>> {
  const folder = await folderOf(cli);
  return folder === null ? NONE : exportedRuns(folder);
}

/** Those of fleets, in the same folder. */
export async function foundFleetExports(
  cli: NamesExports,
): Promise<FolderExports<ReadFleetExport>> {
  const folder = await folderOf(cli);
  return folder === null ? NONE : exportedFleets(folder);
}

/** The same where each file must be an export. @throws UsageError for the first that is none */
export async function givenExports(cli: NamesExports): Promise<readonly ReadExport[]> {
  return onlyExports(await foundExports(cli));
}

/** Those of fleets, in the same folder. @throws UsageError as `givenExports` does */
export async function givenFleetExports(cli: NamesExports): Promise<readonly ReadFleetExport[]> {
  return onlyExports(await foundFleetExports(cli));
}

async function folderOf(cli: NamesExports): Promise<string | null> {
  const folder = cli.options.text('exports');
  if (folder !== null) return folder;
  const own = join(stateDirOf(cli), 'exports');
  return (await noteOf(cli)) !== null && existsSync(own) ? own : null;
}

/** The runs that `--from` and `--to` mean, by when they began. @throws UsageError for what is no time. */
export function spanOf({ options }: Pick<Cli, 'options'>): PopulationSpan {
  const at = (flag: 'from' | 'to', otherwise: number): number => {
    const written = options.text(flag);
    const ms = written === null ? otherwise : Date.parse(written);
    if (!Number.isNaN(ms)) return ms;
    throw new UsageError(
      `--${flag} ${String(written)}: a time such as 2026-11-01 or 2026-11-01T08:00:00Z`,
    );
  };
  return { fromMs: at('from', -Infinity), toMs: at('to', Infinity) };
}
