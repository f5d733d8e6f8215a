import { describe, expect, it } from '@jest/globals';
import type { Cli } from '../../cli/cli.js';
import { confirm } from '../../cli/confirm.js';
import { attribution } from '../../cli/runs/start-run.js';
import { optionReader } from '../../cli/cli.js';
import { createTheme } from '../../cli/terminal/theme.js';
import { fakeTerminal } from './fake-terminal.js';

function cliWith(options: Record<string, unknown>, answers: readonly string[]): Cli {
  return {
    terminal: fakeTerminal({ answers }),
    theme: createTheme({ color: false, ascii: false }),
    env: {},
    output: 'text',
    signal: new AbortController().signal,
    options: optionReader(options),
    arguments: [],
    typed: [],
  };
}

describe('a reason', () => {
  it('a missing reason is asked for at a terminal', async () => {
    const cli = cliWith({ actor: 'bo@corp' }, [' latency was unrelated ']);
    expect(await attribution(cli)).toEqual({
      ...{ actor: 'bo@corp', reason: 'latency was unrelated', ticket: '' },
    });
  });

  it.each<[string, Record<string, unknown>, readonly string[]]>([
    ['there is no terminal', {}, []],
    ['the answer is empty', {}, ['']],
    ['--yes disables questions', { yes: true }, ['because']],
  ])('a reason is required, never made up, when %s', async (_case, options, answers) => {
    await expect(attribution(cliWith(options, answers))).rejects.toThrow('--reason is required');
  });

  it('a given reason is not asked for again', async () => {
    const cli = cliWith({ reason: 'CHG-1' }, ['another']);
    expect((await attribution(cli)).reason).toBe('CHG-1');
  });
});

describe('confirm', () => {
  it.each<['simple' | 'typed', string, boolean]>([
    ['simple', 'y', true],
    ['simple', 'YES', true],
    ['simple', '', false],
    ['simple', 'n', false],
    ['simple', 'yesterday', false],
    ['typed', 'prod-1', true],
    ['typed', 'y', false],
    ['typed', 'PROD-1', false],
  ])('a %s confirmation answered with "%s" is %s', async (tier, answer, expected) => {
    const cli = cliWith({}, [answer]);
    expect(await confirm(cli, { tier, what: 'rollback', name: 'prod-1' })).toBe(expected);
  });

  it('--yes confirms every tier', async () => {
    const cli = cliWith({ yes: true }, []);
    expect(await confirm(cli, { tier: 'typed', what: 'skip', name: 'prod-1' })).toBe(true);
  });

  it('without a terminal the refusal names --yes', async () => {
    const asked = confirm(cliWith({}, []), {
      tier: 'simple',
      what: 'rollback prod-1',
      name: 'prod-1',
    });
    await expect(asked).rejects.toThrow(
      'rollback prod-1: no terminal to ask for confirmation; add --yes',
    );
  });
});
