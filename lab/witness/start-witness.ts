import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import type { Release } from '../binaries/cache.js';
import { LabUnavailable } from '../host/lab-unavailable.js';
import { packageFile } from '../host/package-files.js';
import { MANAGERS } from './watched-process.js';
import type { WitnessOrder } from './witness-line.js';

/** Ends the witness; resolves when it writes nothing more. */
export type EndWitness = () => Promise<void>;

/** Starts the process that watches the managers of a lab and writes down what it sees. */
export function startWitness(
  order: Pick<WitnessOrder, 'lab' | 'file' | 'clients'>,
  releases: readonly Release[],
): EndWitness {
  const program = packageFile('dist', 'lab', 'main.js');
  if (!existsSync(program)) {
    throw new LabUnavailable(`${program} is not there; the lab's witness is it: npm run build`);
  }
  const log = openSync(`${order.file}.log`, 'a', 0o600);
  const child = spawn(process.execPath, [program, 'witness'], {
    stdio: ['pipe', 'ignore', log],
    // Ctrl-C goes to the whole foreground group; it ends when its owner says so, or is gone.
    detached: true,
    cwd: '/',
  });
  closeSync(log);
  const ended = once(child, 'exit').catch(() => undefined);
  const { stdin } = child;
  if (stdin === null) throw new Error('the witness has no input');
  stdin.on('error', () => undefined);
  stdin.write(`${JSON.stringify({ ...order, programs: programsOf(releases) })}\n`);
  child.unref();
  return async () => {
    stdin.end();
    await ended;
  };
}

function programsOf(releases: readonly Release[]): WitnessOrder['programs'] {
  return releases.flatMap((release) =>
    Object.entries(MANAGERS).map(([name, manager]) => ({
      manager,
      version: release.version,
      bytes: statSync(`${release.bin}/${name}`).size,
    })),
  );
}
