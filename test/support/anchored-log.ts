import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyIdOf } from '../../config/access/public-keys.js';
import type { SigningKey } from '../../config/access/signing-key-file.js';
import { appendEntries, beginLog, openLog } from '../../cli/transparency/anchor-log.js';
import type { AccessLog } from '../../domain/authority/access-policy.js';
import { historyDigests } from '../../domain/transparency/history-digests.js';
import type { ExecutionEntry, LogEntry } from '../../domain/transparency/log-entry.js';

export const ORIGIN = 'logs.example.com/ccm-migrate';

/** PKCS #8 of an Ed25519 key before its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A key that is the same each time. */
export function logKey(seed = 'a key of a test'): SigningKey {
  const secret = createHash('sha256').update(seed).digest();
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, secret]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
  return { key, publicKey, keyId: keyIdOf(publicKey) };
}

/** What a trust file says of the log of this key. */
export function trustedLog(
  { keyId, publicKey: spki }: SigningKey,
  changes: Partial<AccessLog> & { readonly revoked?: boolean } = {},
): AccessLog {
  const { revoked = false, ...rest } = changes;
  const keys = [{ keyId, spki, revoked }];
  return { origin: ORIGIN, keys, independent: true, timestamps: null, ...rest };
}

/** What the log's keeper writes of the first execution of an export, when it had this many events; all unless given. */
export function entryOfExport(text: string, events = Infinity): ExecutionEntry {
  const { workflowId, runId, cluster, executions } = JSON.parse(text) as {
    readonly workflowId: string;
    readonly runId: string;
    readonly cluster: string;
    readonly executions: readonly [{ readonly history: { readonly events: readonly unknown[] } }];
  };
  const digests = historyDigests(executions[0].history.events);
  const read = Math.min(events, digests.length);
  return {
    ...{ kind: 'execution', at: '2026-11-27T02:00:00.000Z', workflowId, runId, cluster },
    ...{ firstRunId: runId, startedAt: '2026-11-27T01:00:00Z', ended: 'open' },
    ...{ events: read, history: digests[read - 1] ?? '' },
  };
}

/** A log in a folder, as its keeper writes it; each list of entries is one pass. Returns its checkpoints, written to files. */
export async function writtenLog(
  folder: string,
  passes: readonly (readonly LogEntry[])[],
  { key = logKey(), origin = ORIGIN } = {},
): Promise<readonly string[]> {
  await beginLog(folder, origin, key);
  const files: string[] = [];
  for (const [index, added] of passes.entries()) {
    const note = await appendedTo(folder, added, key);
    const file = join(folder, `kept-${String(index)}`);
    await writeFile(file, note);
    files.push(file);
  }
  return files;
}

/** Another pass of it. Returns its checkpoint. */
export async function appendedTo(
  folder: string,
  added: readonly LogEntry[],
  key = logKey(),
): Promise<string> {
  return (await appendEntries(folder, await openLog(folder, key), added, key)).note;
}
