import { describe, expect, it } from '@jest/globals';
import { type EventObject, eventsIn } from '../../../activities/observe/object-facts.js';
import { failureTypeOf } from '../../../activities/failures.js';

const CREATED = '2026-11-25T13:28:46Z';
const SECOND_MS = Date.parse(CREATED);

function told(name: string, changes: Partial<EventObject> = {}): EventObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Event', reason: 'EnsuredLoadBalancer' },
    metadata: { name, creationTimestamp: CREATED },
    involvedObject: { name: 'web', uid: 'uid-web' },
    ...changes,
  };
}

describe('when an Event was first told', () => {
  const hex = (ms: number): string => (BigInt(ms) * 1_000_000n).toString(16);
  it.each([
    ['by the name that client-go gave it', `web.${hex(SECOND_MS + 842)}`, SECOND_MS + 842],
    ['as real managers name it', 'before.18eb4ccea46b541e', 1_795_613_326_842],
    ['by the API server, without a time in the name', 'web', SECOND_MS],
    ['by the API server, where a clock is behind', `web.${hex(SECOND_MS - 1)}`, SECOND_MS],
    ['by the API server, where a clock is ahead', `web.${hex(SECOND_MS + 1_000)}`, SECOND_MS],
    ['by the API server, for a name of another kind', 'web.v2', SECOND_MS],
  ])('%s', (_case, name, madeAtMs) => {
    const event = told(name);
    const created = new Date(Math.floor(madeAtMs / 1000) * 1000).toISOString();
    const metadata = { name, creationTimestamp: name.startsWith('before') ? created : CREATED };
    expect(eventsIn([{ ...event, metadata }], 'uid')).toMatchObject([{ madeAtMs }]);
  });
});

describe('Events of the cloud controllers', () => {
  it.each([
    ['another reason', { reason: 'Scheduled' }],
    ['no object', { involvedObject: {} }],
  ])('with %s are none', (_case, changes) => {
    expect(eventsIn([told('web', changes)], 'uid')).toEqual([]);
  });

  it.each([
    ['none', {}, SECOND_MS],
    ['the last of a count', { lastTimestamp: '2026-11-25T13:30:00Z' }, SECOND_MS + 74_000],
    [
      'the latest of all',
      {
        lastTimestamp: null,
        eventTime: '2026-11-25T13:29:00Z',
        series: { lastObservedTime: '2026-11-25T13:31:00Z' },
      },
      SECOND_MS + 134_000,
    ],
  ])('were told last at %s of their times', (_case, changes, lastAtMs) => {
    expect(eventsIn([told('web', changes)], 'uid')).toMatchObject([{ lastAtMs }]);
  });

  it('without the time of the API server are not read at all', () => {
    const event = { ...told('web'), metadata: { name: 'web' } };
    const read = (): unknown => eventsIn([event], 'uid');
    expect(read).toThrow('Event web has no creationTimestamp');
    try {
      read();
    } catch (error) {
      expect(failureTypeOf(error)).toBe('Unavailable');
    }
  });
});
