import { promisify } from 'node:util';
import { crc32, gzip, gzipSync, inflateRaw, type InputType, type ZlibOptions } from 'node:zlib';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { ValueError } from '@temporalio/common';

const zip = promisify(gzip);

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

/** Of a payload that is compressed. */
export const COMPRESSED_ENCODING = 'binary/gzip';
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
    metadata: { ...metadata, encoding: bytesOf(COMPRESSED_ENCODING), [INNER]: inner },
    data: await zip(data),
  };
}

/** @throws ValueError for a payload that expands to more than `LARGEST_PAYLOAD_BYTES`, or is not one gzip as we write it. */
async function expanded(payload: Payload): Promise<Payload> {
  const { [INNER]: inner, encoding, ...metadata } = payload.metadata ?? {};
  if (!inner || !encoding || Buffer.from(encoding).toString() !== COMPRESSED_ENCODING)
    return payload;
  const data = await unzipped(payload.data ?? new Uint8Array()).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : 'unknown error';
    throw new ValueError(`a compressed payload cannot be expanded: ${why}`);
  });
  return { metadata: { ...metadata, encoding: inner }, data };
}

/** Magic number, deflate, and none of the fields that may stand before the data. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0]);
const HEADER_BYTES = 10;
/** Checksum and length. */
const TRAILER_BYTES = 8;

/**
 * What one gzip member holds (RFC 1952). `gunzip` would take several, and pass over what follows them: the same bytes could
 * then be read in two ways.
 */
async function unzipped(given: Uint8Array): Promise<Uint8Array> {
  const zipped = Buffer.from(given);
  const end = zipped.length - TRAILER_BYTES;
  if (end < HEADER_BYTES || !zipped.subarray(0, HEADER.length).equals(HEADER))
    throw new Error('it is not gzip as this tool writes it');
  const claimed = zipped.readUInt32LE(end + 4);
  if (claimed > LARGEST_PAYLOAD_BYTES) throw new Error('it is larger than any of this tool');
  const { data, taken } = await inflated(zipped.subarray(HEADER_BYTES), claimed);
  const isWhole =
    HEADER_BYTES + taken === end &&
    crc32(data) === zipped.readUInt32LE(end) &&
    data.length === claimed;
  if (!isWhole) throw new Error('it is torn, or something follows it');
  return data;
}

interface Inflated {
  readonly data: Buffer;
  /** How many bytes the data took. */
  readonly taken: number;
}

/** No further than the payload says, so that who adds up what payloads say knows what they cost. */
function inflated(raw: InputType, claimed: number): Promise<Inflated> {
  const options: ZlibOptions = { maxOutputLength: Math.max(1, claimed), info: true };
  return new Promise((resolve, reject) => {
    inflateRaw(raw, options, (error, result) => {
      if (error !== null) {
        reject(error);
        return;
      }
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- what `info` makes of the result is not in its type: https://nodejs.org/api/zlib.html#class-options
      const { buffer, engine } = result as unknown as InfoResult;
      resolve({ data: buffer, taken: engine.bytesWritten });
    });
  });
}

interface InfoResult {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}
