import type { BenchMachine } from '../bench-machine.js';
import { appendRecordLine, readRecordLines } from '../record-lines.js';
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
  appendRecordLine(file, record);
}

/** All runs in a results file; none when it does not exist. @throws Error for any other line. */
export function readGateRecords(file: string): readonly GateRecord[] {
  return readRecordLines<GateRecord>(file, 'GateRun');
}
