import { describe, expect, it } from '@jest/globals';
import type { Cli } from '../../../cli/cli.js';
import { optionReader } from '../../../cli/cli.js';
import { evidenceFolder, serverAddress } from '../../../cli/runs/connection.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { withFiles } from '../../config/given-files.js';
import { fakeTerminal } from '../fake-terminal.js';

const NOTE = JSON.stringify({ address: 'note:1', namespace: 'n', uiUrl: null, evidenceDir: '/e' });

function cliWith(options: Record<string, unknown>, env: Record<string, string>): Cli {
  return {
    terminal: fakeTerminal(),
    theme: createTheme({ color: false, ascii: false }),
    env,
    output: 'text',
    signal: new AbortController().signal,
    options: optionReader(options),
    arguments: [],
    typed: [],
  };
}

describe('where runs live', () => {
  it.each<[string, Record<string, unknown>, Record<string, string>, string]>([
    ['a flag', { address: 'flag:1' }, { CCM_MIGRATE_ADDRESS: 'own:1' }, 'flag:1'],
    ['our variable', {}, { CCM_MIGRATE_ADDRESS: 'own:1', TEMPORAL_ADDRESS: 't:1' }, 'own:1'],
    ["Temporal's variable", {}, { TEMPORAL_ADDRESS: 't:1' }, 't:1'],
    ['the default', {}, {}, '127.0.0.1:7233'],
  ])('the first address that is given is used: %s', async (_case, options, env, expected) => {
    const cli = cliWith(options, { CCM_MIGRATE_STATE_DIR: '/nonexistent', ...env });
    expect((await serverAddress(cli)).address).toBe(expected);
  });

  it('a folder named by a flag wins over the environment, and the current folder does not', async () => {
    await withFiles({ 'server.json': NOTE }, async (folder) => {
      const env = { TEMPORAL_ADDRESS: 't:1' };
      expect((await serverAddress(cliWith({ stateDir: folder }, env))).address).toBe('note:1');
      const around = { ...env, CCM_MIGRATE_STATE_DIR: folder };
      expect((await serverAddress(cliWith({}, around))).address).toBe('t:1');
      const { namespace } = await serverAddress(cliWith({ stateDir: folder }, {}));
      expect(namespace).toBe('n');
    });
  });
});

describe('where evidence is kept', () => {
  it('evidence continues where `dev` or `demo` keeps it, so that a chain is not split', async () => {
    await withFiles({ 'server.json': NOTE }, async (folder) => {
      expect(await evidenceFolder(cliWith({ stateDir: folder }, {}))).toBe('/e');
      expect(await evidenceFolder(cliWith({}, { CCM_MIGRATE_STATE_DIR: folder }))).toBe('/e');
    });
  });

  it('evidence goes to the named folder where no `dev` or `demo` keeps any', async () => {
    await withFiles({}, async (folder) => {
      const env = { CCM_MIGRATE_STATE_DIR: '/nonexistent' };
      expect(await evidenceFolder(cliWith({ stateDir: folder }, env))).toBe(folder);
      expect(await evidenceFolder(cliWith({}, env))).toBe('/nonexistent');
    });
  });
});
