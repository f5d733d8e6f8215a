import { isObject, type JsonObject } from '../../base/json.js';
import type { RequestSummary } from '../../base/http/request.js';

export const FAULTS = [
  ...(['conflict', 'throttle', 'serverError', 'resetBefore', 'resetAfter', 'hang'] as const),
  ...(['staleRead', 'truncate', 'pauseBefore', 'pauseAfter'] as const),
];

export type Fault = (typeof FAULTS)[number];

/** The request that a fault applies to: by its number since arming, from 0, or the nth (from 1) that matches. */
export type Aim =
  | { readonly index: number }
  | {
      readonly verb?: string;
      readonly pathIncludes?: string;
      readonly userAgentIncludes?: string;
      readonly mutating?: boolean;
      readonly nth: number;
    };

export interface PlannedFault {
  readonly aim: Aim;
  readonly fault: Fault;
  /** Real milliseconds that `hang`, `pauseBefore` and `pauseAfter` last; until released when absent. */
  readonly holdMs?: number;
  /** A file that is written when the request is parked, for a test to wait on. */
  readonly signalFile?: string;
}

interface Armed {
  readonly planned: PlannedFault;
  matches: number;
  struck: boolean;
}

export interface SeenRequest extends RequestSummary {
  readonly path: string;
  readonly userAgent: string;
}

/** The faults of one cluster. Each applies once, and at most one applies to a request. */
export class FaultPlan {
  private armed: Armed[] = [];
  private seen = 0;

  /** Replaces all faults and restarts the count. */
  arm(planned: readonly PlannedFault[]): void {
    this.armed = planned.map((one) => ({ planned: one, matches: 0, struck: false }));
    this.seen = 0;
  }

  /** Counts a request, and returns the fault that applies to it. */
  strike(request: SeenRequest): PlannedFault | null {
    const index = this.seen;
    this.seen += 1;
    let struck: PlannedFault | null = null;
    for (const one of this.armed) {
      if (one.struck || !this.hits(one, request, index) || struck !== null) continue;
      one.struck = true;
      struck = one.planned;
    }
    return struck;
  }

  state(): { readonly seen: number; readonly armed: readonly object[] } {
    return {
      seen: this.seen,
      armed: this.armed.map(({ planned, struck }) => ({ ...planned, struck })),
    };
  }

  private hits(one: Armed, request: SeenRequest, index: number): boolean {
    const { aim } = one.planned;
    if ('index' in aim) return aim.index === index;
    if (!fits(aim, request)) return false;
    one.matches += 1;
    return one.matches === aim.nth;
  }
}

function fits(aim: Exclude<Aim, { index: number }>, request: SeenRequest): boolean {
  const { verb, pathIncludes, userAgentIncludes, mutating } = aim;
  return (
    (verb === undefined || verb === request.verb) &&
    (pathIncludes === undefined || request.path.includes(pathIncludes)) &&
    (userAgentIncludes === undefined || request.userAgent.includes(userAgentIncludes)) &&
    (mutating === undefined || mutating === request.mutating)
  );
}

export type ParsedPlan =
  | { readonly ok: true; readonly planned: readonly PlannedFault[] }
  | { readonly ok: false; readonly message: string };

/** Reads the body of `POST …/faults`. */
export function parsePlan(body: JsonObject): ParsedPlan {
  const requests = body['requests'];
  if (!Array.isArray(requests)) return { ok: false, message: 'requests must be a list' };
  const planned: PlannedFault[] = [];
  for (const [position, request] of requests.entries()) {
    const one = isObject(request) ? parseOne(request) : 'must be an object';
    if (typeof one === 'string') return { ok: false, message: `requests[${position}]: ${one}` };
    planned.push(one);
  }
  return { ok: true, planned };
}

function parseOne(request: JsonObject): PlannedFault | string {
  const { holdMs, signalFile } = request;
  const fault = FAULTS.find((name) => name === request['fault']);
  if (fault === undefined) return `fault must be one of ${FAULTS.join(', ')}`;
  const aim = parseAim(request);
  if (aim === null) return 'needs an index (from 0), or match {verb, pathIncludes, mutating, nth}';
  return {
    aim,
    fault,
    ...(typeof holdMs === 'number' ? { holdMs } : {}),
    ...(typeof signalFile === 'string' ? { signalFile } : {}),
  };
}

function parseAim({ index, match }: JsonObject): Aim | null {
  if (typeof index === 'number') return { index };
  if (!isObject(match)) return null;
  const { verb, pathIncludes, userAgentIncludes, mutating, nth } = match;
  return {
    ...(typeof verb === 'string' ? { verb } : {}),
    ...(typeof pathIncludes === 'string' ? { pathIncludes } : {}),
    ...(typeof userAgentIncludes === 'string' ? { userAgentIncludes } : {}),
    ...(typeof mutating === 'boolean' ? { mutating } : {}),
    nth: typeof nth === 'number' ? nth : 1,
  };
}
