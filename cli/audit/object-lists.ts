import type { EvidenceStore, RunKey } from '../../activities/evidence/evidence-store.js';
import { nativeDigest } from '../../activities/native-digest.js';
import type { AuditExport } from '../../config/outputs/report-documents.js';
import type { ObjectList } from '../../domain/comparison/compared-object.js';
import { differenceText, unexplainedDifferences } from '../../domain/comparison/differences.js';
import { member } from '../read-json.js';
import { type AuditCheck, judged, pass, unproven } from './audit-check.js';
import type { RecordedEvent } from './recorded-run.js';

/** A list of Services, Nodes and volumes as it was kept beside the evidence; its digest is in the run's history. */
export type KeptList = NonNullable<AuditExport['objectLists']>[number];

/** The lists of a run that are still there: that of its start, and each with which a comparison found a difference. */
export async function keptLists(
  evidence: Pick<EvidenceStore, 'keptText'>,
  run: RunKey,
  events: readonly RecordedEvent[],
): Promise<readonly KeptList[]> {
  const found: KeptList[] = [];
  for (const digest of namedDigests(events)) {
    const text = await evidence.keptText(run, digest);
    if (text !== null) found.push({ digest, text });
  }
  return found;
}

/**
 * Each list is the one that the history names. What differs between the first and the last is told again, so that a decision about it
 * can be judged.
 */
export function checkObjectLists(
  events: readonly RecordedEvent[],
  lists: readonly KeptList[],
): AuditCheck {
  const check = 'object lists';
  const named = namedDigests(events);
  if (named.length === 0 && lists.length === 0) return pass(check, 'none named');
  const known = new Set(named);
  const faults = lists.flatMap(({ digest, text }) => [
    ...(known.has(digest) ? [] : [`no observation of the run has ${digest}`]),
    ...(nativeDigest(text) === digest ? [] : [`a list does not match its digest ${digest}`]),
  ]);
  if (faults.length > 0) return judged(check, faults, '');
  const [first, last] = [lists[0], lists.at(-1)];
  if (first === undefined || last === undefined || first.digest !== named[0]) {
    return unproven(check, 'the list of the start is gone: what changed cannot be told');
  }
  if (last === first) {
    return pass(check, 'that of the start; nothing was found changed');
  }
  const found = unexplainedDifferences({ then: listOf(first), now: listOf(last) });
  const told = found.slice(0, MOST_TOLD).map(differenceText);
  const more = found.length > MOST_TOLD ? `; ${String(found.length - MOST_TOLD)} more` : '';
  const differences = found.length === 0 ? 'no unexplained difference' : told.join('; ');
  return pass(check, `${String(lists.length)} as observed; start to end: ${differences}${more}`);
}

const MOST_TOLD = 5;

/** Without repetition, the first one first. */
function namedDigests(events: readonly RecordedEvent[]): readonly string[] {
  const digests = events.flatMap((event) => {
    if (event.kind !== 'observed') return [];
    const digest = member(member(event.observed.observation, 'inventory'), 'objectsDigest');
    return typeof digest === 'string' && IS_DIGEST.test(digest) ? [digest] : [];
  });
  return [...new Set(digests)];
}

const IS_DIGEST = /^sha256:[0-9a-f]{64}$/;

function listOf({ text }: KeptList): ObjectList {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- its digest is in the run's history
  return JSON.parse(text) as ObjectList;
}
