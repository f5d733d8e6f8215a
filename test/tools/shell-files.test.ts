import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { remoteRequest } from '../../activities/adapters/ssh/remote-request.js';
import { runProgram } from '../../devserver/run-program.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ROOMS = ['activities', 'cli', 'config', 'devserver', 'testbed', 'test', 'tools', 'workers'];
/** Shell whose names do not say so: one is called as the program that it stands for. */
const WITHOUT_ENDING = ['.ci/run', 'testbed/lab/nodes/systemctl'];

const shellFiles = ROOMS.flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sh'))
    .map((name) => join(room, name)),
);
const sent = shellFiles.filter((name) => name.startsWith('activities/'));

const isInstalled = spawnSync('shellcheck', ['--version']).status === 0;
const withShellcheck = isInstalled ? describe : describe.skip;

function shellcheck(args: readonly string[], input?: string): string {
  const options = { cwd: ROOT, input, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync('shellcheck', [...args, '--format=gcc'], options);
  return stdout + stderr;
}

withShellcheck(
  `shellcheck${isInstalled ? '' : ' (not installed here; Debian: shellcheck)'}`,
  () => {
    it('checks the files that are sent to nodes', () => {
      expect(sent).toContain('activities/adapters/ssh/remote-write.sh');
    });

    it.each([...shellFiles, ...WITHOUT_ENDING])('finds nothing in %s', (name) => {
      expect(shellcheck([name])).toBe('');
    });

    it('finds no variable in the whole program that is never assigned', () => {
      const owner = { name: 'one', uid: 'uid-1', authorities: ['ab'] };
      const text = remoteRequest(false, owner, [['look_host']]).input.toString('utf8');
      const withoutDirectives = text.replace(/^ *# shellcheck .*$/gm, '');
      const unassigned = ['--shell=sh', '--include=SC2154', '-'];
      expect(shellcheck(unassigned, withoutDirectives)).toBe('');
    });
  },
);

describe('the build', () => {
  const dist = join(ROOT, 'dist');

  it('copies the files that are sent to nodes', () => {
    for (const name of sent) {
      expect([name, existsSync(join(dist, name))]).toEqual([name, true]);
      expect(readFileSync(join(dist, name), 'utf8')).toBe(readFileSync(join(ROOT, name), 'utf8'));
    }
  });

  it('sends nodes the same text as the sources do', async () => {
    const owner = { name: 'one', uid: 'uid-1', authorities: ['ab'] };
    const module = new URL('../../dist/activities/adapters/ssh/remote-request.js', import.meta.url);
    const script = `
      import { remoteRequest } from ${JSON.stringify(module)};
      const { token, input } = remoteRequest(false, ${JSON.stringify(owner)}, [['look_host']]);
      process.stdout.write(input.toString('utf8').replace(token, 'TOKEN'));`;
    const args = ['--input-type=module', '--eval', script];
    const { stdout, stderr } = await runProgram(process.execPath, args, { env: {} });
    const { token, input } = remoteRequest(false, owner, [['look_host']]);
    expect([stderr, stdout]).toEqual(['', input.toString('utf8').replace(token, 'TOKEN')]);
  });
});
