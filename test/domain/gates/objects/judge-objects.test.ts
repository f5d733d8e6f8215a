import { describe, expect, it } from '@jest/globals';
import {
  ADDRESS_WITHIN_MS,
  INITIALISED_WITHIN_MS,
} from '../../../../domain/gates/objects/failing-objects.js';
import { judgeObjects } from '../../../../domain/gates/objects/judge-objects.js';
import { beginObjects } from '../../../../domain/gates/objects/object-book.js';
import type { ObjectReading } from '../../../../domain/gates/objects/object-reading.js';
import { measured, unmeasured } from '../../../../domain/gates/samples/measurement.js';
import type { GateVerdict } from '../../../../domain/gates/verdicts.js';
import { MINUTE, names, NOW_MS, reading, service, told, worker } from './given-reading.js';

const BEFORE = { handoverAtMs: null };
const AFTER = { handoverAtMs: NOW_MS - 5 * MINUTE };

function judge(
  then: Partial<ObjectReading>,
  now: Partial<ObjectReading>,
  moment: typeof BEFORE | typeof AFTER = BEFORE,
): (gate: string) => Partial<GateVerdict> {
  const verdicts = judgeObjects(beginObjects(reading(then)), measured(reading(now)), moment);
  return (gate) => verdicts.find((each) => each.gate === gate) ?? {};
}

/** So many Services with an address, of which these fail. */
function services(all: readonly string[], failed: readonly string[]): Partial<ObjectReading> {
  return {
    services: all.map((name) => service(name)),
    events: failed.map((name) => told('SyncLoadBalancerFailed', `uid-${name}`, MINUTE)),
  };
}

const waiting = (...found: readonly string[]): Partial<ObjectReading> => ({
  services: found.map((name) =>
    service(name, { hasAddress: false, createdAtMs: NOW_MS - ADDRESS_WITHIN_MS - 1 }),
  ),
});

describe('gates on objects', () => {
  it('are soft and have a code each', () => {
    const events = [told('EnsuredLoadBalancer', 'uid-web', MINUTE)];
    const now = measured(reading({ events }));
    const verdicts = judgeObjects(beginObjects(reading()), now, AFTER);
    expect(verdicts.map(({ gate, hardness, code }) => [gate, hardness, code])).toEqual([
      ['servicesKeepWorking', 'soft', 'CCM3104'],
      ['routesKeepWorking', 'soft', 'CCM3104'],
      ['nodesGetInitialised', 'soft', 'CCM3104'],
      ['cloudSight', 'soft', 'CCM3105'],
    ]);
  });

  it.each([
    [BEFORE, 3],
    [AFTER, 4],
  ])('are errors where objects could not be read %j', (moment, count) => {
    const verdicts = judgeObjects(beginObjects(reading()), unmeasured('list Event: 403'), moment);
    expect(verdicts.map(({ verdict, detail }) => [verdict, detail])).toEqual(
      Array.from({ length: count }, () => ['error', 'list Event: 403']),
    );
    expect(new Set(verdicts.map(({ code }) => code))).toEqual(new Set(['CCM3103']));
  });
});

describe('the code of a gate on objects', () => {
  const waits = waiting('web');
  it.each([
    ['of what was measured and is bad is its own', services(['web'], ['web']), 'CCM3104'],
    ['of a suspicion is the one that never turns a run', waits, 'CCM3102'],
  ])('%s', (_name, now, code) => {
    expect(judge({}, now)('servicesKeepWorking').code).toBe(code);
  });
});

describe('servicesKeepWorking', () => {
  const two = ['web', 'api'];
  it.each([
    ['none fails', services(two, []), services(two, []), 'pass', 'Services: none fails'],
    [
      'the same fail as before',
      services(two, ['web']),
      services(two, ['web']),
      ...(['pass', 'Services: 1 fail as before'] as const),
    ],
    [
      'one more fails',
      services(two, ['web']),
      services(two, two),
      'fail',
      'Services fail that did not before: Service shop/api; SyncLoadBalancerFailed of shop/api: quota exceeded',
    ],
    [
      'as many fail, and another one',
      services(two, ['web']),
      services(two, ['api']),
      'fail',
      'Services fail that did not before: Service shop/api; SyncLoadBalancerFailed of shop/api: quota exceeded',
    ],
    [
      'many fail: five are named',
      services(names(8), ['web-1']),
      services(names(8), names(8)),
      'fail',
      'Services fail that did not before: Service shop/web-2, Service shop/web-3, Service shop/web-4, Service shop/web-5, Service shop/web-6, 2 more; SyncLoadBalancerFailed of shop/web-2: quota exceeded',
    ],
    [
      'one waits for an address for long',
      {},
      waiting('web'),
      'inconclusive',
      'no address for more than 10 min, and no Event says why: Service shop/web',
    ],
    ['it waited before', waiting('web'), waiting('web'), 'pass', 'Services: none fails'],
    [
      'too many failed before, and one fails',
      services(names(71), names(71)),
      services(names(71), ['web-1']),
      'inconclusive',
      'Services: 1 fail, 71 did at the start, too many to know whether they are the same',
    ],
    [
      'too many failed before, and none fails',
      services(names(71), names(71)),
      services(names(71), []),
      ...(['pass', 'Services: none fails'] as const),
    ],
    [
      'too many failed before, and more fail',
      services(names(72), names(71)),
      services(names(72), names(72)),
      ...(['fail', 'Services: 72 fail, 71 did at the start'] as const),
    ],
    [
      'too many waited before',
      waiting(...names(71)),
      waiting(...names(72)),
      ...(['pass', 'Services: none fails'] as const),
    ],
  ])('%s', (_name, then, now, verdict, detail) => {
    expect(judge(then, now)('servicesKeepWorking')).toMatchObject({ verdict, detail });
  });

  it('a failure that is told outweighs what waits', () => {
    const failed = told('SyncLoadBalancerFailed', 'uid-web', MINUTE);
    const { services: found = [] } = waiting('web', 'api');
    const now = { services: found, events: [failed] };
    expect(judge({}, now)('servicesKeepWorking')).toMatchObject({ verdict: 'fail' });
    const then = { services: [service('web')], events: [failed] };
    expect(judge(then, now)('servicesKeepWorking')).toMatchObject({
      verdict: 'inconclusive',
      detail: expect.stringMatching(/: Service shop\/api$/),
    });
  });

  it('only where too many failed before it is a note that holds nothing', () => {
    const then = services(names(71), names(71));
    expect(judge(then, then)('servicesKeepWorking').noted).toBe(true);
    expect(judge({}, waiting('web'))('servicesKeepWorking').noted).toBeUndefined();
  });

  it('texts of a cloud are cut, in one line and without secrets', () => {
    const message = `denied\nBearer abc.def.ghi ${'x'.repeat(500)}`;
    const events = [told('SyncLoadBalancerFailed', 'uid-web', MINUTE, { message })];
    const { detail = '' } = judge(
      {},
      { services: [service('web')], events },
    )('servicesKeepWorking');
    expect(detail).toContain('denied Bearer [redacted] xxx');
    expect(detail.length).toBeLessThan(300);
  });
});

describe('routesKeepWorking', () => {
  const failed = (name: string): Partial<ObjectReading> => ({
    nodes: [worker('w-1'), worker('w-2')],
    events: [told('FailedToCreateRoute', name, MINUTE)],
  });
  it.each([
    ['none fails', {}, 'pass', 'routes: none fails'],
    ['one fails as before', failed('w-1'), 'pass', 'routes: 1 fail as before'],
    [
      'another one fails',
      failed('w-2'),
      'fail',
      'routes fail that did not before: Node w-2; FailedToCreateRoute of w-2: quota exceeded',
    ],
  ])('%s', (_name, now, verdict, detail) => {
    expect(judge(failed('w-1'), now)('routesKeepWorking')).toMatchObject({ verdict, detail });
  });
});

describe('nodesGetInitialised', () => {
  const tainted = (ageMs: number, ...found: readonly string[]): Partial<ObjectReading> => ({
    nodes: found.map((name) => worker(name, { uninitialized: true, createdAtMs: NOW_MS - ageMs })),
  });
  const late = INITIALISED_WITHIN_MS + 1;
  it.each([
    [
      'none is tainted',
      {},
      {},
      'pass',
      '0 Nodes with the uninitialized taint, 0 had it at the start',
    ],
    ['one was at the start', tainted(0, 'w-1'), tainted(late, 'w-1'), 'pass', /^1 Nodes .* 1 had/],
    ['one is young', {}, tainted(INITIALISED_WITHIN_MS, 'w-1'), 'pass', /^1 Nodes .* 0 had/],
    [
      'one is late',
      tainted(late, 'w-1'),
      tainted(late, 'w-1', 'w-2'),
      'fail',
      'uninitialized for more than 2 min, and not so at the start: Node w-2',
    ],
    ['an initialised one is as old', {}, { nodes: [worker('w-1')] }, 'pass', /^0 Nodes/],
    [
      'too many were at the start',
      tainted(late, ...names(46)),
      tainted(late, ...names(46)),
      ...(['inconclusive', /^Nodes: 46 fail, 46 did at the start, too many/] as const),
    ],
    [
      'more than too many are',
      tainted(late, ...names(46)),
      tainted(late, ...names(47)),
      ...(['fail', 'Nodes: 47 fail, 46 did at the start'] as const),
    ],
  ])('%s', (_name, then, now, verdict, detail) => {
    const said = judge(then, now)('nodesGetInitialised');
    expect(said.verdict).toBe(verdict);
    expect(said.detail).toMatch(detail);
  });
});

describe('cloudSight', () => {
  const found = { services: [service('web'), service('api')], nodes: [worker('w-1')] };
  const web = told('SyncLoadBalancerFailed', 'uid-web', MINUTE);
  const old = { madeAtMs: NOW_MS - 6 * MINUTE };
  it.each([
    ['nothing is told', [], 'inconclusive'],
    ['a load balancer was ensured', [told('EnsuredLoadBalancer', 'uid-web', MINUTE)], 'pass'],
    ['one was given its Nodes', [told('UpdatedLoadBalancer', 'uid-web', MINUTE)], 'pass'],
    ['a Node was initialised', [told('Synced', 'w-1', MINUTE)], 'pass'],
    [
      'an attempt alone proves nothing',
      [told('EnsuringLoadBalancer', 'uid-web', 1)],
      'inconclusive',
    ],
    [
      'a success of the old owner proves nothing, whatever its clock',
      [told('EnsuredLoadBalancer', 'uid-web', 0, old)],
      'inconclusive',
    ],
    [
      'an Event of the moment of the handover is the new owner’s',
      [told('EnsuredLoadBalancer', 'uid-web', 5 * MINUTE)],
      'pass',
    ],
    ['a Service fails', [web], 'fail'],
    ['a route fails', [told('FailedToCreateRoute', 'w-1', MINUTE)], 'fail'],
    ['a failure is the old owner’s', [{ ...web, ...old }], 'inconclusive'],
    ['one fails and another works', [web, told('EnsuredLoadBalancer', 'uid-api', 1)], 'pass'],
  ])('%s', (_name, events, verdict) => {
    expect(judge(found, { ...found, events }, AFTER)('cloudSight').verdict).toBe(verdict);
  });

  it('without a sign is a note that holds nothing', () => {
    expect(judge({}, {}, AFTER)('cloudSight')).toEqual({
      gate: 'cloudSight',
      hardness: 'soft',
      code: 'CCM3102',
      verdict: 'inconclusive',
      noted: true,
      detail: 'nothing told since the handover shows whether the new owner sees the cloud',
    });
  });

  it('names what failed, but not what failed before the run', () => {
    const then = { ...found, events: [told('SyncLoadBalancerFailed', 'uid-api', 50 * MINUTE)] };
    const api = told('SyncLoadBalancerFailed', 'uid-api', MINUTE);
    const said = judge(then, { ...found, events: [api, web] }, AFTER)('cloudSight');
    expect(said.detail).toBe(
      'no call has succeeded since the handover, and these failed: shop/web; SyncLoadBalancerFailed of shop/web: quota exceeded',
    );
    expect(judge(then, { ...found, events: [api] }, AFTER)('cloudSight').noted).toBe(true);
  });

  it('is not judged before the handover', () => {
    expect(judge(found, { ...found, events: [web] })('cloudSight')).toEqual({});
  });
});
