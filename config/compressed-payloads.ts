import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { ValueError } from '@temporalio/common';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** Smaller ones stay readable in Temporal's own web page; no run of a cluster has one of this size. */
export const COMPRESSED_FROM_BYTES = 256 * 1024;

/** How many bytes a value takes in a payload. */
export function sentBytes(value: object): number {
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  return bytes < COMPRESSED_FROM_BYTES ? bytes : gzipSync(json).length;
}

/** Far above the largest fleet; what expands to more was not written by us. */
export const LARGEST_PAYLOAD_BYTES = 32 * 1024 * 1024;

const ENCODING = 'binary/gzip';
/** The encoding of what was compressed, since a payload has only one. */
const INNER = 'ccm-migrate-encoding';

/** Temporal takes at most 2 MiB in one payload: the state of thousands of clusters fits only when it is compressed. */
export const COMPRESSED_PAYLOADS: PayloadCodec = {
  encode: async (payloads) => Promise.all(payloads.map(compressed)),
  decode: async (payloads) => Promise.all(payloads.map(expanded)),
};

async function compressed(payload: Payload): Promise<Payload> {
  const { data, metadata } = payload;
  const inner = metadata?.['encoding'];
  if (!data || !inner || data.length < COMPRESSED_FROM_BYTES) return payload;
  return {
    metadata: { ...metadata, encoding: bytesOf(ENCODING), [INNER]: inner },
    data: await zip(data),
  };
}

/** @throws ValueError for a payload that expands to more than `LARGEST_PAYLOAD_BYTES`, or is no gzip. */
async function expanded(payload: Payload): Promise<Payload> {
  const { [INNER]: inner, encoding, ...metadata } = payload.metadata ?? {};
  if (!inner || !encoding || Buffer.from(encoding).toString() !== ENCODING) return payload;
  const data = await unzip(payload.data ?? new Uint8Array(), {
    maxOutputLength: LARGEST_PAYLOAD_BYTES,
  }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : 'unknown error';
    throw new ValueError(`a compressed payload cannot be expanded: ${why}`);
  });
  return { metadata: { ...metadata, encoding: inner }, data };
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}
