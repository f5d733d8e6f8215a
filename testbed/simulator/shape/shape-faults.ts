import { EVENT_KINDS, isProcessEvent, isNodeEvent, type EventOrder } from '../control/events.js';
import { CLOUD_ORDERS, readCloud, type ShapeCloudHarm } from './shape-cloud.js';
import { FAULTS, type Fault, type MatchAim } from '../faults/fault-plan.js';
import type { StrictObject } from './strict-object.js';

/** When something happens to a cluster: at a time after its start, or so long after a request has arrived. */
export type ShapeMoment =
  | { readonly kind: 'at'; readonly atMs: number }
  | { readonly kind: 'on'; readonly aim: MatchAim; readonly afterMs: number };

/** What happens: one request is struck, all of them for a while, or an event in the cluster. */
export type ShapeHarm =
  | { readonly kind: 'fault'; readonly fault: Fault; readonly holdMs: number | null }
  | { readonly kind: 'outage'; readonly fault: Fault; readonly lastsMs: number }
  | { readonly kind: 'event'; readonly order: EventOrder }
  | ShapeCloudHarm;

export interface ShapeFault {
  readonly moment: ShapeMoment;
  readonly harm: ShapeHarm;
}

/** The faults of a group; each cluster of it gets all of them. */
export function readFaults(group: StrictObject): readonly ShapeFault[] {
  return group.objects('faults').flatMap((one) => {
    const [moment, harm] = [readMoment(one), readHarm(one)];
    one.end();
    return moment === null || harm === null ? [] : [{ moment, harm }];
  });
}

function readMoment(one: StrictObject): ShapeMoment | null {
  const atMs = one.duration('at');
  const on = one.object('on');
  const afterMs = on === undefined ? 0 : (one.duration('after') ?? 0);
  if ((on === undefined) === !one.has('at')) {
    one.complain('needs either at (a time) or on (a request)');
  }
  if (on === undefined) return atMs === undefined ? null : { kind: 'at', atMs };
  return { kind: 'on', aim: readAim(on), afterMs };
}

const ANY = /^.+$/;

function readAim(on: StrictObject): MatchAim {
  const verb = on.text('verb', ANY, 'a verb such as create');
  const pathIncludes = on.text('pathIncludes', ANY, 'a part of the path');
  const userAgentIncludes = on.text('userAgentIncludes', ANY, 'a part of the user agent');
  const mutating = on.flag('mutating');
  const nth = on.whole('nth', 1, 1_000_000) ?? 1;
  on.end();
  return {
    nth,
    ...(verb === undefined ? {} : { verb }),
    ...(pathIncludes === undefined ? {} : { pathIncludes }),
    ...(userAgentIncludes === undefined ? {} : { userAgentIncludes }),
    ...(mutating === undefined ? {} : { mutating }),
  };
}

function readHarm(one: StrictObject): ShapeHarm | null {
  const given = ['fault', 'event', 'cloud'].filter((key) => one.has(key));
  if (given.length !== 1) {
    const choices = [
      `fault (${FAULTS.join(', ')})`,
      `event (${EVENT_KINDS.join(', ')})`,
      `cloud (${CLOUD_ORDERS.join(', ')})`,
    ];
    one.complain(`needs either ${choices.join(' or ')}`);
  }
  if (one.has('cloud')) return readCloud(one);
  return one.has('event') ? readEvent(one) : readFault(one);
}

function readFault(one: StrictObject): ShapeHarm | null {
  const fault = one.oneOf('fault', FAULTS);
  const lastsMs = one.duration('lasts');
  const holdMs = one.duration('hold') ?? null;
  if (fault === undefined) return null;
  return lastsMs === undefined
    ? { kind: 'fault', fault, holdMs }
    : { kind: 'outage', fault, lastsMs };
}

function readEvent(one: StrictObject): ShapeHarm | null {
  const kind = one.oneOf('event', EVENT_KINDS);
  if (kind === undefined) return null;
  const order: EventOrder = { kind };
  if (kind === 'deleteServiceLoadBalancer') {
    return { kind: 'event', order: { ...order, service: required(one, 'service') } };
  }
  if (!isProcessEvent(kind) && !isNodeEvent(kind)) return { kind: 'event', order };
  const node = required(one, 'node');
  if (!isProcessEvent(kind)) return { kind: 'event', order: { ...order, node } };
  const manager = one.oneOf('manager', ['kcm', 'ccm'] as const);
  if (!one.has('manager')) one.complain('must be kcm or ccm', 'manager');
  return {
    kind: 'event',
    order: { ...order, node, ...(manager === undefined ? {} : { manager }) },
  };
}

function required(one: StrictObject, key: string): string {
  const text = one.text(key, ANY, 'a name');
  if (!one.has(key)) one.complain('required, and missing', key);
  return text ?? '';
}
