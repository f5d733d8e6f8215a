import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestText } from '../domain/digest.js';

/** `digest` is `sha256:<hex>` of the code: it lets an audit find the bundle that wrote a history. */
export interface WorkflowBundle {
  readonly code: string;
  readonly digest: string;
}

/** Where the digest of a built bundle is: beside it. */
export function digestFile(path: string): string {
  return `${path}.sha256`;
}

/** The digest of a built bundle, as its build wrote it. */
export async function readBundleDigest(path: string): Promise<string> {
  const written = await readFile(digestFile(path), 'utf8').catch((error: unknown) => {
    throw notBuilt(path, error);
  });
  return written.trim();
}

/** Reads a built bundle; refuses one that does not match its digest. */
export async function readBundle(path: string): Promise<WorkflowBundle> {
  const digest = await readBundleDigest(path);
  const code = await readFile(path, 'utf8').catch((error: unknown) => {
    throw notBuilt(path, error);
  });
  if (digestText(code) !== digest) {
    throw new Error(`the workflow bundle at ${path} was changed after its build: build it again`);
  }
  return { code, digest };
}

function notBuilt(path: string, cause: unknown): Error {
  return new Error(`no workflow bundle at ${path}: run \`npm run build\` first`, { cause });
}

/** The file of a bundle in a folder that keeps them; null where `digest` is not `sha256:<hex>`. */
export function bundleFile(folder: string, digest: string): string | null {
  const hex = /^sha256:(?<hex>[0-9a-f]{64})$/.exec(digest)?.groups?.['hex'];
  return hex === undefined ? null : join(folder, `${hex}.js`);
}
