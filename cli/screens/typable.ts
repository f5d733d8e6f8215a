import { oneLine } from '../../domain/findings/plain-text.js';
import { quoted } from '../typed-command.js';
import type { RunView } from '../runs/run-view.js';

/** They ask no server. */
const ASKS_NO_SERVER = /^ccm-migrate (?:plan|lint|explain) /;
const NEEDS_FILES = /^ccm-migrate (?:check|apply|plan) /;
/** While a run is open these are commands to it; after its end they plan the next run, which needs an inventory. */
const NEEDS_FILES_AFTER_THE_END = /^ccm-migrate (?:rollback|rollforward) /;

/**
 * A command suggested by a run, in the form to be typed here: with the files that the run was started from where the
 * command needs them, and `FILES` where they are not known; `server`: the flags that named the server. What comes from there
 * is quoted for the shell, word by word.
 */
export function typable(
  command: string,
  { files, execution, cluster }: Pick<RunView, 'files' | 'execution' | 'cluster'>,
  server: readonly string[] = [],
): string {
  const ended = execution !== 'running' && NEEDS_FILES_AFTER_THE_END.test(command);
  const needsFiles = NEEDS_FILES.test(command);
  const known = ended || needsFiles ? files.flatMap((file) => ['-f', file]) : [];
  // Of a run that a fleet has started only its fleet knows them.
  const given = needsFiles && known.length === 0 ? ['-f', 'FILES'] : known;
  const asked = ASKS_NO_SERVER.test(command) ? [] : server;
  const words = wordsOf(oneLine(command), oneLine(cluster));
  return [...words, ...given, ...asked].map(quoted).join(' ');
}

const BEFORE_THE_NAME = /^ccm-migrate [a-z]+ (?:--cluster )?/;

/**
 * A run joins arguments with spaces. The cluster's name is one argument whatever it contains; a name that we do not
 * know is split.
 */
function wordsOf(command: string, cluster: string): readonly string[] {
  const before = BEFORE_THE_NAME.exec(command)?.[0] ?? '';
  const rest = command.slice(before.length);
  const isNamed = before !== '' && `${rest} `.startsWith(`${cluster} `);
  if (!isNamed) return apart(command);
  return [...apart(before), cluster, ...apart(rest.slice(cluster.length))];
}

function apart(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}
