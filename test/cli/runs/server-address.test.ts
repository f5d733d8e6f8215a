import { describe, expect, it } from '@jest/globals';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cli } from '../../../cli/cli.js';
import { UsageError } from '../../../cli/cli-error.js';
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

describe('a folder that names no server', () => {
  const TEMPORAL = { TEMPORAL_ADDRESS: 't:1', CCM_MIGRATE_ADDRESS: 'own:1' };

  it.each<[string, Record<string, string>, number, RegExp]>([
    [
      'a folder without a note',
      {},
      0o600,
      /--state-dir \S+ names no server: it has no server\.json/,
    ],
    [
      'a note that others may write',
      { 'server.json': NOTE },
      0o666,
      /others may write server\.json/,
    ],
    ['a note of another program', { 'server.json': '{}' }, 0o600, /is of another program/],
    ['a note that is cut off', { 'server.json': '{' }, 0o600, /server\.json cannot be read/],
  ])('is refused instead of another server: %s', async (_case, files, mode, why) => {
    await withFiles(files, async (folder) => {
      const note = join(folder, 'server.json');
      if ('server.json' in files) await chmod(note, mode);
      const cli = cliWith({ stateDir: folder }, TEMPORAL);
      await expect(serverAddress(cli)).rejects.toThrow(why);
      await expect(serverAddress(cli)).rejects.toThrow(UsageError);
      const named = cliWith({ stateDir: folder, address: 'flag:1' }, TEMPORAL);
      expect((await serverAddress(named)).address).toBe('flag:1');
      const around = cliWith({}, { ...TEMPORAL, CCM_MIGRATE_STATE_DIR: folder });
      expect((await serverAddress(around)).address).toBe('own:1');
    });
  });

  it('may be new where a worker begins its evidence', async () => {
    const cli = cliWith({ stateDir: '/nonexistent' }, { TEMPORAL_ADDRESS: 't:1' });
    expect((await serverAddress(cli, 'allowed')).address).toBe('t:1');
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
