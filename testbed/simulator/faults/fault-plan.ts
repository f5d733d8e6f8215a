import { isObject, type JsonObject } from '../../base/json.js';
import type { RequestSummary } from '../../base/http/request.js';

export const FAULTS = [
  ...(['conflict', 'throttle', 'serverError', 'resetBefore', 'resetAfter', 'hang'] as const),
  ...(['staleRead', 'truncate', 'pauseBefore', 'pauseAfter'] as const),
];

export type Fault = (typeof FAULTS)[number];

/** The nth request (from 1) that matches. */
export interface MatchAim extends RequestMatch {
  readonly nth: number;
}

interface RequestMatch {
  readonly verb?: string;
  readonly pathIncludes?: string;
  readonly userAgentIncludes?: string;
  readonly mutating?: boolean;
}

/**
 * The requests that a fault applies to: one by its number since arming, from 0; one that matches; or all that match, for so
 * many simulated milliseconds after arming.
 */
export type Aim =
  { readonly index: number } | MatchAim | (RequestMatch & { readonly forMs: number });

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
  readonly sinceMs: number;
  matches: number;
  struck: boolean;
}

/** What is done when a request arrives, once. */
interface Watched {
  readonly aim: MatchAim;
  readonly run: () => void;
  matches: number;
}

export interface SeenRequest extends RequestSummary {
  readonly path: string;
  readonly userAgent: string;
}

/** The faults of one cluster. At most one applies to a request, and each applies once, unless it lasts for a time. */
export class FaultPlan {
  private armed: Armed[] = [];
  private watched: Watched[] = [];
  private seen = 0;
  private readonly nowMs: () => number;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  /** Replaces everything and restarts the count. */
  arm(planned: readonly PlannedFault[]): void {
    this.armed = [];
    this.watched = [];
    this.seen = 0;
    for (const one of planned) this.add(one);
  }

  /** One more fault; the others stay. */
  add(planned: PlannedFault): void {
    this.armed.push({ planned, sinceMs: this.nowMs(), matches: 0, struck: false });
  }

  /** Calls `run` as soon as the request arrives, before it has any effect. */
  watch(aim: MatchAim, run: () => void): void {
    this.watched.push({ aim, run, matches: 0 });
  }

  /** Counts a request, and returns the fault that applies to it. */
  strike(request: SeenRequest): PlannedFault | null {
    const index = this.seen;
    this.seen += 1;
    for (const one of this.watched) {
      if (isNth(one, one.aim, request)) one.run();
    }
    let struck: PlannedFault | null = null;
    for (const one of this.armed) {
      if (!this.hits(one, request, index) || struck !== null) continue;
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
    if ('forMs' in aim) return this.nowMs() < one.sinceMs + aim.forMs && fits(aim, request);
    if (one.struck) return false;
    return 'index' in aim ? aim.index === index : isNth(one, aim, request);
  }
}

function isNth(counted: { matches: number }, aim: MatchAim, request: SeenRequest): boolean {
  if (!fits(aim, request)) return false;
  counted.matches += 1;
  return counted.matches === aim.nth;
}

function fits(aim: RequestMatch, request: SeenRequest): boolean {
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
  if (aim === null) {
    return 'needs an index (from 0), match {verb, pathIncludes, mutating, nth}, or forMs';
  }
  return {
    aim,
    fault,
    ...(typeof holdMs === 'number' ? { holdMs } : {}),
    ...(typeof signalFile === 'string' ? { signalFile } : {}),
  };
}

function parseAim({ index, match, forMs }: JsonObject): Aim | null {
  if (typeof index === 'number') return { index };
  if (typeof forMs === 'number') return { ...parseMatch(isObject(match) ? match : {}), forMs };
  if (!isObject(match)) return null;
  const { nth } = match;
  return { ...parseMatch(match), nth: typeof nth === 'number' ? nth : 1 };
}

function parseMatch({ verb, pathIncludes, userAgentIncludes, mutating }: JsonObject): RequestMatch {
  return {
    ...(typeof verb === 'string' ? { verb } : {}),
    ...(typeof pathIncludes === 'string' ? { pathIncludes } : {}),
    ...(typeof userAgentIncludes === 'string' ? { userAgentIncludes } : {}),
    ...(typeof mutating === 'boolean' ? { mutating } : {}),
  };
}
