import type { OptionReader } from './cli.js';

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

/** The command that follows a run: by its cluster, as there may be others, and on the server that flags named. */
export function watchCommand(cluster: string, options: OptionReader): string {
  return typedCommand(['status', cluster, '-w', ...sameServer(options)]);
}

/** What came from the environment or from a note of `dev` is there for the next command too. */
function sameServer(options: OptionReader): readonly string[] {
  const flags = { '--address': 'address', '--namespace': 'namespace', '--state-dir': 'stateDir' };
  return Object.entries(flags).flatMap(([flag, name]) => {
    const given = options.text(name);
    return given === null ? [] : [flag, given];
  });
}
