import { once } from 'node:events';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { dataConverterWith } from '../../config/data-converter.js';
import { isLoopback } from '../../config/host-port.js';
import { readPayloadKeys } from '../../config/payload-keys.js';
import { type Cli, isText } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { serveCodec } from '../server/codec-server.js';
import { listenPlace } from '../server/listen-place.js';
import { readRegularText } from '../../config/regular-file.js';

/** `codec`: decrypts what Temporal's web page shows, until it is stopped. */
export async function codec(cli: Cli): Promise<ExitStatus> {
  const place = await listenPlace(cli);
  const file = cli.options.text('payloadKeys') ?? cli.env['CCM_MIGRATE_PAYLOAD_KEYS'] ?? '';
  if (file === '') {
    throw new UsageError('--payload-keys is required: the file that the workers encrypt with');
  }
  const keys = await readPayloadKeys(file).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
  const { payloadCodecs } = loadDataConverter(dataConverterWith(keys));
  const token = await tokenOf(cli);
  if (token === null && !isLoopback(place.host)) {
    throw new UsageError(
      `--listen ${place.host} is not on this machine alone: give --token-file, which the web page must send`,
    );
  }
  const uiOrigin = originOf(cli);
  const served = await serveCodec(place, { codecs: payloadCodecs, uiOrigin, token });
  const url = `${place.tls === null ? 'http' : 'https'}://${served.address}`;
  cli.terminal.out(
    isText(cli)
      ? `${cli.theme.mark('ok')} decrypts at ${url} for ${uiOrigin}: name it as codec server in the settings of the web page\n`
      : `${JSON.stringify({ type: 'ready', pid: process.pid, url })}\n`,
  );
  if (!cli.signal.aborted) await once(cli.signal, 'abort');
  await served.close();
  return 'reached';
}

const SHORTEST_TOKEN = 20;

async function tokenOf({ options }: Cli): Promise<string | null> {
  const path = options.text('tokenFile');
  if (path === null) return null;
  const text = await readRegularText(path).catch(() => {
    throw new UsageError(`--token-file ${path} cannot be read`);
  });
  const token = text.trim();
  if (token.length >= SHORTEST_TOKEN && !/\s/.test(token)) return token;
  throw new UsageError(
    `--token-file ${path}: one word of at least ${String(SHORTEST_TOKEN)} characters, such as \`openssl rand -hex 32\` writes`,
  );
}

/** Browsers compare it letter by letter. */
function originOf({ options }: Cli): string {
  const written = options.text('uiOrigin') ?? '';
  const read = URL.canParse(written) ? new URL(written).origin : '';
  if (read === written && /^https?:/.test(read)) return read;
  throw new UsageError(`--ui-origin ${written}: an origin such as https://temporal.example.com`);
}
