import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { answerLines } from '../../../../activities/adapters/ssh/remote-answer.js';
import { remoteRequest } from '../../../../activities/adapters/ssh/remote-request.js';
import { failureTypeOf } from '../../../../activities/failures.js';

const SHELLS = ['/bin/dash', '/bin/bash', '/bin/sh'].filter((shell) => existsSync(shell));

const OWNER = { name: 'one', uid: 'uid-1', authorities: ['ab', 'cd'] };

const PATH = "/etc/it's $(a) `name`";

function request(sudo = false): ReturnType<typeof remoteRequest> {
  return remoteRequest(sudo, OWNER, [['write_file', PATH, 'absent', '1', 'sha256:00', 'QQ==']]);
}

function run(
  shell: string,
  command: string,
  input: Buffer,
): { status: number | null; out: string } {
  const inner = /^\/bin\/sh -c '(.*)'$/.exec(command)?.[1] ?? '';
  const { status, stdout } = spawnSync(shell, ['-c', inner], { input, encoding: 'utf8' });
  return { status, out: stdout };
}

describe('one remote command', () => {
  it('the command line of a remote command has nothing of the request', () => {
    expect(request().command).toMatch(/^\/bin\/sh -c 'eval "\$\(head -c \d+\)"'$/);
    expect(request(true).command).toMatch(/^sudo -n -- \/bin\/sh -c 'eval "\$\(head -c \d+\)"'$/);
  });

  it.each(SHELLS)(
    'a remote command does nothing in %s when it arrives in part, wherever it is cut',
    (shell) => {
      const { command, input } = request();
      const ends = [...input.toString('latin1').matchAll(/[\n;} ]/g)].map(({ index }) => index);
      // Every fortieth place between two words, and each of the last ones, where the request's own arguments are.
      const cuts = ends.filter((_, index) => index % 40 === 0 || index > ends.length - 20);
      // After the closing brace the text is complete.
      for (const cut of cuts.filter((at) => at < input.lastIndexOf('}'))) {
        const { status, out } = run(shell, command, input.subarray(0, cut));
        expect([cut, status === 0, out]).toEqual([cut, false, '']);
      }
    },
  );

  it.each(SHELLS)(
    'the answer of %s begins on a line of its own, whatever a login script left on the line before',
    (shell) => {
      const { command, input, token } = remoteRequest(false, OWNER, [['read_file', '/absent']]);
      const { out } = run(shell, command, input);
      expect(`\u001b]0;root@cp-1\u0007${out}`.split('\n')).toContain(`begin ${token}`);
    },
  );

  it('a remote command refuses a NUL, which no argument of a shell can hold', () => {
    expect(() => remoteRequest(false, OWNER, [['read_file', '/a\0b']])).toThrow('holds a NUL');
  });
});

describe('the response to a remote command', () => {
  const asked = { command: '', input: Buffer.alloc(0), token: 'T', identity: OWNER };
  const lines = (stdout: string, exitCode: number | null = 0, stderr = ''): readonly string[] =>
    answerLines('look', asked, { stdout: Buffer.from(stdout), stderr, exitCode });
  const typeOf = (act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      return failureTypeOf(error);
    }
  };

  it('a response is what is between its first and last line, whatever a login script prints', () => {
    expect(lines('welcome\nbegin T\na\nb\nend T\nbye\n')).toEqual(['a', 'b']);
    expect(lines('begin T\nend T\n', null)).toEqual([]);
  });

  it.each([
    ['begin T\na\n', null, 'Unavailable'],
    ['begin T\na\n', 1, 'Unavailable'],
    ['', null, 'Unavailable'],
    ['begin X\nend X\n', null, 'Unavailable'],
    ['', 1, 'Forbidden'],
    ['', 0, 'Unavailable'],
    ['\u001b]0;root@cp-1\u0007begin T\nwritten sha256:1\nend T\n', 0, 'Unavailable'],
    ['This account is not available.\n', 1, 'Forbidden'],
    ['begin T\nrefused whatever QQ==\nend T\n', 0, 'Unavailable'],
    ['begin T\nrefused unsure QQ==\nend T\n', 0, 'Unavailable'],
    ['begin T\nrefused tool QQ==\nend T\n', 0, 'NotSupported'],
    ['begin T\nrefused authority\nend T\n', 0, 'ForeignNode'],
    ['begin T\nrefused cluster QQ==\nend T\n', 0, 'ForeignNode'],
    ['begin T\nstale 9\nend T\n', 0, 'FenceLost'],
    ['begin T\nedited absent\nend T\n', 0, 'ForeignEdit'],
  ])('the response %j with exit %j fails as %s', (stdout, exitCode, type) => {
    expect(typeOf(() => lines(stdout, exitCode))).toBe(type);
  });

  it('a response is quoted without control characters and without secrets', () => {
    const act = (): unknown => lines('', 1, 'sudo:\u001b[2J password=canary-1\n');
    expect(act).toThrow('sudo:\ufffd[2J password=[redacted]');
  });
});
