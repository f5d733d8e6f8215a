import { createHash, createSecretKey } from 'node:crypto';
import type { PayloadKey, PayloadKeys } from '../../config/payload-keys.js';

/** Keys with these ids, newest first; the same each time. */
export function payloadKeys(newest: string, ...older: readonly string[]): PayloadKeys {
  const current = keyOf(newest);
  const all = [current, ...older.map(keyOf)];
  return { current, byId: new Map(all.map((each) => [each.id, each])) };
}

function keyOf(id: string): PayloadKey {
  return { id, key: createSecretKey(createHash('sha256').update(id).digest()) };
}
