import type { OptionReader } from '../cli.js';
import type { Verb } from './verb.js';

const LAST_PORT = 65_535;

/** How the value of a flag is read, by what its syntax calls it. */
const READS: ReadonlyMap<string, (options: OptionReader, name: string) => number | null> = new Map([
  ['duration', (options, name) => options.durationMs(name)],
  ['count', (options, name) => options.count(name)],
  ['port', (options, name) => options.count(name, LAST_PORT)],
  ['number', (options, name) => options.number(name)],
  ['factor', (options, name) => options.number(name)],
]);

/**
 * Reads every duration and number of a command line before its verb begins: a wrong one that is only found later would end the
 * command, with an error of usage, when a run has already been started.
 * @throws UsageError
 */
export function checkValues({ flags }: Pick<Verb, 'flags'>, options: OptionReader): void {
  for (const flag of flags) {
    const [, name = '', kind = ''] = /--([a-z-]+) <([a-z]+)>/.exec(flag.flags) ?? [];
    READS.get(kind)?.(options, camelCase(name));
  }
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
