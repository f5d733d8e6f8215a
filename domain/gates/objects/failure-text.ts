import { oneLine } from '../../findings/plain-text.js';
import { redact } from '../../redaction.js';
import type { FailingObject } from './failing-objects.js';

/** Objects that are named; the others are counted. */
const MOST_NAMED = 5;
/** Longest text of an Event in a verdict, which travels with a heartbeat and into histories. */
const LONGEST_TEXT = 160;

export function namedFew(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return [...names.slice(0, MOST_NAMED), ...(more > 0 ? [`${String(more)} more`] : [])].join(', ');
}

/** What the controller told of one failing object. Clouds put whatever they like into their errors. */
export function saidBy({ name, event: { reason, message } }: FailingObject): string {
  return `${reason} of ${name}: ${redact(oneLine(message)).slice(0, LONGEST_TEXT)}`;
}
