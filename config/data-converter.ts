import type { DataConverter } from '@temporalio/common';
import { COMPRESSED_PAYLOADS } from './compressed-payloads.js';
import { encryptedPayloads, REFUSED_PAYLOADS } from './encrypted-payloads.js';
import { type PayloadKeys, readPayloadKeys } from './payload-keys.js';

/**
 * How inputs, results and messages are written into histories: Temporal's plain JSON, compressed where it is large, and encrypted
 * where there are keys. Workers and commands use the same one.
 */
export function dataConverterWith(keys: PayloadKeys | null): DataConverter {
  const encryption = keys === null ? REFUSED_PAYLOADS : encryptedPayloads(keys);
  return { payloadCodecs: [COMPRESSED_PAYLOADS, encryption] };
}

/** The one without keys: of exports, which are decrypted, and of servers whose histories are not encrypted. */
export const DATA_CONVERTER: DataConverter = dataConverterWith(null);

/** With the keys of a file (CCM_MIGRATE_PAYLOAD_KEYS); none where the path is empty. @throws Error in plain words */
export async function readDataConverter(path: string): Promise<DataConverter> {
  return path === '' ? DATA_CONVERTER : dataConverterWith(await readPayloadKeys(path));
}
