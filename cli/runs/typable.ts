import { quoted } from '../terminal/typed-command.js';
import type { RunView } from './run-view.js';

const NEEDS_FILES = /^ccm-migrate (?:check|apply|plan) /;
/** While a run is open they are commands to it; after its end they plan the next one, which takes an inventory. */
const NEEDS_FILES_AFTER_THE_END = /^ccm-migrate (?:rollback|rollforward) /;

/**
 * A command that a run names as it has to be typed here: with the files that the run was started from, where the
 * command needs them. They come through the server, so they are quoted for a shell.
 */
export function typable(command: string, { files, execution }: RunView): string {
  const ended = execution !== 'running' && NEEDS_FILES_AFTER_THE_END.test(command);
  if (!ended && !NEEDS_FILES.test(command)) return command;
  return [command, ...files.map((file) => `-f ${quoted(file)}`)].join(' ');
}
