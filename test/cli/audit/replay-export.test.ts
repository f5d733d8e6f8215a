import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { bundlesNotKept, keepOwnBundle } from '../../../cli/audit/kept-bundles.js';
import { replayChecks } from '../../../cli/audit/replay-export.js';
import { optionReader } from '../../../cli/cli.js';
import { buildIdText } from '../../../config/build-id.js';
import { bundleFile } from '../../../config/bundle-file.js';
import { compiledProgram } from '../../../devserver/package-files.js';
import { digestText } from '../../../domain/digest.js';

const HISTORY = new URL('../../workflows/histories/refused.json', import.meta.url);
const BUILT = compiledProgram('workflow-bundle.js');
const CODE = `sha256:${'0'.repeat(64)}`;
const REPLAY_MS = 60_000;

let folder: string;
let history: unknown;
let built: string;
beforeAll(async () => {
  history = JSON.parse(await readFile(HISTORY, 'utf8'));
  built = await readFile(BUILT, 'utf8');
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-bundles-'));
});
afterEach(() => rm(folder, { recursive: true }));

const idOf = (digest: string): string => buildIdText({ bundle: digest, code: CODE });

/** Replays a run that the bundle with this digest wrote. */
async function replayed(digest: string, bundles: string | null): Promise<string> {
  const run = { workflowId: 'w', executions: [{ runId: 'r', buildId: idOf(digest), history }] };
  const options = optionReader(bundles === null ? {} : { bundles });
  const [check] = await replayChecks(run as Parameters<typeof replayChecks>[0], {
    ...{ env: process.env, options },
  });
  return `${check?.result ?? ''} ${check?.detail ?? ''}`;
}

/** The bundle of another version, as the folder keeps it; its digest. */
async function kept(code: string): Promise<string> {
  const digest = digestText(code);
  await writeFile(bundleFile(folder, digest) ?? '', code);
  return digest;
}

describe('the replay of a run that another version wrote', () => {
  it(
    'passes with its bundle, and is unproven without',
    async () => {
      // In front: behind it would be read as part of the source map, which ends the bundle.
      const digest = await kept(`// of another version\n${built}`);
      expect(await replayed(digest, folder)).toBe(
        `pass the history matches what bundle ${digest} does`,
      );
      expect(await replayed(digest, null)).toMatch(/^unproven written by bundle \S+, this install/);
      const nowhere = join(folder, 'nowhere');
      expect(await replayed(digest, nowhere)).toContain(`, and ${nowhere} does not keep it`);
    },
    REPLAY_MS,
  );

  it(
    'fails where its bundle decides otherwise',
    async () => {
      const digest = await kept(built.replaceAll('checkStart', 'checkOther'));
      expect(await replayed(digest, folder)).toMatch(/^fail .*checkStart/);
    },
    REPLAY_MS,
  );
});

describe('bundles beside exports', () => {
  it('are kept once, by their digest', async () => {
    await keepOwnBundle(folder);
    await keepOwnBundle(folder);
    const digest = digestText(built);
    const bundles = join(folder, 'bundles');
    expect(await readdir(bundles)).toEqual([`${digest.slice('sha256:'.length)}.js`]);
    expect(await readFile(bundleFile(bundles, digest) ?? '', 'utf8')).toBe(built);
    const other = `sha256:${'a'.repeat(64)}`;
    expect(bundlesNotKept(folder, [idOf(digest), idOf(other), idOf(other), 'sdk'])).toEqual([
      other,
    ]);
  });
});
