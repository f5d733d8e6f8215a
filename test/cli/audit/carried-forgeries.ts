import { gzipSync } from 'node:zlib';
import { JSON_PLAIN } from './written-run.js';

type Members = { [name: string]: unknown };

interface Payload {
  readonly metadata: object;
  readonly data: string;
}

const base64 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('base64');
const plain = (text: string): Payload => ({ metadata: JSON_PLAIN, data: base64(text) });
const zipped = (bytes: Uint8Array): Payload => ({
  metadata: { encoding: base64('binary/gzip'), 'ccm-migrate-encoding': base64('json/plain') },
  data: base64(bytes),
});

/** As JSON of an object that no worker signed. */
function unsigned(result: unknown): string {
  const { signature: _, ...rest } = result as Members;
  return JSON.stringify(rest);
}

/**
 * Ways to carry what an activity returned otherwise than a worker writes it. Each says something else than what was signed, or
 * says it in another form.
 */
const CARRIED_OTHERWISE: Readonly<Record<string, (result: unknown) => readonly Payload[]>> = {
  'after a space': (result) => [plain(` ${unsigned(result)}`)],
  'after a newline': (result) => [plain(`\n${unsigned(result)}`)],
  'after a tab': (result) => [plain(`\t${unsigned(result)}`)],
  'after a byte order mark': (result) => [plain(`\ufeff${unsigned(result)}`)],
  'signed, after a space': (result) => [plain(` ${JSON.stringify(result)}`)],
  'as a list': () => [plain('[]')],
  'in a list': (result) => [plain(`[${JSON.stringify(result)}]`)],
  'as the word null': () => [plain('null')],
  'as a text': () => [plain('"x"')],
  'as no text': () => [plain('')],
  'as nothing': () => [{ metadata: { encoding: base64('binary/null') }, data: '' }],
  'without a payload': () => [],
  'before another payload': (result) => [plain(JSON.stringify(result)), plain('{}')],
  'after another payload': (result) => [plain('[]'), plain(JSON.stringify(result))],
  'compressed, with bytes after it': (result) => [
    zipped(Buffer.concat([gzipSync(JSON.stringify(result)), Buffer.from('more')])),
  ],
  'compressed, with its end twice': (result) => {
    const zip = gzipSync(JSON.stringify(result));
    return [zipped(Buffer.concat([zip, zip.subarray(-8)]))];
  },
  'compressed in two members': (result) => [
    zipped(Buffer.concat([gzipSync(JSON.stringify(result)), gzipSync('  ')])),
  ],
};

export const CARRIED_NAMES = Object.keys(CARRIED_OTHERWISE);

/** Payloads of a history that carry a result in one of these ways. */
export function carried(how: string, result: unknown): object {
  return { payloads: CARRIED_OTHERWISE[how]?.(result) ?? [] };
}
