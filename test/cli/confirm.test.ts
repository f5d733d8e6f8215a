import { describe, expect, it } from '@jest/globals';
import type { Cli } from '../../cli/cli.js';
import { confirm } from '../../cli/confirm.js';
import { optionReader } from '../../cli/option-reader.js';
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
  };
}

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
  ])('%s: "%s" is %s', async (tier, answer, expected) => {
    const cli = cliWith({}, [answer]);
    expect(await confirm(cli, { tier, what: 'rollback', name: 'prod-1' })).toBe(expected);
  });

  it('takes --yes for every tier', async () => {
    const cli = cliWith({ yes: true }, []);
    expect(await confirm(cli, { tier: 'typed', what: 'skip', name: 'prod-1' })).toBe(true);
  });

  it('names the flag where nobody can answer', async () => {
    const asked = confirm(cliWith({}, []), {
      tier: 'simple',
      what: 'rollback prod-1',
      name: 'prod-1',
    });
    await expect(asked).rejects.toThrow('rollback prod-1: nobody can be asked here; add --yes');
  });
});
