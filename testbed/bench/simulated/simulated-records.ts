import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { valueAt } from '../../base/json.js';
import type { BenchMachine } from '../bench-machine.js';
import type { SimulatedRun } from './simulated-bars.js';

/** One run: a line of the results file. */
export interface SimulatedRecord extends SimulatedRun {
  readonly kind: 'FleetSimulatorRun';
  /** Start time, ISO 8601. */
  readonly at: string;
  readonly machine: BenchMachine;
}

export function appendSimulatedRecord(file: string, record: SimulatedRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** All runs in a results file; none when it does not exist. @throws Error for any other line. */
export function readSimulatedRecords(file: string): readonly SimulatedRecord[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => readRecord(line, `${file}:${index + 1}`));
}

function readRecord(line: string, where: string): SimulatedRecord {
  const value: unknown = JSON.parse(line);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- appendSimulatedRecord wrote it
  if (valueAt(value, 'kind') === 'FleetSimulatorRun') return value as SimulatedRecord;
  throw new Error(`${where}: not a result of this benchmark. Choose another --out`);
}
