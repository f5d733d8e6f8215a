import { createWriteStream } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expectedDigest, requireDigest } from './archive-digest.js';
import { runProgram } from './run-program.js';
import type { Environment } from './process-environment.js';
import { TEMPORAL_CLI_VERSION, type Report } from './temporal-release.js';

/**
 * The service that Temporal's SDKs download their dev server from. Source: sdk-core
 * crates/sdk-core/src/ephemeral_server/mod.rs: `GET /cli/<version>?arch&platform&format` answers
 * `{archiveUrl, fileToExtract}`.
 */
export const DOWNLOAD_SERVICE = 'https://temporal.download';

const INFO_WITHIN_MS = 5_000;
const ARCHIVE_WITHIN_MS = 300_000;

interface Archive {
  readonly url: string;
  readonly file: string;
}

/**
 * Downloads the CLI to `destination` if its archive has the known digest; no other archive is unpacked. Rejects within
 * milliseconds without a network, within 5 s when the network is silent.
 */
export async function downloadCli(input: {
  readonly service: string;
  readonly destination: string;
  readonly env: Environment;
  readonly report: Report;
}): Promise<void> {
  const expected = expectedDigest(input.env);
  const archive = await archiveFor(input.service);
  const folder = await mkdtemp(join(dirname(input.destination), 'download-'));
  try {
    const packed = join(folder, 'archive.tar.gz');
    input.report(`downloading the Temporal CLI ${TEMPORAL_CLI_VERSION} from ${archive.url}`);
    await fetchToFile(archive.url, packed);
    await requireDigest(packed, expected, archive.url);
    const args = ['-xzf', packed, '-C', folder, archive.file];
    const unpacked = await runProgram('tar', args, { env: input.env });
    if (unpacked.code !== 0) throw new Error(`cannot unpack ${archive.url}: ${unpacked.stderr}`);
    await rename(join(folder, archive.file), input.destination);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function archiveFor(service: string): Promise<Archive> {
  const url = new URL(`/cli/v${TEMPORAL_CLI_VERSION}`, service);
  url.searchParams.set('arch', process.arch === 'x64' ? 'amd64' : process.arch);
  url.searchParams.set('platform', process.platform);
  url.searchParams.set('format', 'tar.gz');
  const answer = await fetch(url, { signal: AbortSignal.timeout(INFO_WITHIN_MS) });
  if (!answer.ok) throw new Error(`${url.origin} answered ${answer.status}`);
  return readArchive(await answer.json(), url);
}

/** The response names an address and a file: the address may only be a download, the file only one in our folder. */
function readArchive(answer: unknown, asked: URL): Archive {
  if (typeof answer !== 'object' || answer === null)
    throw new Error('the response is not a JSON object');
  const archiveUrl = 'archiveUrl' in answer ? answer.archiveUrl : undefined;
  const fileToExtract = 'fileToExtract' in answer ? answer.fileToExtract : undefined;
  if (typeof archiveUrl !== 'string' || typeof fileToExtract !== 'string') {
    throw new Error('the response names no archive');
  }
  if (new URL(archiveUrl).protocol !== asked.protocol) {
    throw new Error(`refusing to download from ${archiveUrl}: not ${asked.protocol}`);
  }
  if (!/^\w[\w.-]*$/.test(fileToExtract)) throw new Error(`strange file name ${fileToExtract}`);
  return { url: archiveUrl, file: fileToExtract };
}

async function fetchToFile(url: string, path: string): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(ARCHIVE_WITHIN_MS) });
  if (!answer.ok || answer.body === null) throw new Error(`${url} answered ${answer.status}`);
  await pipeline(Readable.fromWeb(answer.body), createWriteStream(path));
}
