import { describe, expect, it } from '@jest/globals';
import { booksAfterWrites } from '../../../activities/gates/books-after-writes.js';
import { LOST_OBJECTS } from '../../../domain/gates/objects/object-book.js';
import { EMPTY_WATCH } from '../../../domain/gates/objects/object-watch.js';
import { EMPTY_OWN_BOOK } from '../../../domain/gates/own/own-book.js';
import { EMPTY_BOOK } from '../../../domain/gates/watch/gate-book.js';
import type { MetricGatePolicy } from '../../../domain/policy.js';

const POLICY: MetricGatePolicy = {
  ...{ catalogue: 'nodes', objects: 'watch', except: ['awsApiErrors'] },
  ...{ everyMs: 15_000, unmeasuredMs: 120_000, quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
  own: [
    { name: 'errors', kind: 'ratio', bad: 'calls{code="5"}', total: 'calls', limit: 0.1 },
    { name: 'load', kind: 'gauge', promql: 'load', limit: { above: 1 } },
  ],
};

describe('the books of a run that may have written', () => {
  it('have no past where nothing was read before', () => {
    for (const unread of [{}, { gates: EMPTY_BOOK, objects: EMPTY_WATCH, own: EMPTY_OWN_BOOK }]) {
      const { gates, objects, own } = booksAfterWrites(unread, POLICY);
      expect(gates?.gates['nodeSyncErrors']).toMatchObject({ isPastLost: true });
      expect(Object.keys(gates?.gates ?? {})).not.toContain('awsApiErrors');
      expect(objects).toMatchObject({ book: LOST_OBJECTS, isOwnerLost: true });
      expect(own?.counted?.gates).toMatchObject({ errors: { isPastLost: true } });
      expect(Object.keys(own?.counted?.gates ?? {})).toEqual(['errors']);
    }
  });

  it('stay as they are where something was', () => {
    const book = { ...EMPTY_BOOK, lastAtMs: 5 };
    const objects = { ...EMPTY_WATCH, book: LOST_OBJECTS };
    const known = { gates: book, objects, own: { ...EMPTY_OWN_BOOK, counted: book } };
    expect(booksAfterWrites(known, POLICY)).toEqual(known);
  });

  it('are none without gates, and count nothing where no gate of the operator does', () => {
    expect(booksAfterWrites({}, undefined)).toEqual({});
    const { own: _own, ...without } = POLICY;
    expect(booksAfterWrites({}, without).own).toEqual(EMPTY_OWN_BOOK);
  });
});
