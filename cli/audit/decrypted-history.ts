import type { PayloadCodec } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { isEncrypted } from '../../config/encrypted-payloads.js';
import { payloadJson, payloadOf } from './payload-json.js';

/**
 * A history (as JSON) with each encrypted payload as what is in it; all others stay byte for byte. Exports and logs are of
 * what was said: they outlive the keys. @throws ValueError where a key is missing
 */
export async function decryptedHistory(
  value: unknown,
  codecs: readonly PayloadCodec[],
): Promise<unknown> {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return Promise.all(items.map((item) => decryptedHistory(item, codecs)));
  }
  if (typeof value !== 'object' || value === null) return value;
  if ('metadata' in value && 'data' in value) {
    const payload = payloadOf(value);
    if (isEncrypted(payload)) return payloadJson((await decode([...codecs], [payload]))[0]);
  }
  const members = Object.entries(value).map(
    async ([name, member]) => [name, await decryptedHistory(member, codecs)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}
