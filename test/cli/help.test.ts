import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { completionScript } from '../../cli/commands/completion.js';
import { ALL_VERBS } from '../../cli/verbs/all-verbs.js';
import { verbHelp } from '../../cli/verbs/help.js';
import { ran } from './fake-terminal.js';

describe('help', () => {
  it.each(ALL_VERBS.map((verb) => [verb.name, verb] as const))(
    'the help of %s has one sentence, examples that parse, and exit codes',
    async (name, verb) => {
      const page = verbHelp(verb);
      const [sentence, blank, examples] = page.split('\n');
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect([blank, examples]).toEqual(['', 'Examples:']);
      expect(page).toContain('Exit codes:');
      expect(verb.examples.every((example) => example.includes(`ccm-migrate ${name}`))).toBe(true);
      const { exit, stdout } = await ran([...name.split(' '), '--help']);
      expect(exit).toBe(0);
      expect(stdout.trim()).toBe(page.trim());
    },
  );

  it.each(ALL_VERBS.map((verb) => [verb.name, verb] as const))(
    'the verb %s is implemented',
    async (_name, verb) => {
      expect(typeof (await verb.load())).toBe('function');
    },
  );
});

describe('conventions of other tools', () => {
  it.each([
    [['--version'], ['version']],
    [
      ['-V', '-o', 'json'],
      ['version', '-o', 'json'],
    ],
    [['help'], ['--help']],
    [
      ['help', 'apply'],
      ['apply', '--help'],
    ],
    [
      ['help', 'audit', 'verify'],
      ['audit', 'verify', '--help'],
    ],
    [
      ['help', 'audit'],
      ['audit', '--help'],
    ],
  ])('the command line %j is understood as %j', async (typed, meant) => {
    const result = await ran(typed);
    expect(result).toEqual(await ran(meant));
    expect(result).toMatchObject({ exit: 0, stdout: expect.stringMatching(/\S/) as unknown });
  });

  it.each([[['list', '--help']], [['help', 'list']], [['help', 'stats', '-h']]])(
    '%j names no verb, which is an error and not help',
    async (typed) => {
      const { exit, stdout, stderr } = await ran(typed);
      expect({ exit, stdout }).toEqual({ exit: 64, stdout: '' });
      expect(stderr).toContain('unknown command');
    },
  );

  it.each(['demo', 'rehearse'])(
    '%s promises no run that goes on without its servers',
    async (verb) => {
      const { stdout } = await ran([verb, '--help']);
      expect(stdout).toMatch(/130 +interrupted; its servers have ended\n/);
      expect(stdout).not.toContain('the run continues');
    },
  );

  it('the audit page lists exactly its own verbs', async () => {
    const { stdout, exit } = await ran(['audit', '--help']);
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      /^Usage: ccm-migrate audit export\|verify\|show\|list\|population\|anchor\|reconcile \[flags\]\n/,
    );
    expect(stdout).not.toContain('rollback');
  });
});

describe('completion', () => {
  it('bash completes with the generated script', () => {
    const script = completionScript('bash', ALL_VERBS);
    const ask = `${script}\nCOMP_WORDS=(ccm-migrate pau) COMP_CWORD=1; _ccm_migrate; echo "\${COMPREPLY[@]}"`;
    const result = spawnSync('bash', ['-c', ask], { encoding: 'utf8' });
    expect(result.stdout.trim()).toBe('pause');
  });

  it.each(['bash', 'zsh', 'fish'] as const)('the %s completion knows every verb', (shell) => {
    const script = completionScript(shell, ALL_VERBS);
    for (const { name } of ALL_VERBS) expect(script).toContain(name.split(' ').at(-1));
  });
});
