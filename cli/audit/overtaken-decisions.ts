import { member } from '../read-json.js';
import type { RecordedEvent } from './recorded-run.js';

/**
 * Decisions that were replaced before they arrived. A command turns a run at once, but what it was just doing, such as a soak, may
 * end only after the first decision of the new direction; no step goes by what it then decided under the old one.
 */
export function overtakenIn(events: readonly RecordedEvent[]): ReadonlySet<RecordedEvent> {
  const overtaken = new Set<RecordedEvent>();
  let highest = -Infinity;
  for (const event of events) {
    if (event.kind !== 'observed') continue;
    const revision = member(event.observed.decision, 'revision');
    // What has no revision was not written by this tool: steps that go by it fail.
    if (typeof revision !== 'number') continue;
    if (revision < highest) overtaken.add(event);
    highest = Math.max(highest, revision);
  }
  return overtaken;
}
