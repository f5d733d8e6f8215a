import { appendFile, cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildIdText, codeDigest, parseBuildId } from '../../config/build-id.js';
import type { WorkflowBundle } from '../../config/bundle-file.js';
import { createBundle } from '../../workers/workflow-bundle.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
let copies: readonly [string, string];
let bundles: readonly WorkflowBundle[];
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'ccm-migrate-bundle-')));
  copies = [join(folder, 'a'), join(folder, 'another', 'deeper', 'checkout')];
  bundles = await Promise.all(copies.map(bundleOfCopy));
});
afterAll(async () => rm(folder, { recursive: true }));

/** A separate checkout of what the bundle is made of. */
async function bundleOfCopy(copy: string): Promise<WorkflowBundle> {
  await mkdir(copy, { recursive: true });
  for (const part of ['package.json', 'workflows', 'domain', 'config', 'activities', 'workers'])
    await cp(join(ROOT, part), join(copy, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return createBundle({ workflowsPath: join(copy, 'workflows', 'index.ts'), root: copy });
}

describe('the workflow bundle', () => {
  it('the bundle has the same digest in every folder it is built in', () => {
    const [one, other] = bundles.map(({ digest }) => digest);
    expect(other).toBe(one);
  });

  it('the bundle names no folder of the machine that built it', () => {
    const [one] = bundles;
    const map = /sourceMappingURL=data:[^,]*,(?<text>\S*)/.exec(one?.code ?? '')?.groups?.['text'];
    const { sources } = JSON.parse(Buffer.from(map ?? '', 'base64').toString('utf8')) as {
      readonly sources: readonly string[];
    };
    expect(sources.filter((source) => source.startsWith('/'))).toEqual([]);
    expect(sources).toContain('workflows/cluster-migration.ts');
    expect(one?.code).not.toContain(ROOT);
  });
});

describe('the build id', () => {
  it('the build id is the same in every folder, and changes with any rule and with what nodes run', async () => {
    const [one, other] = copies;
    expect(await codeDigest(other)).toBe(await codeDigest(one));
    expect(await codeDigest()).toBe(await codeDigest(one));
    await appendFile(join(other, 'domain', 'next-step.ts'), '// another rule\n');
    const ruled = await codeDigest(other);
    expect(ruled).not.toBe(await codeDigest(one));
    await appendFile(join(other, 'activities/adapters/ssh/remote-write.sh'), '# another one\n');
    expect(await codeDigest(other)).not.toBe(ruled);
  });

  it('the build id is read back from what Temporal carries', () => {
    const build = { bundle: `sha256:${'a'.repeat(64)}`, code: `sha256:${'b'.repeat(64)}` };
    expect(parseBuildId(buildIdText(build))).toEqual(build);
    expect(parseBuildId('sha256:x')).toBeNull();
    // Temporal accepts 255 characters.
    expect(buildIdText(build).length).toBeLessThan(200);
  });
});
