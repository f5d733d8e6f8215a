import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../contract/eventually.js';

/** Whether OpenSSH's programs are installed: without them its agent cannot be tested against. */
export const HAS_OPENSSH = ['ssh-agent', 'ssh-add', 'ssh-keygen'].every(
  (name) => spawnSync(name, ['-?'], { stdio: 'ignore' }).error === undefined,
);

export interface OwnSshAgent {
  readonly socketPath: string;
  /** Makes a key, and gives its private half to the agent; the path of its .pub file. */
  readonly newKey: (name: string, kind?: string) => Promise<string>;
  /** The same, of a key that each signature has to be confirmed for; no one can here. */
  readonly newConfirmedKey: (name: string) => Promise<string>;
  /** The same, of a key on its token; `made` is more for `ssh-keygen`. */
  readonly newFidoKey: (name: string, ...made: readonly string[]) => Promise<string>;
  /** What `ssh-add -l` prints. */
  readonly listed: () => string;
  /** Locks it for as long as something lasts. */
  readonly whileLocked: (during: () => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** An agent of OpenSSH, ended by its process id. `token`: a FIDO token that it may load, if any. */
export async function ownSshAgent(token = ''): Promise<OwnSshAgent> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-ssh-agent-'));
  const socketPath = join(folder, 'agent.sock');
  // What it asks for a confirmation, or for the password of a lock.
  const askpass = join(folder, 'askpass');
  await writeFile(askpass, '#!/bin/sh\ncase "$1" in *llow*) exit 1 ;; *) echo word ;; esac\n');
  await chmod(askpass, 0o700);
  const asking = { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' };
  const env = { ...process.env, ...asking, SSH_AUTH_SOCK: socketPath };
  const allowed = token === '' ? [] : ['-P', token];
  const agent = spawn('ssh-agent', ['-D', '-a', socketPath, ...allowed], { stdio: 'ignore', env });
  const add = (...words: readonly string[]): void =>
    void execFileSync('ssh-add', [...words], { env, stdio: 'ignore' });
  // Its exit status is 2 until the agent listens, and 1 while that holds no key.
  const listens = (): boolean => spawnSync('ssh-add', ['-l'], { env }).status !== 2;
  await eventually(10_000, async () => (listens() ? true : null));
  const newKey = async (name: string, kind: string, ...how: readonly string[]): Promise<string> => {
    const path = join(folder, name);
    const words = ['-q', '-t', kind, '-N', '', '-C', `${name}@laptop`, '-f', path];
    execFileSync('ssh-keygen', words, { stdio: 'ignore' });
    add(...how, path);
    // Only the agent has it from here on.
    await rm(path);
    return `${path}.pub`;
  };
  const newFidoKey = async (name: string, ...made: readonly string[]): Promise<string> => {
    const path = join(folder, name);
    const words = ['-q', '-t', 'ed25519-sk', '-w', token, '-N', '', '-f', path, ...made];
    execFileSync('ssh-keygen', words, { stdio: 'ignore' });
    add('-S', token, path);
    await rm(path);
    return `${path}.pub`;
  };
  return {
    socketPath,
    newKey: async (name, kind = 'ed25519') => newKey(name, kind),
    newConfirmedKey: async (name) => newKey(name, 'ed25519', '-c'),
    newFidoKey,
    listed: () => execFileSync('ssh-add', ['-l'], { env }).toString(),
    whileLocked: async (during) => {
      add('-x');
      try {
        await during();
      } finally {
        add('-X');
      }
    },
    close: async () => {
      if (agent.exitCode === null) {
        agent.kill();
        await once(agent, 'exit');
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
