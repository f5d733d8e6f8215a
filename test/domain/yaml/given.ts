import { readFileSync } from 'node:fs';
import type { ManifestEdits } from '../../../domain/manifests/edit-manifest.js';
import { editManagerManifest } from '../../../domain/manifests/edit-manifest.js';

const fixture = (name: string): string =>
  readFileSync(new URL(`./fixtures/${name}.yaml`, import.meta.url), 'utf8');

export const KCM = fixture('kcm');
export const CCM_DAEMON_SET = fixture('ccm-daemon-set');

export function edited(text: string, edits: ManifestEdits): string {
  const result = editManagerManifest(text, edits);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.text;
}

/** Removed (-) and added (+) lines, in order. */
export function difference(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line.trim()}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line.trim()}`),
  ];
}
