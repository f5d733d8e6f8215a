import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { isPayloadKeyId, newPayloadKeyLine, readPayloadKeys } from '../../config/payload-keys.js';
import { type Cli, isText, printDocument } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { readRegularText } from '../../config/regular-file.js';
import { typedCommand } from '../typed-command.js';

/**
 * `access payload-key`: a new key, last in its file, where it only decrypts until all have it; `--use` puts it first, where it
 * encrypts. None is ever removed: histories that were encrypted with it are read for as long as they are kept.
 */
export async function payloadKey(cli: Cli): Promise<ExitStatus> {
  const [file = ''] = cli.arguments;
  const before = await keysIn(file);
  const use = cli.options.text('use');
  const id = use ?? cli.options.text('id') ?? `k-${new Date().toISOString().slice(0, 10)}`;
  await replace(file, use === null ? withNew(file, before, id) : withFirst(file, before, id));
  const ids = [...new Set(use === null ? [...before.ids, id] : [id, ...before.ids])];
  if (!isText(cli)) {
    printDocument(cli, 'PayloadKeyFile', { file, id, current: ids[0] ?? '', keys: ids });
    return 'reached';
  }
  cli.terminal.out(`${[`Key     ${id} in ${file}`, `Next: ${next(file, id, ids)}`].join('\n')}\n`);
  return 'reached';
}

function next(file: string, id: string, [current, ...older]: readonly string[]): string {
  if (current !== id) {
    return `give this file to all workers and all who send commands, and restart the workers; then ${typedCommand(['access', 'payload-key', file, '--use', id])}`;
  }
  return older.length === 0
    ? 'give the file to all workers and all who send commands: CCM_MIGRATE_PAYLOAD_KEYS'
    : `give this file to all of them, too: it encrypts with ${id} now`;
}

interface KeysBefore {
  /** As written; empty where there is no file yet. */
  readonly text: string;
  readonly ids: readonly string[];
}

async function keysIn(file: string): Promise<KeysBefore> {
  if (!existsSync(file)) return { text: '', ids: [] };
  const { byId } = await readPayloadKeys(file).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
  const text = await readRegularText(file);
  return { text: text.endsWith('\n') ? text : `${text}\n`, ids: [...byId.keys()] };
}

function withNew(file: string, { text, ids }: KeysBefore, id: string): string {
  if (!isPayloadKeyId(id)) throw new UsageError(`--id ${id}: letters, digits and . _ -`);
  if (ids.includes(id)) {
    throw new UsageError(`${file} has a key ${id} already: name another one with --id`);
  }
  return `${text}${newPayloadKeyLine(id)}`;
}

function withFirst(file: string, { text, ids }: KeysBefore, id: string): string {
  if (!ids.includes(id)) throw new UsageError(`--use ${id}: ${file} has ${ids.join(', ')}`);
  const lines = text.split('\n');
  const isOwn = (line: string): boolean => line.startsWith(`${id} `);
  return [...lines.filter(isOwn), ...lines.filter((line) => !isOwn(line))].join('\n');
}

/** As a whole or not at all, after a crash too: what was encrypted with a lost key is lost. */
async function replace(file: string, text: string): Promise<void> {
  const unfinished = `${file}.new`;
  await writeFile(unfinished, text, { mode: 0o600, flag: 'wx', flush: true });
  await rename(unfinished, file);
}
