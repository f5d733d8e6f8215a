import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { valueAt } from '../../base/json.js';
import type { BenchMachine } from '../bench-machine.js';
import type { BrakeFigures } from './brake-figures.js';
import type { BrakeParameters } from './brake-options.js';

/** One bench: a line of the results file. */
export interface BrakeRecord {
  readonly kind: 'BrakeRun';
  /** Start time, ISO 8601. */
  readonly at: string;
  readonly machine: BenchMachine;
  readonly parameters: BrakeParameters;
  readonly figures: BrakeFigures;
}

export function appendBrakeRecord(file: string, record: BrakeRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** All benches in a results file; none when it does not exist. @throws Error for any other line. */
export function readBrakeRecords(file: string): readonly BrakeRecord[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => readBrakeRecord(line, file));
}

function readBrakeRecord(line: string, file: string): BrakeRecord {
  const value: unknown = JSON.parse(line);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- appendBrakeRecord wrote it
  if (valueAt(value, 'kind') === 'BrakeRun') return value as BrakeRecord;
  throw new Error(`${file} has other results than this benchmark's. Choose another --out`);
}
