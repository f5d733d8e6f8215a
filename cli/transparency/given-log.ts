import type { AccessLog } from '../../domain/authority/access-policy.js';
import { readCheckpoint, type SignedCheckpoint } from '../../domain/transparency/checkpoint.js';
import type { ProvenLog } from '../../domain/transparency/judge-anchor.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../cli-error.js';
import { logEntries } from './anchor-log.js';
import { readStoredLog, rootText, type StoredLog } from './log-files.js';
import { type GivenStamps, givenStamps } from './given-stamps.js';
import { isNoteSigned } from './note-signature.js';
import { readRegularText } from '../../config/regular-file.js';

/** Which log an audit was given: what it proves, or why it proves nothing. */
export type GivenLog =
  | { readonly kind: 'read'; readonly log: ProvenLog; readonly stamps: GivenStamps }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * The log of `--log`, held against each checkpoint of `--checkpoint`, which its reader has kept elsewhere. Null where none is
 * given. @throws UsageError for a file that cannot be read
 */
export async function givenLog(
  { options }: Pick<Cli, 'options'>,
  logs: readonly AccessLog[],
): Promise<GivenLog | null> {
  const folder = options.text('log');
  const files = options.texts('checkpoint');
  if (folder === null) {
    if (files.length > 0) throw new UsageError('--checkpoint needs the --log that it is of');
    return null;
  }
  const kept = await Promise.all(files.map(keptCheckpoint));
  try {
    const stored = await readStoredLog(folder);
    const judged = judgeLog(stored, kept, logs);
    if (typeof judged === 'string') return refused(judged);
    const { trusted, outside } = judged;
    const entries = logEntries(folder, stored);
    const stamps = await givenStamps(folder, stored, trusted.timestamps);
    return { kind: 'read', log: { origin: trusted.origin, entries, outside }, stamps };
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
}

interface KeptCheckpoint {
  readonly file: string;
  readonly checkpoint: SignedCheckpoint;
}

async function keptCheckpoint(file: string): Promise<KeptCheckpoint> {
  const text = await readRegularText(file).catch(() => null);
  if (text === null) throw new UsageError(`--checkpoint ${file} cannot be read`);
  const checkpoint = readCheckpoint(text);
  if (checkpoint === null) throw new UsageError(`--checkpoint ${file} is no checkpoint of a log`);
  return { file, checkpoint };
}

interface TrustedLog {
  readonly trusted: AccessLog;
  /** How many of its entries are out of the operators' reach. */
  readonly outside: number;
}

/** Why it proves nothing, or how far it is trusted. */
function judgeLog(
  { checkpoint, levels }: StoredLog,
  kept: readonly KeptCheckpoint[],
  logs: readonly AccessLog[],
): TrustedLog | string {
  const { origin, size } = checkpoint;
  const trusted = logs.find((each) => each.origin === origin);
  if (trusted === undefined) return `the trust file names no log ${origin}`;
  if (!isSigned(checkpoint, trusted, { old: false })) {
    return `the checkpoint of log ${origin} is signed with no key of the trust file`;
  }
  const [fault] = kept.flatMap(({ file, checkpoint: old }) => {
    if (!isSigned(old, trusted, { old: true }))
      return [`${file} is no checkpoint of log ${origin}`];
    if (old.size > size)
      return [`${file} has ${String(old.size)} entries, the log ${String(size)}`];
    return rootText(levels, old.size) === old.root
      ? []
      : [
          `the first ${String(old.size)} entries of the log are not those of ${file}: it was rewritten`,
        ];
  });
  if (fault !== undefined) return fault;
  const keptSizes = kept.map((each) => each.checkpoint.size);
  return { trusted, outside: trusted.independent ? size : Math.max(0, ...keptSizes) };
}

/** A revoked key may have signed what was kept before it was revoked; whether it was, its keeper knows. */
function isSigned(
  checkpoint: SignedCheckpoint,
  { origin, keys }: AccessLog,
  { old }: { readonly old: boolean },
): boolean {
  const usable = keys.filter(({ revoked }) => old || !revoked);
  return checkpoint.origin === origin && usable.some(({ spki }) => isNoteSigned(checkpoint, spki));
}

function refused(why: string): GivenLog {
  return { kind: 'refused', why };
}
