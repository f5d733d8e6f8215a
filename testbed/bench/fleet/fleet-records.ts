import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { valueAt } from '../../base/json.js';
import type { BenchMachine } from '../bench-machine.js';
import type { JudgedRun } from './fleet-bars.js';

/** One run: a line of the results file. */
export interface FleetRecord extends JudgedRun {
  readonly kind: 'FleetEngineRun';
  /** Start time, ISO 8601. */
  readonly at: string;
  readonly machine: BenchMachine;
}

export function appendFleetRecord(file: string, record: FleetRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** All runs in a results file; none when it does not exist. @throws Error for any other line. */
export function readFleetRecords(file: string): readonly FleetRecord[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => readFleetRecord(line, `${file}:${index + 1}`));
}

function readFleetRecord(line: string, where: string): FleetRecord {
  const value: unknown = JSON.parse(line);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- appendFleetRecord wrote it
  if (valueAt(value, 'kind') === 'FleetEngineRun') return value as FleetRecord;
  throw new Error(`${where}: not a result of this benchmark. Choose another --out`);
}
