import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { valueAt } from '../../base/json.js';
import type { BenchMachine } from '../bench-machine.js';

/** One run on the lab whose owner of the cloud controllers was stopped by a signal. Milliseconds are from the signal. */
export interface LabBrakeRun {
  /** What it did at the signal. */
  readonly step: string;
  /** Whether changes might happen then: runs of which that is not so are not judged. */
  readonly changing: boolean;
  readonly stopped: string;
  /** The last new write; null when none came after the signal. */
  readonly lastNewMs: number | null;
  readonly lastNew: string;
  readonly newWrites: number;
  /** When the guard had written the finding into the fence; null when it never did. */
  readonly closedMs: number | null;
  /** The harm was over, because a step restarted the stopped process; null while it lasted. */
  readonly overMs: number | null;
  /** What the run said of itself in the end. */
  readonly end: string;
}

/** One bench: a line of the results file. */
export interface LabBrakeRecord {
  readonly kind: 'LabBrake';
  /** Start time, ISO 8601. */
  readonly at: string;
  readonly machine: BenchMachine;
  readonly seed: number;
  readonly seconds: number;
  readonly runs: readonly LabBrakeRun[];
  /** Why others are not among them. */
  readonly missed: readonly string[];
}

export function appendLabBrake(file: string, record: LabBrakeRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** All benches in a results file; none when it does not exist. @throws Error for any other line. */
export function readLabBrakes(file: string): readonly LabBrakeRecord[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const value: unknown = JSON.parse(line);
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- appendLabBrake wrote it
      if (valueAt(value, 'kind') === 'LabBrake') return value as LabBrakeRecord;
      throw new Error(`${file} has other results than this benchmark's. Choose another --out`);
    });
}
