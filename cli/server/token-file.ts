import { createHash, timingSafeEqual } from 'node:crypto';
import { readAutomationTokens } from '../../config/automation/automation-tokens.js';
import { unreadable } from '../../config/read-documents.js';
import { isLive, type AutomationToken } from '../../domain/automation/automation-token.js';
import { openRegular } from '../../config/regular-file.js';

/** The tokens as the file has them now. */
export interface TokenFile {
  /**
   * Reads the file again where it has changed. One that cannot be read, or is wrong, leaves what was read before, so that a slip
   * of the pen does not take the brake away; `problem` says so until it is right.
   */
  readonly now: () => Promise<readonly AutomationToken[]>;
  readonly problem: () => string | null;
}

/** @throws Error in plain words when it cannot be read, or is wrong, at the start */
export async function openTokenFile(path: string, clock: () => number): Promise<TokenFile> {
  const first = await readIfChanged(path, '', clock);
  if (first.kind !== 'read') throw new Error(`${path}: ${problemOf(first)}`);
  let { tokens, stamp } = first;
  let problem: string | null = null;
  return {
    problem: () => problem,
    now: async () => {
      const read = await readIfChanged(path, stamp, clock);
      if (read.kind === 'read') ({ tokens, stamp } = read);
      problem = read.kind === 'wrong' ? `${path}: ${read.problem}` : null;
      return tokens;
    },
  };
}

type Reading =
  | { readonly kind: 'read'; readonly tokens: readonly AutomationToken[]; readonly stamp: string }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'wrong'; readonly problem: string };

function problemOf(reading: Exclude<Reading, { kind: 'read' }>): string {
  return reading.kind === 'wrong' ? reading.problem : 'it cannot be read';
}

/** What others may do with it, and what the group may write: a digest is no secret, but who reads digests knows whom to ask. */
const FOR_OTHERS = 0o027;
const LARGEST_BYTES = 64 * 1024;

/** Opened once, so that what is checked is what is read. A link that is exchanged, as Kubernetes does it, is another file. */
async function readIfChanged(path: string, known: string, clock: () => number): Promise<Reading> {
  try {
    const file = await openRegular(path);
    try {
      const { ino, dev, size, mtimeMs, ctimeMs, mode } = await file.stat();
      const stamp = [dev, ino, size, mtimeMs, ctimeMs].join();
      if (stamp === known) return { kind: 'unchanged' };
      if ((mode & FOR_OTHERS) !== 0) return wrong(TOO_OPEN);
      if (size > LARGEST_BYTES) return wrong(`larger than ${LARGEST_BYTES / 1024} KiB`);
      const read = readAutomationTokens(await file.readFile('utf8'), clock());
      return read.kind === 'invalid'
        ? wrong(read.problems.join('; '))
        : { kind: 'read', tokens: read.tokens, stamp };
    } finally {
      await file.close();
    }
  } catch (error) {
    return wrong(unreadable(error));
  }
}

const TOO_OPEN = 'others may read it, or its group may write it: chmod 0640 or 0600';

function wrong(problem: string): Reading {
  return { kind: 'wrong', problem };
}

export type Authentication =
  | { readonly kind: 'known'; readonly token: AutomationToken }
  | { readonly kind: 'refused'; readonly reason: 'missing' | 'unknown' | 'expired' };

const BEARER = /^Bearer ([\w.~+/=-]{1,512})$/i;

/** Who calls. All tokens are compared in the same time, whether one matches or not. */
export function authenticate(
  header: string | undefined,
  tokens: readonly AutomationToken[],
  nowMs: number,
): Authentication {
  const given = BEARER.exec(header ?? '')?.[1];
  if (given === undefined) return { kind: 'refused', reason: 'missing' };
  const digest = createHash('sha256').update(given).digest();
  const matching = tokens.filter(({ sha256 }) =>
    timingSafeEqual(Buffer.from(sha256, 'hex'), digest),
  );
  const [token] = matching;
  if (token === undefined) return { kind: 'refused', reason: 'unknown' };
  return isLive(token, nowMs) ? { kind: 'known', token } : { kind: 'refused', reason: 'expired' };
}
