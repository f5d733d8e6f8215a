import type { BenchMachine } from '../bench-machine.js';
import { appendRecordLine, readRecordLines } from '../record-lines.js';
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
  appendRecordLine(file, record);
}

/** All runs in a results file; none when it does not exist. @throws Error for any other line. */
export function readBrakeRecords(file: string): readonly BrakeRecord[] {
  return readRecordLines<BrakeRecord>(file, 'BrakeRun');
}
