import { runDaemon } from '../daemon/run-daemon.js';
import type { Environment } from '../../../devserver/process-environment.js';
import { watch } from '../lifecycle/watchdog.js';
import { monitor } from '../process-monitor/monitor.js';
import type { Command } from './lab-command.js';
import { down } from './down.js';
import { fault } from './fault.js';
import { LAB_HELP } from './lab-help.js';
import { journal, kubectl, logs, ssh, showStatus, truth } from './inspect.js';
import { readWords } from './lab-options.js';
import { prepare } from './prepare.js';
import { up } from './up.js';

type Verb = (command: Command) => Promise<number>;

const VERBS: Readonly<Record<string, Verb>> = {
  ...{ prepare, up, status: showStatus, ssh, kubectl, journal, truth, logs, fault, down },
  daemon: async ({ words, env }) => {
    await runDaemon({ ...words.up, env }, { endsWithInput: words.endWithInput });
    return 0;
  },
  monitor: async () => {
    await monitor();
    return 0;
  },
  watchdog: async ({ words: { rest } }) => {
    await watch(Number(rest[0]), rest[1] ?? '');
    return 0;
  },
};

/** Executes the command line; returns the exit code. */
export async function runVerb(given: readonly string[], env: Environment): Promise<number> {
  const words = readWords(given);
  if (words.help || words.verb === '' || words.verb === 'help') {
    process.stdout.write(LAB_HELP);
    return 0;
  }
  const verb = Object.hasOwn(VERBS, words.verb) ? VERBS[words.verb] : undefined;
  if (verb !== undefined) return verb({ words, env, given });
  process.stderr.write(`lab: there is no verb "${words.verb}". Try: npm run lab -- --help\n`);
  return 2;
}
