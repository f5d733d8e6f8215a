import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
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
