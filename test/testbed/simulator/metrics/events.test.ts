import { describe, expect, it } from '@jest/globals';
import { createVirtualClock } from '../../../../testbed/simulator/clock/virtual-clock.js';
import { createDraws } from '../../../../testbed/simulator/clock/draws.js';
import { EventRecorder } from '../../../../testbed/simulator/loops/event-recorder.js';
import { MOST_EVENTS, expireEvents } from '../../../../testbed/simulator/store/event-expiry.js';
import { createObjectStore } from '../../../../testbed/simulator/store/object-store.js';
import type {
  ObjectStore,
  StoredObject,
  VirtualClock,
} from '../../../../testbed/simulator/model.js';
import { ccm, Environment, external, kcm, node } from '../environment.js';
import { eventsOf } from './metrics-page.js';

const WEB = { kind: 'Service', metadata: { name: 'web', namespace: 'shop', uid: 'u1' } };
const FAILED = { type: 'Warning', reason: 'SyncLoadBalancerFailed', message: 'no' } as const;

interface Told {
  readonly clock: VirtualClock;
  readonly store: ObjectStore;
  readonly recorder: EventRecorder;
  readonly events: () => readonly StoredObject[];
}

function given(): Told {
  const clock = createVirtualClock();
  const store = createObjectStore({ clock, draws: createDraws('events') });
  expireEvents(store, clock);
  const options = { component: 'service-controller', client: store, timers: clock, pid: 7 };
  const events = (): readonly StoredObject[] => {
    const answer = store.list('events');
    return answer.ok ? answer.object : [];
  };
  return { clock, store, recorder: new EventRecorder(options), events };
}

describe('Events of controllers', () => {
  it('a repeated Event is counted in one object, with the time of the last', () => {
    const { clock, recorder, events } = given();
    recorder.tell(WEB, FAILED);
    clock.advanceBy(5000);
    recorder.tell(WEB, FAILED);
    expect(events()).toHaveLength(1);
    expect(events()[0]).toMatchObject({
      metadata: { namespace: 'shop' },
      involvedObject: { kind: 'Service', name: 'web', namespace: 'shop', uid: 'u1' },
      ...{ ...FAILED, count: 2, source: { component: 'service-controller' } },
    });
    const [event] = events();
    const [first, last] = [event?.['firstTimestamp'], event?.['lastTimestamp']];
    expect(Date.parse(String(last)) - Date.parse(String(first))).toBe(5000);
  });

  it('Events that differ by their message alone are combined from the tenth on', () => {
    const { recorder, events } = given();
    for (let index = 1; index <= 14; index += 1) {
      recorder.tell(WEB, { ...FAILED, message: `no ${String(index)}` });
    }
    const messages = events().map((event) => String(event['message']));
    expect(messages).toHaveLength(10);
    expect(messages.filter((one) => one.startsWith('(combined from similar events): '))).toEqual([
      '(combined from similar events): no 14',
    ]);
  });

  it('a component tells 25 of one object and then one in five minutes', () => {
    const { clock, recorder, events } = given();
    for (let index = 0; index < 40; index += 1) recorder.tell(WEB, FAILED);
    expect(events()[0]?.['count']).toBe(25);
    clock.advanceBy(300_000);
    recorder.tell(WEB, FAILED);
    recorder.tell(WEB, FAILED);
    expect(events()[0]?.['count']).toBe(41);
  });

  it('an Event ends an hour after its last write, and a later one is told again', () => {
    const { clock, recorder, events } = given();
    recorder.tell(WEB, FAILED);
    clock.advanceBy(1_800_000);
    recorder.tell(WEB, FAILED);
    clock.advanceBy(3_599_000);
    expect(events()).toHaveLength(1);
    clock.advanceBy(2000);
    expect(events()).toEqual([]);
    recorder.tell(WEB, FAILED);
    expect(events()).toHaveLength(1);
  });

  it('a cluster keeps few Events, the newest', () => {
    const { recorder, events } = given();
    for (let index = 0; index < MOST_EVENTS + 50; index += 1) {
      const metadata = { ...WEB.metadata, name: `web-${String(index)}`, uid: `u${String(index)}` };
      recorder.tell({ kind: 'Service', metadata }, FAILED);
    }
    expect(events()).toHaveLength(MOST_EVENTS);
    const about = events().map((event) => (event['involvedObject'] as { name: string }).name);
    expect(about).not.toContain('web-49');
    expect(about).toContain('web-50');
  });
});

describe('Events of Services', () => {
  it('a load balancer that is made and deleted is told by the Events of upstream', () => {
    const environment = new Environment({ plans: [node(kcm())], loadBalancers: 0 }).wait(20);
    environment.addService('web');
    environment.wait(5);
    environment.cluster.store.delete({ resource: 'services', namespace: 'default', name: 'web' });
    environment.wait(5);
    const reasons = ['EnsuringLoadBalancer', 'EnsuredLoadBalancer'].concat(
      ...['DeletingLoadBalancer', 'DeletedLoadBalancer'],
    );
    expect(reasons.map((reason) => eventsOf(environment, reason).length)).toEqual([1, 1, 1, 1]);
  });

  it.each([
    ['a CCM', node(external(), ccm({ migration: 'off' })), 'system:cloud-controller-manager'],
    ['the account of a KCM’s controller', node(kcm()), 'system:controller:service-controller'],
  ])('Events are written by %s, and without its right there are none', (_, plan, role) => {
    const told = (may: boolean): number => {
      const environment = new Environment({ plans: [plan], loadBalancers: 0 });
      if (!may) withoutEvents(environment.cluster.store, role);
      environment.wait(20).addService('web');
      environment.wait(5);
      expect(environment.ingress('web')).not.toBe('');
      return eventsOf(environment, 'EnsuredLoadBalancer').length;
    };
    expect([told(true), told(false)]).toEqual([1, 0]);
  });
});

function withoutEvents(store: ObjectStore, name: string): void {
  const answer = store.get({ resource: 'clusterroles', name });
  if (!answer.ok) throw new Error(answer.message);
  const rules = answer.object['rules'] as readonly { readonly resources: readonly string[] }[];
  const left = rules.filter(({ resources }) => !resources.includes('events'));
  store.update('clusterroles', { ...answer.object, rules: left });
}
