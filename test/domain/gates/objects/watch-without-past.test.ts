import { describe, expect, it } from '@jest/globals';
import {
  afterOwner,
  afterReading,
  EMPTY_WATCH,
  judgeObjectWatch,
  type ObjectWatch,
  watchWithoutPast,
} from '../../../../domain/gates/objects/object-watch.js';
import { PAST_LOST } from '../../../../domain/gates/past-lost.js';
import { measured } from '../../../../domain/gates/samples/measurement.js';
import { MINUTE, NOW_MS, reading, service, told } from './given-reading.js';

const POLICY = { except: [], unmeasuredMs: 2 * MINUTE, quiet: 'note' } as const;
const failing = {
  services: [service('web')],
  events: [told('SyncLoadBalancerFailed', 'uid-web', MINUTE)],
};
const BOOKED = ['servicesKeepWorking', 'routesKeepWorking', 'nodesGetInitialised'];

function read(watch: ObjectWatch, seen: Parameters<typeof reading>[0] = failing): ObjectWatch {
  return afterReading(watch, measured(reading(seen)), NOW_MS);
}

function words(watch: ObjectWatch): Record<string, string> {
  const verdicts = judgeObjectWatch(watch, POLICY, NOW_MS);
  return Object.fromEntries(verdicts.map(({ gate, verdict }) => [gate, verdict]));
}

const owner = (manager: 'kcm' | 'ccm', minutesAgo: number) => ({
  ...{ manager, acquiredAtMs: null, serverTimeMs: NOW_MS - minutesAgo * MINUTE },
});

describe('the watch of objects whose past is lost', () => {
  const begun = read(watchWithoutPast());

  it('never takes what fails now for what failed before', () => {
    expect(words(read(EMPTY_WATCH))['servicesKeepWorking']).toBe('pass');
    const gates = [...BOOKED, 'cloudSight'].map((gate) => [gate, 'error']);
    expect(words(begun)).toEqual(Object.fromEntries(gates));
    expect(words(read(begun))).toEqual(words(begun));
    const details = judgeObjectWatch(begun, POLICY, NOW_MS).map(({ detail }) => detail);
    expect(new Set(details)).toEqual(new Set([PAST_LOST]));
    expect(words(watchWithoutPast())['cloudSight']).toBe('error');
  });

  it('judges sight again after a handover that it has seen', () => {
    const kcm = afterOwner(begun, owner('kcm', 5));
    expect(words(read(kcm))['cloudSight']).toBe('error');
    const moved = afterOwner(kcm, owner('ccm', 4));
    const sightIn = (watch: ObjectWatch) =>
      judgeObjectWatch(watch, POLICY, NOW_MS).find(({ gate }) => gate === 'cloudSight');
    expect(sightIn(read(moved))).toMatchObject({ verdict: 'inconclusive' });
    expect(sightIn(read(moved))).not.toHaveProperty('noted');
    expect(sightIn(read(moved, {}))).toMatchObject({ verdict: 'inconclusive', noted: true });
    const known = watchWithoutPast(afterOwner(EMPTY_WATCH, owner('kcm', 9)));
    expect(words(read(known))['cloudSight']).toBeUndefined();
  });
});
