import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { newSigningKey, readSigningKey } from '../../config/access/signing-key-file.js';
import { isLogOrigin } from '../../domain/transparency/checkpoint.js';
import { type Cli, isText, printDocument } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { withLazyTemporal, withTemporal } from '../runs/connection.js';
import { reasonIn } from '../runs/server-refusal.js';
import { counted } from '../terminal/wording.js';
import { beginLog, openLog } from '../transparency/anchor-log.js';
import { type Anchored, type AnchorOrder, anchorOnce } from '../audit/anchor-once.js';
import { askTimestamp, timestampAddress } from '../transparency/ask-timestamp.js';
import { publishLog } from '../transparency/git-copy.js';
import { noteVerifierKey } from '../transparency/note-signature.js';
import { logStamper, type StampLog } from '../transparency/stamped-log.js';
import { serverCommand } from '../typed-command.js';

/** Authorities are asked by many, and a log needs no more. */
const STAMP_EVERY_MS = 600_000;

/** `audit anchor`: writes how far the history of each run has come into a log that who runs the server cannot rewrite. */
export async function auditAnchor(cli: Cli): Promise<ExitStatus> {
  const { options } = cli;
  const [folder, keyFile] = [required(cli, 'log'), required(cli, 'logKey')];
  const origin = options.text('init');
  if (origin !== null) return initLog(cli, { folder, keyFile, origin });
  const key = await readSigningKey(keyFile);
  // Before anything is asked of a server.
  await openLog(folder, key);
  const publish = options.flag('git')
    ? (message: string) => publishLog({ folder, env: cli.env }, message)
    : null;
  const anchoring = { folder, key, stamp: stamperOf(cli), publish };
  const everyMs = options.durationMs('every');
  if (everyMs === null) {
    const done = await withTemporal(cli, (client) => anchorOnce(client, anchoring));
    return reported(cli, done);
  }
  if (!isText(cli)) throw new UsageError('--every prints lines as it goes: leave -o out');
  // The next pass tries again: one that tried for long would not say that it is late.
  return withLazyTemporal(cli, (_, single) => anchorAlways(cli, single, { ...anchoring, everyMs }));
}

function stamperOf({ options }: Cli): StampLog | null {
  const written = options.text('timestamp');
  if (written === null) return null;
  const url = timestampAddress(written);
  const ask = (text: string) => askTimestamp(url, text);
  return logStamper({ ask, everyMs: STAMP_EVERY_MS, now: () => performance.now() });
}

function required({ options }: Cli, name: 'log' | 'logKey'): string {
  const value = options.text(name);
  if (value !== null) return value;
  throw new UsageError(
    name === 'log' ? '--log is required: the folder of the log' : '--log-key is required: its key',
  );
}

/** Until it is interrupted. A server that is away delays it, and what contradicts the log does not end it. */
async function anchorAlways(
  cli: Cli,
  client: Client,
  { everyMs, ...anchoring }: AnchorOrder & { readonly everyMs: number },
): Promise<ExitStatus> {
  let worst: ExitStatus = 'reached';
  while (!cli.signal.aborted) {
    try {
      const status = reported(cli, await anchorOnce(client, anchoring));
      if (status === 'checksFailed') worst = status;
    } catch (error) {
      cli.terminal.err(`${stamp()} delayed: ${reasonIn(error)}\n`);
    }
    await sleep(everyMs, undefined, { signal: cli.signal }).catch(() => undefined);
  }
  return worst;
}

function reported(cli: Cli, done: Anchored): ExitStatus {
  const { origin, size, added, contradictions, unreadable, unstamped, unpublished } = done;
  if (!isText(cli)) {
    printDocument(cli, 'AuditAnchor', {
      ...{ log: origin, size, added: [...added] },
      ...{
        contradictions: [...contradictions],
        unreadable: [...unreadable],
        unstamped,
        unpublished,
        checkpoint: done.checkpoint,
      },
    });
  } else {
    const lines = [
      `${stamp()} ${origin}: ${counted(size, 'entry')}, ${String(added.length)} new`,
      ...contradictions.map(
        (each) => `${cli.theme.mark('failed')} ${each}: the server shows another past`,
      ),
      ...unreadable.map((each) => `${cli.theme.mark('waiting')} not read: ${each}`),
      ...(unstamped === '' ? [] : [`${cli.theme.mark('waiting')} not stamped: ${unstamped}`]),
      ...(unpublished === '' ? [] : [`${cli.theme.mark('waiting')} not published: ${unpublished}`]),
    ];
    cli.terminal.out(`${lines.join('\n')}\n`);
  }
  if (contradictions.length > 0) return 'checksFailed';
  const isDone = unstamped === '' && unpublished === '' && unreadable.length === 0;
  return isDone ? 'reached' : 'inconclusive';
}

function stamp(): string {
  return new Date().toISOString();
}

interface FirstLog {
  readonly folder: string;
  readonly keyFile: string;
  readonly origin: string;
}

/** The key is made when it is missing; a log that exists is never begun again. */
async function initLog(cli: Cli, { folder, keyFile, origin }: FirstLog): Promise<ExitStatus> {
  if (!isLogOrigin(origin)) {
    throw new UsageError(`--init ${origin}: a name such as logs.example.com/ccm-migrate`);
  }
  if (!existsSync(keyFile)) {
    await writeFile(keyFile, newSigningKey().pem, { mode: 0o600, flag: 'wx' });
  }
  const key = await readSigningKey(keyFile);
  await beginLog(folder, origin, key);
  if (!isText(cli)) {
    const publicKey = key.publicKey;
    const verifierKey = noteVerifierKey(origin, key);
    printDocument(cli, 'AuditLog', { log: origin, folder, keyFile, publicKey, verifierKey });
    return 'reached';
  }
  cli.terminal.out(
    `${[
      `Log     ${folder}: ${origin}, no entries yet`,
      `Key     ${keyFile} (keep it away from servers and workers)`,
      `Public  ${noteVerifierKey(origin, key)}`,
      'Next: name it in the AccessPolicy that audits trust:',
      '  logs:',
      `    - origin: ${origin}`,
      `      keys: [{ed25519: ${key.publicKey}}]`,
      '      independent: true   # only if who runs servers and workers cannot write to it',
      `and keep it growing: ${serverCommand(['audit', 'anchor', '--log', folder, '--log-key', keyFile, '--every', '1m'], cli.options)}`,
    ].join('\n')}\n`,
  );
  return 'reached';
}
