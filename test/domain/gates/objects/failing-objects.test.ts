import { describe, expect, it } from '@jest/globals';
import {
  ADDRESS_WITHIN_MS,
  doubtfulObjects,
  FAILS_FOR_MS,
  failingObjects,
  waitingServices,
} from '../../../../domain/gates/objects/failing-objects.js';
import type {
  CloudNodeFacts,
  ObjectEvent,
} from '../../../../domain/gates/objects/object-reading.js';
import { DAY_MS, MINUTE, NOW_MS, reading, service, told, worker } from './given-reading.js';

const UID = 'uid-web';
const syncFailed = (agoMs: number): ObjectEvent => told('SyncLoadBalancerFailed', UID, agoMs);
const updateFailed = (agoMs: number): ObjectEvent => told('UpdateLoadBalancerFailed', UID, agoMs);
const ensured = (agoMs: number): ObjectEvent => told('EnsuredLoadBalancer', UID, agoMs);
const updated = (agoMs: number): ObjectEvent => told('UpdatedLoadBalancer', UID, agoMs);
const ensuring = (agoMs: number): ObjectEvent => told('EnsuringLoadBalancer', UID, agoMs);

const failsWith = (events: readonly ObjectEvent[]): boolean =>
  failingObjects(reading({ services: [service('web')], events })).services.length > 0;

const failedRoute = (agoMs: number): ObjectEvent => told('FailedToCreateRoute', 'w-1', agoMs);

const routeFails = (node: Partial<CloudNodeFacts>, events: readonly ObjectEvent[]): boolean =>
  failingObjects(reading({ nodes: [worker('w-1', node)], events })).routes.length > 0;

describe('Services that fail', () => {
  it.each([
    ['none that nothing is told of', [], false],
    ['one that failed a minute ago', [syncFailed(MINUTE)], true],
    ['one whose Nodes could not be given', [updateFailed(MINUTE)], true],
    ['one at the end of twice the longest back-off', [syncFailed(FAILS_FOR_MS)], true],
    ['none that failed longer ago', [syncFailed(FAILS_FOR_MS + 1)], false],
    ['one that is still tried', [syncFailed(30 * MINUTE), ensuring(MINUTE)], true],
    ['none that was ensured since', [syncFailed(2 * MINUTE), ensured(MINUTE)], false],
    ['one that failed again since', [ensured(2 * MINUTE), syncFailed(MINUTE)], true],
    ['one that failed in the second of a success', [ensured(MINUTE), syncFailed(MINUTE)], true],
    ['one whose Nodes failed then', [updated(MINUTE), updateFailed(MINUTE)], true],
    ['one that was given Nodes only', [syncFailed(2 * MINUTE), updated(MINUTE)], true],
    ['none whose Nodes were given since', [updateFailed(2 * MINUTE), updated(MINUTE)], false],
    ['none ensured since its Nodes failed', [updateFailed(2 * MINUTE), ensured(MINUTE)], false],
    ['one whose success is in the future', [syncFailed(MINUTE), ensured(-2 * MINUTE)], true],
    ['none where clocks differ a little', [syncFailed(MINUTE), ensured(-MINUTE)], false],
    ['one whose failure is in the future', [syncFailed(-2 * MINUTE)], true],
    [
      'one told of by a clock that is an hour behind',
      [{ ...syncFailed(60 * MINUTE), madeAtMs: NOW_MS - MINUTE }],
      true,
    ],
    [
      'the last of several Events counts',
      [syncFailed(3 * MINUTE), syncFailed(MINUTE), syncFailed(4 * MINUTE), ensured(2 * MINUTE)],
      true,
    ],
  ])('are %s', (_name, events, fails) => {
    expect(failsWith(events)).toBe(fails);
  });

  it('are named with the Event that says so; one that is gone fails no more', () => {
    const events = [syncFailed(MINUTE), told('SyncLoadBalancerFailed', 'uid-gone', MINUTE)];
    expect(failingObjects(reading({ services: [service('web')], events })).services).toEqual([
      { name: 'shop/web', key: UID, event: syncFailed(MINUTE) },
    ]);
  });
});

describe('routes that fail', () => {
  it.each([
    ['none that nothing is told of', {}, [], false],
    ['one that failed a minute ago', {}, [failedRoute(MINUTE)], true],
    ['none that failed long ago', {}, [failedRoute(FAILS_FOR_MS + 1)], false],
    ['none made since', { routedSinceMs: NOW_MS }, [failedRoute(MINUTE)], false],
    ['one that failed since', { routedSinceMs: NOW_MS - DAY_MS }, [failedRoute(MINUTE)], true],
    ['one of that second', { routedSinceMs: NOW_MS - MINUTE }, [failedRoute(MINUTE)], true],
  ])('are %s', (_name, node, events, fails) => {
    expect(routeFails(node, events)).toBe(fails);
  });
});

describe('objects that may have failed before a run', () => {
  it.each([
    ['none that is well', {}, [ensuring(MINUTE), ensured(MINUTE)], false],
    ['one without an address', { hasAddress: false }, [], true],
    ['one that failed within the hour', {}, [syncFailed(50 * MINUTE)], true],
    ['none that was ensured since', {}, [syncFailed(50 * MINUTE), ensured(MINUTE)], false],
    ['one whose last attempt has no end', {}, [ensured(2 * MINUTE), ensuring(MINUTE)], true],
  ])('are %s', (_name, changes, events, doubtful) => {
    const { services } = doubtfulObjects(reading({ services: [service('web', changes)], events }));
    expect(services).toEqual(doubtful ? [UID] : []);
  });

  it('are routes that failed and were not made since', () => {
    const nodes = [worker('w-1'), worker('w-2', { routedSinceMs: NOW_MS })];
    const events = [failedRoute(50 * MINUTE), told('FailedToCreateRoute', 'w-2', MINUTE)];
    expect(doubtfulObjects(reading({ nodes, events })).routes).toEqual(['w-1']);
  });
});

describe('Services that wait for an address', () => {
  const old = { createdAtMs: NOW_MS - ADDRESS_WITHIN_MS - 1, hasAddress: false };
  it.each([
    ['one that has waited for long', old, true],
    ['none that has an address', { ...old, hasAddress: true }, false],
    ['none that is leaving', { ...old, leaving: true }, false],
    ['none that is young', { ...old, createdAtMs: NOW_MS - ADDRESS_WITHIN_MS }, false],
  ])('are %s', (_name, changes, waits) => {
    const found = waitingServices(reading({ services: [service('web', changes)] }));
    expect(found.length > 0).toBe(waits);
  });
});
