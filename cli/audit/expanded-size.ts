import { COMPRESSED_ENCODING, LARGEST_PAYLOAD_BYTES } from '../../config/compressed-payloads.js';
import { member } from '../read-json.js';

/**
 * What the compressed payloads of one export may hold together, in bytes (docs/contracts/audit-export.md): each is bounded, and
 * thousands of them fit into an export of a few megabytes. Eight times the longest history that is exported.
 */
export const MOST_EXPANDED_BYTES = 2 * 1024 ** 3;

/** Whether an export would expand to more. Nothing is expanded for that: a gzip member says its length in its last four bytes. */
export function expandsTooFar(content: unknown, mostBytes = MOST_EXPANDED_BYTES): boolean {
  let bytes = 0;
  // Level by level, because a walk that calls itself would overflow where an export is deep.
  for (let level: readonly unknown[] = [content]; level.length > 0;) {
    for (const each of level) bytes += claimedBytes(each);
    if (bytes > mostBytes) return true;
    level = level.flatMap(partsOf);
  }
  return false;
}

export const EXPANDS_TOO_FAR = 'its payloads expand to more than 2 GiB';

const ENCODED = Buffer.from(COMPRESSED_ENCODING).toString('base64');
/** Of base64, enough for the last four bytes whatever stands before them. */
const TAIL = 8;

/** None of what holds more than it claims, claims more than one may hold, or is written in another way: it is never read. */
function claimedBytes(value: unknown): number {
  if (member(member(value, 'metadata'), 'encoding') !== ENCODED) return 0;
  const data = member(value, 'data');
  if (typeof data !== 'string') return 0;
  const end = data.slice(-TAIL);
  const tail = Buffer.from(end, 'base64');
  if (tail.length < 4 || tail.toString('base64') !== end) return 0;
  const claimed = tail.readUInt32LE(tail.length - 4);
  return claimed > LARGEST_PAYLOAD_BYTES ? 0 : claimed;
}

function partsOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
