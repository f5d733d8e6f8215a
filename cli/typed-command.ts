import type { OptionReader } from './cli.js';

/** A command line that can be pasted into a shell verbatim. */
export function typedCommand(words: readonly string[]): string {
  return ['ccm-migrate', ...words].map(quoted).join(' ');
}

/** One argument quoted for the shell: nothing in it is interpreted. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `-f` and `--cluster` verbatim, for the next command about the same cluster. */
export function sameCluster(options: OptionReader): readonly string[] {
  const cluster = options.text('cluster');
  const files = options.texts('file').flatMap((path) => ['-f', path]);
  return cluster === null ? files : [...files, '--cluster', cluster];
}

/** The command that follows a run: by its cluster, as there may be several, and on the server named by flags. */
export function watchCommand(cluster: string, options: OptionReader): string {
  return serverCommand(['status', cluster, '-w'], options);
}

/** A command that asks the server which the flags name: without them it could reach another, with a run of the same name. */
export function serverCommand(words: readonly string[], options: OptionReader): string {
  return typedCommand([...words, ...sameServer(options)]);
}

/** What came from the environment or from the note of `dev` also applies to the next command. */
export function sameServer(options: OptionReader): readonly string[] {
  const flags = { '--address': 'address', '--namespace': 'namespace', '--state-dir': 'stateDir' };
  return Object.entries(flags).flatMap(([flag, name]) => {
    const given = options.text(name);
    return given === null ? [] : [flag, given];
  });
}
