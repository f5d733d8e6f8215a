import { join, resolve } from 'node:path';
import { SIMULATOR, simulatorArguments } from '../../devserver/processes/simulator-process.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { versionsOf } from '../kubernetes-versions.js';
import { runInBackground, runInForeground } from '../own-programs.js';
import { aloneInFolder } from '../state-folder.js';

/** `simulator`: serves a simulated cluster for rehearsals until stopped. */
export async function simulator(cli: Cli): Promise<ExitStatus> {
  const { options } = cli;
  const stateDir = resolve(options.text('stateDir') ?? '.ccm-migrate/simulator');
  const args = simulatorArguments({
    port: options.number('port') ?? 0,
    clusters: options.number('clusters'),
    shape: options.text('shape'),
    nodes: options.number('nodes') ?? 3,
    preset: options.text('preset') ?? 'in-tree',
    seed: options.number('seed') ?? 1,
    speed: options.number('speed') ?? 1,
    ...versionsOf(options),
    stateDir,
  });
  if (options.flag('background')) {
    return runInBackground(cli, {
      ...{
        verb: 'simulator',
        words: args,
        logFile: join(stateDir, 'simulator.log'),
      },
      isReady: (line) => line.startsWith('{"ready":true'),
    });
  }
  return aloneInFolder(stateDir, 'simulator', () => runInForeground(SIMULATOR, args, cli));
}
