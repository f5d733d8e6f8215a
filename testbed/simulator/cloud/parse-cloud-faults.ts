import { isObject, type JsonObject } from '../../base/json.js';
import {
  CLOUD_CALLERS,
  CLOUD_HARMS,
  DEFAULT_CLOUD_ERROR,
  type OrderedCloudFault,
  type CloudHarm,
} from './cloud-faults.js';

export type ParsedCloudFaults =
  | { readonly ok: true; readonly faults: readonly OrderedCloudFault[] }
  | { readonly ok: false; readonly message: string };

const LONGEST_MS = 86_400_000;
const LONGEST_ERROR = 1000;

/** Reads the body of `POST …/cloud-faults`: `{faults: [{controller, manager?, op?, cloud, ratio?, error?, ms?}]}`. */
export function parseCloudFaults(body: JsonObject): ParsedCloudFaults {
  const { faults } = body;
  if (!Array.isArray(faults)) return { ok: false, message: 'faults must be a list' };
  const parsed: OrderedCloudFault[] = [];
  for (const [position, one] of faults.entries()) {
    const fault = isObject(one) ? parseOne(one) : 'must be an object';
    if (typeof fault === 'string') return { ok: false, message: `faults[${position}]: ${fault}` };
    parsed.push(fault);
  }
  return { ok: true, faults: parsed };
}

const OP = /^[A-Za-z]{1,60}$/;
const KEYS = ['controller', 'manager', 'op', 'cloud', 'ratio', 'error', 'ms'];

function parseOne(body: JsonObject): OrderedCloudFault | string {
  const unknown = Object.keys(body).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return `unknown key ${unknown}; known: ${KEYS.join(', ')}`;
  const aim = parseAimed(body);
  if (typeof aim === 'string') return aim;
  const harm = parseHarm(body);
  return typeof harm === 'string' ? harm : { ...harm, ...aim };
}

type Aimed = Pick<OrderedCloudFault, 'controller' | 'manager' | 'op'>;

function parseAimed(body: JsonObject): Aimed | string {
  const { manager, op } = body;
  const controller = CLOUD_CALLERS.find((one) => one === body['controller']);
  if (controller === undefined) return `controller must be one of ${CLOUD_CALLERS.join(', ')}`;
  if (manager !== undefined && manager !== 'kcm' && manager !== 'ccm') {
    return 'manager must be kcm or ccm';
  }
  if (op !== undefined && (typeof op !== 'string' || !OP.test(op))) {
    return 'op must be an operation such as EnsureLoadBalancer';
  }
  return { controller, ...(manager && { manager }), ...(op !== undefined && { op }) };
}

function parseHarm(body: JsonObject): CloudHarm | string {
  const { ratio = 1, error = DEFAULT_CLOUD_ERROR, ms } = body;
  const cloud = CLOUD_HARMS.find((one) => one === body['cloud']);
  switch (cloud) {
    case undefined:
      return `cloud must be one of ${CLOUD_HARMS.join(', ')}`;
    case 'hang':
      return { cloud };
    case 'slow':
      return isWithin(ms, 0, LONGEST_MS)
        ? { cloud, ms }
        : `ms must be a number from 0 to ${LONGEST_MS}`;
    case 'fail':
      if (!isWithin(ratio, 0, 1)) return 'ratio must be a number from 0 to 1';
      if (typeof error !== 'string' || error === '' || error.length > LONGEST_ERROR) {
        return `error must be a text of at most ${LONGEST_ERROR} characters`;
      }
      return { cloud, ratio, error };
  }
}

function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}
