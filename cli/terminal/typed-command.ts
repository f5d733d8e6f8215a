import type { OptionReader } from '../option-reader.js';

/** A command line that can be typed into a shell as it stands. */
export function typedCommand(words: readonly string[]): string {
  return ['ccm-migrate', ...words].map(quoted).join(' ');
}

/** One word of it, whatever is in it: a shell obeys nothing there. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `-f` and `--cluster` as they were given, for the next command about the same cluster. */
export function sameCluster(options: OptionReader): readonly string[] {
  const cluster = options.text('cluster');
  const files = options.texts('file').flatMap((path) => ['-f', path]);
  return cluster === null ? files : [...files, '--cluster', cluster];
}
