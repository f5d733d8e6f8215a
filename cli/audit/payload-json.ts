import type { Payload } from '@temporalio/common';
import { member } from '../read-json.js';

/** A payload of a history. @throws Error for bytes that are not written as Temporal writes them */
export function payloadOf(payload: unknown): Payload {
  const metadata = Object.entries(member(payload, 'metadata') ?? {});
  return {
    data: bytes(member(payload, 'data')),
    metadata: Object.fromEntries(metadata.map(([name, text]) => [name, bytes(text)])),
  };
}

/** A JSON history stores bytes as base64. @throws Error for another spelling of the same bytes. */
function bytes(text: unknown): Uint8Array {
  if (typeof text !== 'string') return new Uint8Array();
  const read = Buffer.from(text, 'base64');
  if (read.toString('base64') !== text) throw new Error('no base64');
  return read;
}

/** A payload as `historyToJSON` writes it. */
export function payloadJson({ metadata, data }: Payload = {}): object {
  const members = Object.entries(metadata ?? {});
  return {
    metadata: Object.fromEntries(members.map(([name, bytes]) => [name, base64(bytes)])),
    data: base64(data ?? new Uint8Array()),
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
