import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Environment } from './process-environment.js';
import { TEMPORAL_CLI_VERSION } from './temporal-release.js';

/** For platforms without a row here, and for mirrors that repack: the operator's own digest of one archive. */
const NAMED_BY = 'CCM_MIGRATE_TEMPORAL_CLI_SHA256';

/**
 * SHA-256 of the release's archives for {@link TEMPORAL_CLI_VERSION}, by platform and architecture as Node names them:
 * those of `checksums.txt` of github.com/temporalio/cli release v1.8.2, as independent projects pin them
 * (docs/adr/0009-temporal-dev-server.md).
 */
const DIGESTS: Readonly<Record<string, string>> = {
  'darwin-arm64': 'dacdc3587682c04cf27e67c8878ca2d755230b6ad63c0c6ebddd7348ae90ed94',
  'darwin-x64': '489d7f5420cae02b559774ac23df035141954c33a51dba96f5759a0ddccdf1b6',
  'linux-arm64': '83600a8fac6e3da54093e5da6918d399f501532b9f1172235603f9606f4ac6e4',
  'linux-x64': 'd8421bda989e6514b4bdb4d63a9012a8a05a806892e881a5aad8510496349a94',
};

/**
 * The digest that a downloaded archive must have before it is unpacked.
 * @throws Error where no digest is known: then nothing is downloaded.
 */
export function expectedDigest(
  env: Environment,
  platform: string = process.platform,
  arch: string = process.arch,
): string {
  const named = env[NAMED_BY] ?? '';
  const digest = named === '' ? DIGESTS[`${platform}-${arch}`] : named.toLowerCase();
  if (digest === undefined) {
    throw new Error(
      `no digest of the Temporal CLI ${TEMPORAL_CLI_VERSION} is known for ${platform} on ${arch}: set ${NAMED_BY} to the SHA-256 of its archive`,
    );
  }
  if (/^[0-9a-f]{64}$/.test(digest)) return digest;
  throw new Error(`${NAMED_BY} is not a SHA-256 in hexadecimal`);
}

/** @throws Error when the file has another digest. */
export async function requireDigest(path: string, expected: string, from: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const found = hash.digest('hex');
  if (found === expected) return;
  throw new Error(
    `the download from ${from} has SHA-256 ${found} instead of ${expected}: it is not used`,
  );
}
