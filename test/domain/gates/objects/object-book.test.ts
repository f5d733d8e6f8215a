import { describe, expect, it } from '@jest/globals';
import {
  beginObjects,
  countBooked,
  LOST_OBJECTS,
  wasBooked,
} from '../../../../domain/gates/objects/object-book.js';
import { MINUTE, names, reading, service, told, worker } from './given-reading.js';

const failing = (count: number): ReturnType<typeof reading> =>
  reading({
    services: names(count).map((name) => service(name)),
    nodes: names(count).map((name) => worker(name, { uninitialized: true })),
    events: names(count).flatMap((name) => [
      told('SyncLoadBalancerFailed', `uid-${name}`, MINUTE),
      told('FailedToCreateRoute', name, MINUTE),
    ]),
  });

describe('the book of objects that failed before a run', () => {
  it('knows which they were', () => {
    const book = beginObjects(failing(2));
    expect(Object.values(book).map(countBooked)).toEqual([2, 2, 2]);
    expect(wasBooked(book.services, 'uid-web-2')).toBe(true);
    expect(wasBooked(book.services, 'uid-web-3')).toBe(false);
    expect(wasBooked(book.nodes, 'web-1')).toBe(true);
    expect(wasBooked(book.routes, 'web-3')).toBe(false);
  });

  it('knows none of them any more where it was lost', () => {
    expect(Object.values(LOST_OBJECTS).map(countBooked)).toEqual([0, 0, 0]);
    expect(wasBooked(LOST_OBJECTS.services, 'uid-web-2')).toBeNull();
  });

  it.each([
    [0, 'listed', 'listed', 'listed'],
    [45, 'listed', 'listed', 'listed'],
    [70, 'listed', 'counted', 'counted'],
    [71, 'counted', 'counted', 'counted'],
    [10_000, 'counted', 'counted', 'counted'],
  ])('of %i objects keeps at most 2 KB, and says what it kept', (count, ...kinds) => {
    const book = beginObjects(failing(count));
    const { services, routes, nodes } = book;
    expect([services.kind, routes.kind, nodes.kind]).toEqual(kinds);
    expect(Object.values(book).map(countBooked)).toEqual([count, count, count]);
    expect(JSON.stringify(book).length).toBeLessThanOrEqual(2048);
    expect(JSON.parse(JSON.stringify(book))).toEqual(book);
  });

  it('at its fullest has room in a heartbeat', () => {
    const [most, fewer] = [beginObjects(failing(70)), beginObjects(failing(45))];
    const fullest = { ...fewer, services: most.services };
    expect(JSON.stringify(fullest).length).toBeLessThanOrEqual(2048);
  });

  it('does not know a single object where there were too many', () => {
    expect(wasBooked(beginObjects(failing(71)).services, 'uid-web-1')).toBeNull();
  });
});
