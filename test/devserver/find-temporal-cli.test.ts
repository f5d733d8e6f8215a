import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectedDigest } from '../../devserver/archive-digest.js';
import { cachedCliPath, cacheFolder } from '../../devserver/cache.js';
import { findTemporalCli, TemporalCliUnavailable } from '../../devserver/find-temporal-cli.js';
import { runProgram } from '../../devserver/run-program.js';

/** No process listens on port 1: an unreachable download service. */
const NO_SERVICE = 'http://127.0.0.1:1';
const SYSTEM_PATH = '/usr/bin:/bin';

let folder: string;
let reported: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-cli-'));
  reported = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program that answers `--version` as the CLI does. */
async function fakeCli(path: string, server = '1.31.2'): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  const script = `#!/bin/sh\necho "temporal version 1.8.2 (Server ${server}, UI 2.50.1)"\n`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

/** A `go` that writes such a program to its -o argument and counts its calls. */
async function fakeGo(): Promise<string> {
  const bin = join(folder, 'go-bin');
  await mkdir(bin, { recursive: true });
  const script = `#!/bin/sh
[ "$1" = version ] && echo "go version go1.26.8 linux/amd64" && exit 0
while [ "$1" != -o ]; do shift; done
echo built >> ${join(folder, 'builds')}
printf '#!/bin/sh\\necho "temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)"\\n' > "$2"
sleep 1
`;
  await writeFile(join(bin, 'go'), script, { mode: 0o755 });
  return bin;
}

async function find(env: Record<string, string>, downloadService = NO_SERVICE) {
  return findTemporalCli({
    env: { CCM_MIGRATE_CACHE: join(folder, 'cache'), PATH: '', ...env },
    report: (line) => reported.push(line),
    downloadService,
  });
}

describe('the order of the sources of a Temporal CLI', () => {
  it('TEMPORAL_CLI_PATH wins over all other sources', async () => {
    const named = await fakeCli(join(folder, 'mine'));
    await fakeCli(join(folder, 'bin', 'temporal'));
    const found = await find({ TEMPORAL_CLI_PATH: named, PATH: join(folder, 'bin') });
    expect(found).toEqual({ path: named, source: 'TEMPORAL_CLI_PATH' });
  });

  it('a CLI on PATH wins over the cache', async () => {
    const onPath = await fakeCli(join(folder, 'bin', 'temporal'));
    await fakeCli(cachedCliPath({ CCM_MIGRATE_CACHE: join(folder, 'cache') }));
    expect(await find({ PATH: join(folder, 'bin') })).toEqual({ path: onPath, source: 'PATH' });
  });

  it('a CLI on PATH that is too old is skipped with a message', async () => {
    await fakeCli(join(folder, 'bin', 'temporal'), '1.22.4');
    const cached = await fakeCli(cachedCliPath({ CCM_MIGRATE_CACHE: join(folder, 'cache') }));
    expect(await find({ PATH: join(folder, 'bin') })).toEqual({ path: cached, source: 'cache' });
    expect(reported.join()).toMatch(/skipping .*1\.22\.4; 1\.29 or newer is needed/);
  });

  it('a named file that is no Temporal CLI is refused instead of silently replaced', async () => {
    await fakeCli(join(folder, 'bin', 'temporal'));
    await expect(
      find({ TEMPORAL_CLI_PATH: '/bin/echo', PATH: join(folder, 'bin') }),
    ).rejects.toThrow(/TEMPORAL_CLI_PATH cannot be used: .*not a Temporal CLI/);
  });

  it('Go builds the CLI when nothing else works, and the cache has it afterwards', async () => {
    const path = `${await fakeGo()}:${SYSTEM_PATH}`;
    expect((await find({ PATH: path })).source).toBe('go build');
    expect(reported.join('\n')).toMatch(
      /download: not possible .*\n.*with Go; the first time takes/,
    );
    expect((await find({ PATH: path })).source).toBe('cache');
  });

  it('the failure lists every remedy when nothing works', async () => {
    const failure = await find({}).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TemporalCliUnavailable);
    expect(String(failure)).toMatch(/go build: no Go on PATH/);
    expect(String(failure)).toMatch(/set TEMPORAL_CLI_PATH/);
  });
});

describe('preparing it', () => {
  it('two concurrent requests build once', async () => {
    const path = `${await fakeGo()}:${SYSTEM_PATH}`;
    const found = await Promise.all([find({ PATH: path }), find({ PATH: path })]);
    expect(found.map(({ source }) => source).sort()).toEqual(['cache', 'go build']);
    expect(await readFile(join(folder, 'builds'), 'utf8')).toBe('built\n');
  });

  it('the lock of a dead process is taken over, and only the binary remains', async () => {
    const path = `${await fakeGo()}:${SYSTEM_PATH}`;
    const cache = join(folder, 'cache');
    const place = cachedCliPath({ CCM_MIGRATE_CACHE: cache });
    await mkdir(cache);
    const dead = await runProgram('/bin/sh', ['-c', 'echo $$'], { env: {} });
    await writeFile(`${place}.lock`, dead.stdout.trim());
    expect((await find({ PATH: path })).path).toBe(place);
    expect(await readdir(cache)).toEqual([place.slice(cache.length + 1)]);
  });
});

describe('the download', () => {
  let server: Server;
  let service: string;
  let info: (base: string) => object;
  let digest: string;

  const honest = (base: string): object => ({
    archiveUrl: `${base}/a.tgz`,
    fileToExtract: 'temporal',
  });
  /** The file that a downloaded program creates when it is run. */
  const ran = (): string => join(folder, 'downloaded-one-ran');
  const download = (env: Record<string, string> = {}): ReturnType<typeof find> =>
    find({ PATH: SYSTEM_PATH, CCM_MIGRATE_TEMPORAL_CLI_SHA256: digest, ...env }, service);

  beforeEach(async () => {
    const program = await fakeCli(join(folder, 'temporal'));
    await appendFile(program, `touch ${ran()}\n`);
    const archive = join(folder, 'a.tgz');
    await runProgram('tar', ['-czf', archive, '-C', folder, 'temporal'], { env: process.env });
    const packed = await readFile(archive);
    digest = createHash('sha256').update(packed).digest('hex');
    server = createServer((request, response) => {
      if (request.url?.startsWith('/cli/v1.8.2?') === true)
        response.end(JSON.stringify(info(service)));
      else response.end(packed);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => void server.close());

  it('the download requests like the SDK and unpacks the file named in the response', async () => {
    info = honest;
    expect((await download()).source).toBe('download');
    expect(existsSync(ran())).toBe(true);
  });

  it('a digest in upper case is accepted', async () => {
    info = honest;
    const named = { CCM_MIGRATE_TEMPORAL_CLI_SHA256: digest.toUpperCase() };
    expect((await download(named)).source).toBe('download');
  });

  it.each([
    ['the digest of the release', { CCM_MIGRATE_TEMPORAL_CLI_SHA256: '' }],
    ['the digest that was named', { CCM_MIGRATE_TEMPORAL_CLI_SHA256: 'ab'.repeat(32) }],
  ])('nothing is run from an archive without %s', async (_name, env) => {
    info = honest;
    await expect(download(env)).rejects.toThrow(
      `/a.tgz has SHA-256 ${digest} instead of ${expectedDigest(env)}: it is not used`,
    );
    expect(existsSync(ran())).toBe(false);
    expect(await readdir(join(folder, 'cache'))).toEqual([]);
  });

  it('after a refused download the CLI is built from source, with the reason reported', async () => {
    info = honest;
    const path = `${await fakeGo()}:${SYSTEM_PATH}`;
    const named = { PATH: path, CCM_MIGRATE_TEMPORAL_CLI_SHA256: 'ab'.repeat(32) };
    expect((await download(named)).source).toBe('go build');
    expect(reported.join('\n')).toContain(`has SHA-256 ${digest}`);
    expect(existsSync(ran())).toBe(false);
  });

  it('the digests of the release’s archives are known, and another platform needs a configured digest', () => {
    const platforms = [
      ['linux', 'x64'],
      ['linux', 'arm64'],
      ['darwin', 'x64'],
      ['darwin', 'arm64'],
    ] as const;
    const all = platforms.map(([platform, arch]) => expectedDigest({}, platform, arch));
    expect(new Set(all).size).toBe(platforms.length);
    expect(() => expectedDigest({}, 'linux', 'riscv64')).toThrow(
      'is known for linux on riscv64: set CCM_MIGRATE_TEMPORAL_CLI_SHA256 to the SHA-256 of its archive',
    );
    expect(() => expectedDigest({ CCM_MIGRATE_TEMPORAL_CLI_SHA256: 'md5' })).toThrow(
      'not a SHA-256',
    );
  });

  it.each([
    ['a file outside the archive folder', { fileToExtract: '../../etc/passwd' }],
    ['an option for tar', { fileToExtract: '--to-command=sh' }],
    ['another protocol', { archiveUrl: 'file:///etc/passwd', fileToExtract: 'temporal' }],
    ['no archive', {}],
  ])('a response that names %s is refused', async (_name, answer) => {
    info = (base) => ({ archiveUrl: `${base}/a.tgz`, ...answer });
    await expect(download()).rejects.toThrow(/download: /);
  });
});

describe('the cache folder', () => {
  it.each([
    [{ CCM_MIGRATE_CACHE: '/own', XDG_CACHE_HOME: '/xdg', HOME: '/home/a' }, '/own'],
    [{ XDG_CACHE_HOME: '/xdg', HOME: '/home/a' }, '/xdg/ccm-migrate'],
    [{ HOME: '/home/a' }, '/home/a/.cache/ccm-migrate'],
  ])('the cache folder for the environment %j is %s', (env, expected) => {
    expect(cacheFolder(env)).toBe(expected);
  });
});
