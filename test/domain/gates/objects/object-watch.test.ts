import { describe, expect, it } from '@jest/globals';
import {
  afterOwner,
  afterReading,
  EMPTY_WATCH,
  judgeObjectWatch,
  needsSuccesses,
  type ObjectJudgement,
  type ObjectWatch,
  singleManager,
} from '../../../../domain/gates/objects/object-watch.js';
import type { ObjectReading } from '../../../../domain/gates/objects/object-reading.js';
import { measured, unmeasured } from '../../../../domain/gates/samples/measurement.js';
import { holdsRun } from '../../../../domain/gates/verdicts.js';
import { emptyTrace } from '../../../../domain/ownership/ownership.js';
import { MINUTE, NOW_MS, reading, service, told } from './given-reading.js';

const POLICY: ObjectJudgement = { except: [], unmeasuredMs: 2 * MINUTE, quiet: 'note' };

const web = { services: [service('web')] };
const failing = { ...web, events: [told('SyncLoadBalancerFailed', 'uid-web', MINUTE)] };

function read(watch: ObjectWatch, changes: Partial<ObjectReading>, atMs = NOW_MS): ObjectWatch {
  return afterReading(watch, measured(reading(changes)), atMs);
}

function words(watch: ObjectWatch, nowMs = NOW_MS, policy = POLICY): Record<string, string> {
  return Object.fromEntries(
    judgeObjectWatch(watch, policy, nowMs).map((each) => [
      each.gate,
      each.noted === true ? 'noted' : each.verdict,
    ]),
  );
}

const owned = (owners: readonly (readonly string[] | null)[]): ReturnType<typeof emptyTrace> => {
  const trace = emptyTrace(['service', 'route'], 0);
  return {
    ...trace,
    controllers: trace.controllers.map((each, at) => ({ ...each, owners: owners[at] ?? null })),
  };
};

/** The KCM is seen as the owner, then the CCM, whose Lease says this. */
function handedOver(watch: ObjectWatch, acquiredAtMs: number | null): ObjectWatch {
  const serverTimeMs = NOW_MS - 5 * MINUTE;
  const before = afterOwner(watch, { manager: 'kcm', acquiredAtMs: null, serverTimeMs });
  const nobody = afterOwner(before, { manager: null, acquiredAtMs: null, serverTimeMs });
  return afterOwner(nobody, {
    ...{ manager: 'ccm', acquiredAtMs, serverTimeMs: serverTimeMs + MINUTE },
  });
}

describe('the manager that alone runs the cloud controllers', () => {
  it.each([
    ['one process', [['ccm:cp-1#7'], ['ccm:cp-1#7']], 'ccm'],
    ['two processes of one manager', [['kcm:cp-1#7'], ['kcm:cp-2#9']], 'kcm'],
    ['two managers', [['kcm:cp-1#7'], ['ccm:cp-1#9']], null],
    ['two owners of one controller', [['kcm:cp-1#7', 'ccm:cp-1#9'], ['kcm:cp-1#7']], null],
    ['one controller without an owner', [['kcm:cp-1#7'], []], null],
    ['one that could not be read', [['kcm:cp-1#7'], null], null],
    ['a stranger', [['other:x'], ['other:x']], null],
  ])('%s', (_name, owners, manager) => {
    expect(singleManager(owned(owners))).toBe(manager);
  });
});

describe('the watch of objects', () => {
  it('is unmeasured until the first reading, and says why', () => {
    expect(words(EMPTY_WATCH)).toEqual({
      ...{ servicesKeepWorking: 'error', routesKeepWorking: 'error', nodesGetInitialised: 'error' },
    });
    const [untouched] = judgeObjectWatch(EMPTY_WATCH, POLICY, NOW_MS);
    expect(untouched?.detail).toBe('Services, Nodes and Events have not been read');
    const failed = afterReading(EMPTY_WATCH, unmeasured('list Event: 403'), NOW_MS);
    expect(judgeObjectWatch(failed, POLICY, NOW_MS)[0]?.detail).toBe('list Event: 403');
    expect(failed.book).toBeNull();
  });

  it('the first reading that succeeds is how things were before', () => {
    const begun = read(afterReading(EMPTY_WATCH, unmeasured('403'), NOW_MS), failing);
    expect(words(begun)['servicesKeepWorking']).toBe('pass');
    expect(words(read(read(EMPTY_WATCH, web), failing))['servicesKeepWorking']).toBe('fail');
  });

  it('a reading counts for as long as policy says, whatever fails meanwhile', () => {
    const late = afterReading(read(EMPTY_WATCH, web), unmeasured('timeout'), NOW_MS + MINUTE);
    expect(words(late, NOW_MS + 2 * MINUTE)['servicesKeepWorking']).toBe('pass');
    expect(judgeObjectWatch(late, POLICY, NOW_MS + 2 * MINUTE + 1)[0]).toMatchObject({
      ...{ verdict: 'error', detail: 'timeout' },
    });
  });

  it('a reading of a worker whose clock is further ahead than clocks may be counts for nothing', () => {
    const ahead = read(EMPTY_WATCH, web, NOW_MS + 5_000);
    expect(words(ahead)['servicesKeepWorking']).toBe('pass');
    expect(judgeObjectWatch(ahead, POLICY, NOW_MS - 1)[0]).toMatchObject({
      verdict: 'error',
      detail: 'Services, Nodes and Events were read in the future: compare the clocks',
    });
    const failed = afterReading(ahead, unmeasured('timeout'), NOW_MS);
    expect(judgeObjectWatch(failed, POLICY, NOW_MS - 1)[0]?.detail).toBe('timeout');
  });

  it('a gate that is left out says nothing', () => {
    const without = { ...POLICY, except: ['servicesKeepWorking', 'routesKeepWorking'] };
    expect(Object.keys(words(read(EMPTY_WATCH, web), NOW_MS, without))).toEqual([
      'nodesGetInitialised',
    ]);
  });

  it('an object that fails goes on to fail until it works, whatever is read meanwhile', () => {
    const held = read(read(EMPTY_WATCH, web), failing);
    const unread = afterReading(held, unmeasured('timeout'), NOW_MS + MINUTE);
    expect(words(read(unread, failing))['servicesKeepWorking']).toBe('fail');
    const cured = {
      ...web,
      events: [...failing.events, told('EnsuredLoadBalancer', 'uid-web', 0)],
    };
    expect(words(read(unread, cured))['servicesKeepWorking']).toBe('pass');
  });
});

describe('sight of the cloud after a handover', () => {
  it('is judged from the time at which the new owner acquired its Lease', () => {
    const acquired = NOW_MS - 4.5 * MINUTE;
    expect(handedOver(EMPTY_WATCH, acquired).handoverAtMs).toBe(acquired);
    const proof = { ...web, events: [told('EnsuredLoadBalancer', 'uid-web', 4.2 * MINUTE)] };
    expect(words(read(handedOver(EMPTY_WATCH, acquired), proof))['cloudSight']).toBe('pass');
  });

  it.each([
    ['unknown', null],
    ['before the old owner was last seen', NOW_MS - 6 * MINUTE],
    ['in the future', NOW_MS],
  ])('a Lease whose time is %s is not believed', (_name, acquired) => {
    expect(handedOver(EMPTY_WATCH, acquired).handoverAtMs).toBe(NOW_MS - 4 * MINUTE);
  });

  it('nothing told is noted, or holds where policy says so', () => {
    const quiet = read(handedOver(EMPTY_WATCH, null), web);
    expect(words(quiet)['cloudSight']).toBe('noted');
    const strict = judgeObjectWatch(quiet, { ...POLICY, quiet: 'hold' }, NOW_MS);
    expect(strict.filter(holdsRun).map(({ gate }) => gate)).toEqual(['cloudSight']);
  });

  it('once proven it stays so, until another manager owns', () => {
    const proof = { ...web, events: [told('UpdatedLoadBalancer', 'uid-web', MINUTE)] };
    const seen = read(handedOver(EMPTY_WATCH, null), proof);
    expect(words(read(seen, failing))['cloudSight']).toBe('pass');
    const back = afterOwner(seen, { manager: 'kcm', acquiredAtMs: null, serverTimeMs: NOW_MS });
    expect(words(read(back, web))['cloudSight']).toBe('noted');
  });

  it('the same manager again is no handover', () => {
    const kcm = { manager: 'kcm', acquiredAtMs: NOW_MS, serverTimeMs: NOW_MS } as const;
    const again = { ...kcm, serverTimeMs: NOW_MS + MINUTE };
    const watch = afterOwner(afterOwner(EMPTY_WATCH, kcm), again);
    expect(watch).toMatchObject({ handoverAtMs: null, owner: { seenAtMs: NOW_MS + MINUTE } });
  });

  it('that failed is asked of this owner until it is proven', () => {
    const failed = read(handedOver(read(EMPTY_WATCH, web), null), failing);
    expect(words(failed)['cloudSight']).toBe('fail');
    expect(words(read(failed, failing))['cloudSight']).toBe('fail');
    const proof = { ...web, events: [told('Synced', 'cp-1', 0)] };
    expect(words(read(failed, proof))['cloudSight']).toBe('pass');
  });
});

describe('successes of all objects are read', () => {
  const begun = read(EMPTY_WATCH, web);
  const proof = { ...web, events: [told('UpdatedLoadBalancer', 'uid-web', MINUTE)] };
  it.each([
    ['for the book', EMPTY_WATCH, true],
    ['not once it is begun', begun, false],
    ['until sight is proven', handedOver(begun, null), true],
    ['not once it is', read(handedOver(begun, null), proof), false],
  ])('%s', (_name, watch, needed) => {
    expect(needsSuccesses(watch)).toBe(needed);
  });
});
