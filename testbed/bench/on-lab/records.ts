import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { jsonBody } from '../../base/http/json-body.js';
import { valueAt } from '../../base/json.js';
import type { MeasuredFigures } from './measured-figures.js';
import type { BenchMachine } from '../bench-machine.js';

/** One direction of one run. */
export interface RunMeasurement extends MeasuredFigures {
  readonly direction: 'forward' | 'back';
  /** From the first change until every controller has one owner on the target side. */
  readonly seconds: number;
  /** Of the operator's user, by the API server's audit log: all requests, and those that changed something. */
  readonly requests: number;
  readonly writes: number;
  /** Contradictions between the lab's sources. */
  readonly contradictions: readonly string[];
}

/** One run of one row: a line of the results file. */
export interface RunRecord {
  readonly kind: 'HandoverRun';
  readonly row: string;
  readonly run: number;
  /** Start time, ISO 8601. */
  readonly at: string;
  /** The node whose KCM led at the start. */
  readonly leader: string;
  /** The script's order of nodes; null for the product, which decides itself. */
  readonly order: readonly string[] | null;
  readonly directions: readonly RunMeasurement[];
  /** Why it did not complete; null when it did. */
  readonly failed: string | null;
  readonly machine: BenchMachine;
}

/** All runs in a results file; none when the file does not exist. @throws Error for any other line. */
export function readRecords(file: string): readonly RunRecord[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => readRecord(line, `${file}:${index + 1}`));
}

/** A truncated line is refused too: it is no JSON. */
function readRecord(line: string, where: string): RunRecord {
  const value: unknown = jsonBody(line);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- appendRecord wrote it
  if (valueAt(value, 'kind') === 'HandoverRun') return value as RunRecord;
  throw new Error(
    `${where}: not a result of this benchmark. Remove the line, or choose another --out`,
  );
}

export function appendRecord(file: string, record: RunRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}
