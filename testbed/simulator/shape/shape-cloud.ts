import {
  CLOUD_CALLERS,
  CLOUD_HARMS,
  DEFAULT_CLOUD_ERROR,
  type CloudAim,
  type OrderedCloudFault,
  type CloudHarm,
} from '../cloud/cloud-faults.js';
import type { StrictObject } from './strict-object.js';

/** What befalls the cloud; `lastsMs` null: until it is healed on order. */
export type ShapeCloudHarm =
  | { readonly kind: 'cloud'; readonly fault: OrderedCloudFault; readonly lastsMs: number | null }
  | { readonly kind: 'healCloud'; readonly aim: CloudAim };

/** What a fault with `cloud` orders. */
export const CLOUD_ORDERS = [...CLOUD_HARMS, 'heal'] as const;

const ANY = /^.+$/;
const OP = /^[A-Za-z]{1,60}$/;

/** Reads `{cloud, controller, manager, op, ratio, error, delay, lasts}`; keys that the order does not have are unknown. */
export function readCloud(one: StrictObject): ShapeCloudHarm | null {
  const order = one.oneOf('cloud', CLOUD_ORDERS);
  const controller = one.oneOf('controller', CLOUD_CALLERS);
  const manager = one.oneOf('manager', ['kcm', 'ccm'] as const);
  const whose = manager === undefined ? {} : { manager };
  if (order === 'heal') {
    return { kind: 'healCloud', aim: { ...whose, ...(controller && { controller }) } };
  }
  if (!one.has('controller')) one.complain('required, and missing', 'controller');
  const op = one.text('op', OP, 'an operation such as EnsureLoadBalancer');
  const lastsMs = one.duration('lasts') ?? null;
  const harm = order === undefined ? null : readHarm(one, order);
  if (harm === null || controller === undefined) return null;
  return { kind: 'cloud', fault: { ...harm, controller, ...whose, ...(op && { op }) }, lastsMs };
}

function readHarm(one: StrictObject, cloud: CloudHarm['cloud']): CloudHarm | null {
  switch (cloud) {
    case 'fail':
      return {
        cloud,
        ratio: one.share('ratio') ?? 1,
        error: one.text('error', ANY, 'a text') ?? DEFAULT_CLOUD_ERROR,
      };
    case 'hang':
      return { cloud };
    case 'slow': {
      const ms = one.duration('delay');
      if (!one.has('delay')) one.complain('required, and missing', 'delay');
      return ms === undefined ? null : { cloud, ms };
    }
  }
}
