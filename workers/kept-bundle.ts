import { readFile } from 'node:fs/promises';
import { bundleFile, type WorkflowBundle } from '../config/bundle-file.js';
import { digestText } from '../domain/digest.js';

/** The bundle with which a history may be replayed, or why there is none. */
export type FoundBundle =
  | { readonly kind: 'found'; readonly bundle: WorkflowBundle }
  | { readonly kind: 'none'; readonly why: string };

/**
 * The bundle with the digest `writer`: `own`, else that of the folder that keeps those of other versions (empty: none). A file there
 * counts only as what its name says. An unknown writer (empty) is taken to be this installation.
 */
export async function bundleOfWriter(
  writer: string,
  folder: string,
  own: WorkflowBundle,
): Promise<FoundBundle> {
  if (writer === '' || writer === own.digest) return { kind: 'found', bundle: own };
  const file = folder === '' ? null : bundleFile(folder, writer);
  const code = file === null ? null : await readFile(file, 'utf8').catch(() => null);
  if (code === null) {
    const kept = folder === '' ? '' : `, and ${folder} does not keep it`;
    const why = `written by bundle ${writer}, this installation has ${own.digest}${kept}`;
    return { kind: 'none', why };
  }
  if (digestText(code) === writer) return { kind: 'found', bundle: { code, digest: writer } };
  return { kind: 'none', why: `${folder} keeps something else as bundle ${writer}` };
}
