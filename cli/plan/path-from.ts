import { relative, resolve } from 'node:path';

/** A path as it is written in `folder`: never absolute, which would be of one machine and tell about it. */
export function pathFrom(folder: string, path: string): string {
  const from = relative(resolve(folder), resolve(path));
  return from === '' ? '.' : from;
}
