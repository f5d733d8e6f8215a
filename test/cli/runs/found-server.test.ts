import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteFile } from '../../../cli/runs/server-note.js';
import { fakeTerminal, ran } from '../fake-terminal.js';

/** A listener that records what it was sent: enough to see which server is contacted, and how. */
async function listener(): Promise<{ server: Server; address: string; heard: () => string }> {
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      heard.push(chunk);
      socket.destroy();
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const text = (): string => Buffer.concat(heard).toString('latin1');
  return { server, address: `127.0.0.1:${port}`, heard: text };
}

describe('the server noted in a folder', () => {
  const before = process.cwd();
  let folder: string;
  let near: Awaited<ReturnType<typeof listener>>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-address-'));
    process.chdir(folder);
    near = await listener();
    await mkdir(join(folder, '.ccm-migrate'), { mode: 0o700 });
    const note = { address: near.address, namespace: 'default', uiUrl: null, evidenceDir: folder };
    await writeFile(noteFile('.ccm-migrate'), JSON.stringify(note), { mode: 0o600 });
    await writeFile(join(folder, 'key'), 'canary-api-key');
  });
  afterEach(async () => {
    process.chdir(before);
    near.server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const status = async (env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const terminal = fakeTerminal();
    await ran(['status', 'c1'], { env, terminal });
    return terminal.stderr();
  };

  it('a server found by the note in the current folder is used, reported, and given no credentials', async () => {
    const said = await status({ TEMPORAL_API_KEY_FILE: join(folder, 'key') });
    expect(said).toContain(`Temporal ${near.address}, of .ccm-migrate/server.json\n`);
    expect(near.heard()).toContain('PRI * HTTP/2');
    expect(near.heard()).not.toContain('canary-api-key');
  });

  it('a noted server is ignored where the environment names another', async () => {
    const said = await status({ TEMPORAL_ADDRESS: near.address });
    expect(said).not.toContain('server.json\n');
  });

  it('a noted server counts as named where the environment names its folder', async () => {
    const here = join(folder, '.ccm-migrate');
    const said = await status({ CCM_MIGRATE_STATE_DIR: here });
    expect(said).not.toContain(`Temporal ${near.address}, of`);
    expect(near.heard()).toContain('PRI * HTTP/2');
  });

  it('a note that other users can write is ignored', async () => {
    await chmod(noteFile('.ccm-migrate'), 0o666);
    expect(await status()).toContain('127.0.0.1:7233');
    expect(near.heard()).toBe('');
  });
});
