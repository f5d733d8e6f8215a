import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PopulationSpan } from '../../domain/evidence/population.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../cli-error.js';
import { noteOf, stateDirOf } from '../runs/connection.js';
import { exportedFleets, type ReadFleetExport } from './fleet/fleets-on-record.js';
import { exportedRuns, type ReadExport } from './runs-on-record.js';

/** The folder of `dev` unless another one is named; none without either. */
export async function givenExports(cli: Cli): Promise<readonly ReadExport[]> {
  const folder = await folderOf(cli);
  return folder === null ? [] : exportedRuns(folder);
}

/** Those of fleets, in the same folder. */
export async function givenFleetExports(cli: Cli): Promise<readonly ReadFleetExport[]> {
  const folder = await folderOf(cli);
  return folder === null ? [] : exportedFleets(folder);
}

async function folderOf(cli: Cli): Promise<string | null> {
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
