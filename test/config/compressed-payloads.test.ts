import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import {
  COMPRESSED_FROM_BYTES,
  COMPRESSED_PAYLOADS,
  LARGEST_PAYLOAD_BYTES,
} from '../../config/compressed-payloads.js';

async function encoded(value: unknown): Promise<Payload> {
  const [payload = {}] = await COMPRESSED_PAYLOADS.encode([
    defaultPayloadConverter.toPayload(value),
  ]);
  return payload;
}

async function decoded(payload: Payload): Promise<unknown> {
  const [plain = {}] = await COMPRESSED_PAYLOADS.decode([payload]);
  return defaultPayloadConverter.fromPayload(plain);
}

const encodingOf = ({ metadata }: Payload): string =>
  Buffer.from(metadata?.['encoding'] ?? []).toString();

/** Its last four bytes say this length. */
function claiming(zip: Buffer, length: number): Buffer {
  zip.writeUInt32LE(length, zip.length - 4);
  return zip;
}

/** With a bit turned in one byte. */
function withByte(bytes: Buffer, at: number): Buffer {
  const place = at < 0 ? bytes.length + at : at;
  return bytes.map((byte, index) => (index === place ? byte ^ 8 : byte)) as Buffer;
}

describe('payloads', () => {
  it('a small payload is left as it is, for people who read it in the web page of Temporal', async () => {
    const payload = await encoded({ small: 'x'.repeat(1000) });
    expect(encodingOf(payload)).toBe('json/plain');
    expect(await decoded(payload)).toEqual({ small: 'x'.repeat(1000) });
  });

  it('a large payload is compressed, and the same afterwards', async () => {
    const value = Array.from({ length: 20_000 }, (_, index) => `cluster-${index}`);
    const payload = await encoded(value);
    expect(encodingOf(payload)).toBe('binary/gzip');
    expect(payload.data?.length).toBeLessThan(COMPRESSED_FROM_BYTES / 2);
    expect(await decoded(payload)).toEqual(value);
  });

  it('nothing, and what another codec wrote, passes through', async () => {
    const foreign = { metadata: { encoding: Buffer.from('binary/gzip') }, data: Buffer.from('x') };
    expect(await COMPRESSED_PAYLOADS.decode([foreign, {}])).toEqual([foreign, {}]);
    expect(await COMPRESSED_PAYLOADS.encode([{}])).toEqual([{}]);
  });

  it.each([
    ['expands without end', gzipSync(Buffer.alloc(LARGEST_PAYLOAD_BYTES + 1))],
    ['holds more than it says', claiming(gzipSync(Buffer.alloc(100_000)), 1)],
    ['says that it holds more than any', claiming(gzipSync('whole'), 2 ** 32 - 1)],
    ['is no gzip', Buffer.from('nothing')],
    ['is empty', null],
    ['is torn', gzipSync('whole').subarray(0, -1)],
    ['has another checksum', withByte(gzipSync('whole'), -8)],
    ['has another length', withByte(gzipSync('whole'), -4)],
    ['has a name in its header', withByte(gzipSync('whole'), 3)],
    ['is followed by something', Buffer.concat([gzipSync('whole'), Buffer.from('more')])],
    [
      'is followed by its own end',
      Buffer.concat([gzipSync('whole'), gzipSync('whole').subarray(-8)]),
    ],
    ['is followed by zeros', Buffer.concat([gzipSync('whole'), Buffer.alloc(4)])],
    ['is followed by another one', Buffer.concat([gzipSync('wh'), gzipSync('ole')])],
    ['is followed by another one of nothing', Buffer.concat([gzipSync('whole'), gzipSync('')])],
  ])('a compressed payload that %s is refused', async (_, data) => {
    const { metadata } = await encoded('x'.repeat(COMPRESSED_FROM_BYTES));
    const payload = { metadata: metadata ?? null, data };
    await expect(COMPRESSED_PAYLOADS.decode([payload])).rejects.toThrow(/cannot be expanded/);
  });
});
