import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../devserver/failure-reason.js';
import { readRegularText } from '../../config/regular-file.js';

/** The note that `dev` and `demo` leave in their folder for commands typed next to them. */
export interface ServerNote {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  readonly evidenceDir: string;
  /** Files that its workers serve; absent in notes of older versions. */
  readonly inventories?: readonly string[];
  /** The key that commands typed here sign with, that of its workers, and their policy; absent in notes of older versions. */
  readonly signingKey?: string;
  readonly workerKey?: string;
  readonly accessPolicy?: string;
}

const NOTE_FILE = 'server.json';
const WRITABLE_BY_OTHERS = 0o022;

export function noteFile(stateDir: string): string {
  return join(stateDir, NOTE_FILE);
}

/** A note, or why there is none to go by. `absent`: no one has left one here. */
export type NoteFound =
  | { readonly kind: 'note'; readonly note: ServerNote }
  | { readonly kind: 'absent' | 'unusable'; readonly why: string };

/** A note that other users can write is not used: it could send commands to their server. */
export async function readNote(stateDir: string): Promise<NoteFound> {
  const file = noteFile(stateDir);
  try {
    const { uid, mode } = await stat(file);
    if (uid !== process.getuid?.()) return unusable(`${NOTE_FILE} belongs to another user`);
    if ((mode & WRITABLE_BY_OTHERS) !== 0) return unusable(`others may write ${NOTE_FILE}`);
    const note: unknown = JSON.parse(await readRegularText(file));
    return isNote(note) ? { kind: 'note', note } : unusable(`${NOTE_FILE} is of another program`);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return { kind: 'absent', why: `it has no ${NOTE_FILE}` };
    if (code === 'ENOTDIR') return { kind: 'absent', why: 'it is no folder' };
    return unusable(`${NOTE_FILE} cannot be read${code === null ? '' : ` (${code})`}`);
  }
}

function unusable(why: string): NoteFound {
  return { kind: 'unusable', why };
}

function isNote(value: unknown): value is ServerNote {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map(Object.entries(value));
  const inventories: unknown = members.get('inventories') ?? [];
  return (
    ['signingKey', 'accessPolicy'].every((name) => typeof (members.get(name) ?? '') === 'string') &&
    ['address', 'namespace', 'evidenceDir'].every(
      (name) => typeof members.get(name) === 'string',
    ) &&
    Array.isArray(inventories) &&
    inventories.every((path) => typeof path === 'string')
  );
}
