import type { PayloadCodec } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { isEncrypted } from '../../config/encrypted-payloads.js';
import { member, parseJson } from '../read-json.js';
import { payloadJson, payloadOf } from './payload-json.js';

/**
 * A history (as JSON) with what is in each encrypted payload; all others stay byte for byte. Exports and logs are of what was
 * said: they outlive the keys. @throws ValueError where a key is missing
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
    async ([name, each]) => [name, await decryptedHistory(each, codecs)] as const,
  );
  return withItsText(Object.fromEntries(await Promise.all(members)), value);
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
