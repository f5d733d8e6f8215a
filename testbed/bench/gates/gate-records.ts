import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { valueAt } from '../../base/json.js';
import type { BenchMachine } from '../bench-machine.js';
import type { GateFigures } from './gate-figures.js';

/** One run: a line of the results file. */
export interface GateRecord {
  readonly kind: 'GateRun';
  /** Start time, ISO 8601. */
  readonly at: string;
  readonly machine: BenchMachine;
  readonly seed: number;
  readonly quick: boolean;
  readonly figures: GateFigures;
}

export function appendGateRecord(file: string, record: GateRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** All runs in a results file; none when it does not exist. @throws Error for any other line. */
export function readGateRecords(file: string): readonly GateRecord[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => readGateRecord(line, file));
}

function readGateRecord(line: string, file: string): GateRecord {
  const value: unknown = JSON.parse(line);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- appendGateRecord wrote it
  if (valueAt(value, 'kind') === 'GateRun') return value as GateRecord;
  throw new Error(`${file} has other results than this benchmark's. Choose another --out`);
}
