import { describe, expect, it } from '@jest/globals';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import {
  loadDataConverter,
  decode,
  encode,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER, dataConverterWith } from '../../config/data-converter.js';
import { encryptedPayloads, isEncrypted } from '../../config/encrypted-payloads.js';
import { payloadKeys } from '../support/payload-keys.js';

const CANARY = 'canary-7f3a';
const plain = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const valueOf = (payload: Payload): unknown => defaultPayloadConverter.fromPayload(payload);

async function one(act: PayloadCodec['encode'], payload: Payload): Promise<Payload> {
  const [done = {}] = await act([payload]);
  return done;
}

function bytesOf(payload: Payload): Buffer {
  const parts = [payload.data, ...Object.values(payload.metadata ?? {})];
  return Buffer.concat(parts.map((part) => Buffer.from(part ?? [])));
}

describe('encrypted payloads', () => {
  const { encode: hide, decode: reveal } = encryptedPayloads(payloadKeys('k-2'));

  it.each<[string, unknown]>([
    ['an object', { secret: CANARY }],
    ['nothing', undefined],
    ['null', null],
    ['bytes', Buffer.from(CANARY)],
    ['an empty text', ''],
  ])('hide %s, and are the same afterwards', async (_what, value) => {
    const hidden = await one(hide, plain(value));
    expect(isEncrypted(hidden)).toBe(true);
    expect(bytesOf(hidden).includes(CANARY)).toBe(false);
    expect(bytesOf(hidden).includes('json')).toBe(false);
    expect(valueOf(await one(reveal, hidden))).toEqual(value);
  });

  it('are never the same twice', async () => {
    const [first, second] = await hide([plain(CANARY), plain(CANARY)]);
    expect(first?.data).not.toEqual(second?.data);
    const nonce = (payload?: Payload) => Buffer.from(payload?.data ?? []).subarray(0, 12);
    expect(nonce(first)).not.toEqual(nonce(second));
  });

  it('leave what is not encrypted: histories of before go on', async () => {
    const before = plain({ old: true });
    expect(await one(reveal, before)).toBe(before);
  });

  it('are read with an older key, and written with the newest', async () => {
    const old = await one(encryptedPayloads(payloadKeys('k-1')).encode, plain(CANARY));
    const { encode: write, decode: read } = encryptedPayloads(payloadKeys('k-2', 'k-1'));
    expect(valueOf(await one(read, old))).toBe(CANARY);
    expect(bytesOf(await one(write, plain(CANARY))).includes('k-2')).toBe(true);
  });

  it.each<[string, (payload: Payload) => Payload]>([
    ['changed', (hidden) => flipped(hidden, 20)],
    ['under another nonce', (hidden) => flipped(hidden, 0)],
    ['cut off', (hidden) => ({ ...hidden, data: Buffer.from(hidden.data ?? []).subarray(0, -1) })],
    ['too short for a nonce', (hidden) => ({ ...hidden, data: Buffer.from('short') })],
    ['empty', ({ metadata = null }) => ({ metadata })],
  ])('are refused when they are %s', async (_how, change) => {
    const hidden = await one(hide, plain({ amount: 1 }));
    await expect(one(reveal, change(hidden))).rejects.toThrow('was not encrypted with it');
  });

  it('are refused without their key, by its id', async () => {
    const hidden = await one(encryptedPayloads(payloadKeys('k-9')).encode, plain(CANARY));
    await expect(one(reveal, hidden)).rejects.toThrow(
      '"k-9", which is not in CCM_MIGRATE_PAYLOAD_',
    );
    const { payloadCodecs } = loadDataConverter(DATA_CONVERTER);
    await expect(decode(payloadCodecs, [hidden])).rejects.toThrow('"k-9"');
  });

  it('of another key with the same id are refused', async () => {
    const hidden = await one(hide, plain(CANARY));
    const { current } = payloadKeys('other');
    const keys = { current, byId: new Map([['k-2', { ...current, id: 'k-2' }]]) };
    await expect(one(encryptedPayloads(keys).decode, hidden)).rejects.toThrow('not encrypted with');
  });

  it('are compressed before, where they are large', async () => {
    const { payloadCodecs } = loadDataConverter(dataConverterWith(payloadKeys('k-2')));
    const large = plain('x'.repeat(1024 * 1024));
    const [hidden] = await encode(payloadCodecs, [large]);
    if (hidden === undefined) throw new Error('no payload');
    expect(isEncrypted(hidden)).toBe(true);
    expect(hidden.data?.length).toBeLessThan(10_000);
    const [revealed] = await decode(payloadCodecs, [hidden]);
    expect(valueOf(revealed ?? {})).toBe('x'.repeat(1024 * 1024));
  });
});

/** With one bit of one byte changed. */
function flipped({ metadata = null, data }: Payload, at: number): Payload {
  const copy = Buffer.from(data ?? []);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return { metadata, data: copy };
}
