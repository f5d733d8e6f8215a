import { judgedCatalogue } from '../../domain/gates/catalogue/gate-catalogue.js';
import { watchWithoutPast } from '../../domain/gates/objects/object-watch.js';
import { EMPTY_OWN_BOOK } from '../../domain/gates/own/own-book.js';
import { bookWithoutPast, type GateBook } from '../../domain/gates/watch/gate-book.js';
import { isCounted } from '../../domain/gates/watch/measured-values.js';
import type { MetricGatePolicy } from '../../domain/policy.js';
import type { GateMemory } from './gate-sampler.js';

/**
 * The books of a run that may have written. One that has no reading yet begins too late: what it would take for the way things
 * were before may be what the run has done, so that its gates hold until a person skips them.
 */
export function booksAfterWrites(
  { gates, objects, own }: GateMemory,
  policy: MetricGatePolicy | undefined,
): GateMemory {
  if (policy === undefined) return {};
  const counting = (policy.own ?? []).filter(({ kind }) => kind !== 'gauge');
  return {
    gates: begun(gates) ?? bookWithoutPast(namesOf(judgedCatalogue(policy).filter(isCounting))),
    objects: objects === undefined || objects.book === null ? watchWithoutPast(objects) : objects,
    own: {
      ...EMPTY_OWN_BOOK,
      ...own,
      ...(counting.length === 0
        ? {}
        : { counted: begun(own?.counted) ?? bookWithoutPast(namesOf(counting)) }),
    },
  };
}

function begun(book: GateBook | undefined): GateBook | null {
  return book === undefined || book.lastAtMs === null ? null : book;
}

function namesOf(gates: readonly { readonly name: string }[]): readonly string[] {
  return gates.map(({ name }) => name);
}

function isCounting({ measure }: ReturnType<typeof judgedCatalogue>[number]): boolean {
  return isCounted(measure);
}
