import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders whose code decides or acts. Code that only displays or plans does not affect a run. */
const DECIDING = ['activities', 'config', 'domain', 'workers', 'workflows'] as const;

/** Shell is code of ours that nodes run. */
const CODE: readonly string[] = ['.js', '.ts', '.sh'];

/** Root of this installation's code: compiled code beside compiled code, sources beside sources. */
const OWN_CODE = fileURLToPath(new URL('..', import.meta.url));

/**
 * Which build carried a run. Rules are not in the workflow bundle, so its digest alone would not distinguish two builds with
 * different rules. Both are `sha256:<hex>`.
 */
export interface BuildId {
  /** Of the workflow bundle: an installation with the same one can replay. */
  readonly bundle: string;
  /** Of all code that decides or acts: an installation with the same one decides the same. */
  readonly code: string;
}

/** As Temporal and the audit export carry it: `BUNDLE-CODE`. A digest's `sha256:` is left out. */
export function buildIdText({ bundle, code }: BuildId): string {
  return [bundle, code].map((digest) => digest.replace(/^sha256:/, '')).join('-');
}

/** Null where a text is not a build id of ours, for example of a build from before build ids existed. */
export function parseBuildId(text: string): BuildId | null {
  const parts = /^(?<bundle>[0-9a-f]{64})-(?<code>[0-9a-f]{64})$/.exec(text)?.groups;
  const { bundle = '', code = '' } = parts ?? {};
  return parts === undefined ? null : { bundle: `sha256:${bundle}`, code: `sha256:${code}` };
}

/**
 * Digest of the code that decides or acts, by its content and place below `root`: the same in every folder.
 * Rejects where a folder cannot be read: an installation that cannot identify itself must not serve.
 */
export async function codeDigest(root = OWN_CODE): Promise<string> {
  const names = await Promise.all(
    DECIDING.map(async (folder) => {
      const entries = await readdir(join(root, folder), { recursive: true });
      return entries
        .map((name) => join(folder, name))
        .filter((name) => CODE.includes(extname(name)));
    }),
  );
  const hash = createHash('sha256');
  for (const name of names.flat().sort()) {
    const content = await readFile(join(root, name));
    hash.update(`${name}\0${String(content.length)}\0`).update(content);
  }
  return `sha256:${hash.digest('hex')}`;
}
