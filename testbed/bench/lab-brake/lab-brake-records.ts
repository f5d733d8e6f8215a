import type { BenchMachine } from '../bench-machine.js';
import { appendRecordLine, readRecordLines } from '../record-lines.js';

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
  appendRecordLine(file, record);
}

/** All runs in a results file; none when it does not exist. @throws Error for any other line. */
export function readLabBrakes(file: string): readonly LabBrakeRecord[] {
  return readRecordLines<LabBrakeRecord>(file, 'LabBrake');
}
