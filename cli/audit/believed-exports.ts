import { codeDigest } from '../../config/build-id.js';
import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import type { Cli } from '../cli.js';
import type { GivenLog } from '../transparency/given-log.js';
import type { ReadFleetExport } from './fleet/fleets-on-record.js';
import { type RefusedExport, shownReason } from './folder-exports.js';
import { foundExports, foundFleetExports } from './given-exports.js';
import { verifyAnyExport } from './proven-export.js';
import type { ReadExport } from './runs-on-record.js';

/** What is to be believed: both null where it is not given. */
export interface Trusted {
  readonly trust: AccessPolicy | null;
  readonly log: GivenLog | null;
}

/** The exports that stand for a run, and the files that do not. */
export interface BelievedExports {
  readonly runs: readonly ReadExport[];
  readonly fleets: readonly ReadFleetExport[];
  readonly refused: readonly RefusedExport[];
}

/** Reads the exports that the command line names. With `--trust` one counts only if it proves itself. */
export async function believedExports(
  cli: Pick<Cli, 'options' | 'env'>,
  trusted: Trusted,
): Promise<BelievedExports> {
  const [ofRuns, ofFleets] = [await foundExports(cli), await foundFleetExports(cli)];
  const files = [
    ...ofRuns.exports.map(({ run, text }) => ({ file: run.file, text })),
    ...ofFleets.exports.map(({ fleet, text }) => ({ file: fleet.file, text })),
  ];
  const unproven = await unprovenExports(cli, files, trusted);
  const doubted = new Set(unproven.map(({ file }) => file));
  const unread = [...ofRuns.refused, ...ofFleets.refused];
  const isBelieved = (given: RefusedExport['file']): boolean => !doubted.has(given);
  return {
    runs: ofRuns.exports.filter(({ run }) => isBelieved(run.file)),
    fleets: ofFleets.exports.filter(({ fleet }) => isBelieved(fleet.file)),
    refused: [...unread.map(({ file, why }) => ({ file, why: `format: ${why}` })), ...unproven],
  };
}

async function unprovenExports(
  { options }: Pick<Cli, 'options'>,
  files: readonly { readonly file: string; readonly text: string }[],
  { trust, log }: Trusted,
): Promise<readonly RefusedExport[]> {
  if (trust === null) return [];
  const allowed = options.texts('allow');
  const ownCode = await codeDigest();
  const refused: RefusedExport[] = [];
  for (const { file, text } of files) {
    const why = await verifyAnyExport(text, { trust, log, ownCode }).then(
      ({ checks }) =>
        checks.find(
          ({ check, result }) =>
            result === 'fail' || (result === 'unproven' && !allowed.includes(check)),
        ),
      // Whatever an export does to a check, the others are judged.
      (error: unknown) => ({
        check: 'format',
        detail: `it cannot be judged: ${shownReason(error)}`,
      }),
    );
    if (why !== undefined) refused.push({ file, why: `${why.check}: ${why.detail}` });
  }
  return refused;
}
