import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { valueAt } from '../base/json.js';

/** Adds a line to a file of results, and makes its folder. */
export function appendRecordLine(file: string, record: { readonly kind: string }): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** All records of a file of results; none when it does not exist. @throws Error for a line of another kind. */
export function readRecordLines<R extends { readonly kind: string }>(
  file: string,
  kind: R['kind'],
): readonly R[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const value: unknown = JSON.parse(line);
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- appendRecordLine wrote it
      if (valueAt(value, 'kind') === kind) return value as R;
      throw new Error(`${file} has other results than this benchmark's. Choose another --out`);
    });
}
