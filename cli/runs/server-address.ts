import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cli } from '../cli.js';

/** Where runs live, and by which of the possible words we know it. */
export interface ServerAddress {
  readonly address: string;
  readonly namespace: string;
  readonly source: string;
  /** Nobody named it: it is of a `dev` in the current folder. Credentials are not for it. */
  readonly found: boolean;
}

/** What `dev` and `demo` leave in their folder for commands that are typed beside them. */
export interface ServerNote {
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | null;
  readonly evidenceDir: string;
  /** Files that its workers serve; absent in notes of older versions. */
  readonly inventories?: readonly string[];
}

const DEFAULT_STATE_DIR = '.ccm-migrate';
const NOTE_FILE = 'server.json';
const WRITABLE_BY_OTHERS = 0o022;

export function noteFile(stateDir: string): string {
  return join(stateDir, NOTE_FILE);
}

/** Flags, then CCM_MIGRATE_*, then TEMPORAL_*, then what `dev` noted, then Temporal's own default. */
export async function serverAddress({ options, env }: Cli): Promise<ServerAddress> {
  const stateDir = stateDirOf({ options, env });
  const note = await readNote(stateDir);
  const noteHere = noteFile(stateDir);
  const isNamed = stateDir !== DEFAULT_STATE_DIR;
  const address = firstOf([
    [options.text('address'), '--address'],
    [env['CCM_MIGRATE_ADDRESS'], 'CCM_MIGRATE_ADDRESS'],
    // A folder that was named is meant; one that merely lies here gives way to the environment.
    [options.text('stateDir') === null ? null : note?.address, '--state-dir'],
    [env['TEMPORAL_ADDRESS'], 'TEMPORAL_ADDRESS'],
    [note?.address, noteHere],
    ['127.0.0.1:7233', 'default'],
  ]);
  const namespace = firstOf([
    [options.text('namespace'), '--namespace'],
    [env['CCM_MIGRATE_NAMESPACE'], 'CCM_MIGRATE_NAMESPACE'],
    [env['TEMPORAL_NAMESPACE'], 'TEMPORAL_NAMESPACE'],
    [note?.namespace, 'note'],
    ['default', 'default'],
  ]);
  return {
    ...{ address: address.value, namespace: namespace.value, source: address.source },
    found: !isNamed && address.source === noteHere,
  };
}

export function stateDirOf({ options, env }: Pick<Cli, 'options' | 'env'>): string {
  return options.text('stateDir') ?? env['CCM_MIGRATE_STATE_DIR'] ?? DEFAULT_STATE_DIR;
}

/**
 * Where a worker beside these commands keeps its evidence: with the evidence of `dev` or `demo`, if the folder is
 * theirs, so that a chain goes on where it was; else in the folder itself. Null when nobody named a folder.
 */
export async function evidenceFolder(cli: Pick<Cli, 'options' | 'env'>): Promise<string | null> {
  const folder = cli.options.text('stateDir') ?? cli.env['CCM_MIGRATE_STATE_DIR'] ?? null;
  const note = await readNote(stateDirOf(cli));
  return note?.evidenceDir ?? folder;
}

/** Where a command beside workers finds how clusters are reached: `-f`, the workers' variable, or what `dev` noted. */
export async function inventoryPaths(
  cli: Pick<Cli, 'options' | 'env'>,
): Promise<readonly string[]> {
  const files = cli.options.texts('file');
  if (files.length > 0) return files;
  const fromEnvironment = cli.env['CCM_MIGRATE_INVENTORY'];
  if (fromEnvironment !== undefined && fromEnvironment !== '') return [fromEnvironment];
  return (await readNote(stateDirOf(cli)))?.inventories ?? [];
}

/**
 * Null when there is no readable note: then nobody runs `dev` with this folder. One that others may have written is none:
 * it would send commands to a server of theirs.
 */
async function readNote(stateDir: string): Promise<ServerNote | null> {
  try {
    const { uid, mode } = await stat(noteFile(stateDir));
    if (uid !== process.getuid?.() || (mode & WRITABLE_BY_OTHERS) !== 0) return null;
    const note: unknown = JSON.parse(await readFile(noteFile(stateDir), 'utf8'));
    return isNote(note) ? note : null;
  } catch {
    return null;
  }
}

function isNote(value: unknown): value is ServerNote {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map(Object.entries(value));
  const inventories: unknown = members.get('inventories') ?? [];
  return (
    ['address', 'namespace', 'evidenceDir'].every(
      (name) => typeof members.get(name) === 'string',
    ) &&
    Array.isArray(inventories) &&
    inventories.every((path) => typeof path === 'string')
  );
}

function firstOf(candidates: readonly (readonly [string | null | undefined, string])[]): {
  readonly value: string;
  readonly source: string;
} {
  for (const [value, source] of candidates) {
    if (typeof value === 'string' && value !== '') return { value, source };
  }
  return { value: '', source: 'none' };
}
