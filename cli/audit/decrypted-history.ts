import type { Payload, PayloadCodec } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { isEncrypted } from '../../config/encrypted-payloads.js';
import { member, parseJson } from '../read-json.js';
import { payloadJson, payloadOf } from './payload-json.js';

/**
 * A history (as JSON) with what is in each encrypted payload; all others stay byte for byte. Exports and logs are of what was
 * said: they outlive the keys. `mostBytes`: of what was encrypted, which may be compressed within. @throws ValueError where a key
 * is missing, Error where it holds more
 */
export async function decryptedHistory(
  history: unknown,
  codecs: readonly PayloadCodec[],
  mostBytes: number,
): Promise<unknown> {
  let bytes = 0;
  return withDecrypted(history, async (payload) => {
    const [plain] = await decode([...codecs], [payload]);
    bytes += plain?.data?.length ?? 0;
    if (bytes > mostBytes) throw new Error('what is encrypted in it is more than is read');
    return plain ?? {};
  });
}

/** One payload after the other: a few that are compressed may be more than fits into memory. */
async function withDecrypted(
  value: unknown,
  decrypt: (payload: Payload) => Promise<Payload>,
): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await withDecrypted(item, decrypt));
    return items;
  }
  if ('metadata' in value && 'data' in value) {
    const payload = payloadOf(value);
    if (isEncrypted(payload)) return payloadJson(await decrypt(payload));
  }
  const members: (readonly [string, unknown])[] = [];
  for (const [name, each] of Object.entries(value)) {
    members.push([name, await withDecrypted(each, decrypt)]);
  }
  return withItsText(Object.fromEntries(members), value);
}

/** A failure whose text was encrypted has it where it stands otherwise: verifiers and logs read it there. */
function withItsText(decrypted: object, carried: object): object {
  const attributes = member(carried, 'encodedAttributes');
  // No other object has both: members of a memo are payloads.
  if (attributes === undefined || typeof member(carried, 'source') !== 'string') return decrypted;
  if (!isEncrypted(payloadOf(attributes))) return decrypted;
  const { data } = payloadOf(member(decrypted, 'encodedAttributes'));
  const text = parseJson(Buffer.from(data ?? []).toString());
  const others = Object.entries(decrypted).filter(([name]) => name !== 'encodedAttributes');
  const said = { message: member(text, 'message'), stackTrace: member(text, 'stack_trace') };
  return { ...Object.fromEntries(others), ...onlyTexts(said) };
}

function onlyTexts(said: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(said).filter(([, text]) => typeof text === 'string'));
}
