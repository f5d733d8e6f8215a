import type { Attributed } from './attribution.js';
import { filePath } from './attribution.js';
import type { JournalEntry } from '../../testbed/simulator/control/request-journal.js';
import type { Moment, Snare } from './simulator-proxy.js';

/** One direction of the golden run: forward, rollback, and forward again. */
export const DIRECTIONS = ['forward', 'back', 'again'] as const;
export type DirectionName = (typeof DIRECTIONS)[number];

/**
 * A mutating request of the golden run, named so that it can be found in a run with crashes: retries shift every count, and elections
 * decide which node is first.
 */
export interface CrashPoint {
  readonly direction: DirectionName;
  /** Step that sent it; `guard` for renewals of the fence. */
  readonly step: string;
  readonly verb: string;
  /** Without names of nodes and digests. */
  readonly target: string;
  /** From 1: which of the nodes that this step changes in this way, or which of several objects. */
  readonly ordinal: number;
  readonly moment: Moment;
}

export function pointKey({ direction, step, verb, target, ordinal, moment }: CrashPoint): string {
  return `${direction}: ${step} ${verb} ${target} #${String(ordinal)} ${moment}`;
}

/** Names the last of these requests by those before it; all belong to one direction. */
export function pointOf(
  direction: DirectionName,
  all: readonly Attributed[],
  moment: Moment,
): CrashPoint {
  const last = all.at(-1);
  if (last === undefined) throw new Error('there is no request to name');
  const { verb } = last.entry;
  const step = stepOf(last);
  const target = targetOf(last.entry);
  const alike = all.filter(
    (one) => one.entry.verb === verb && stepOf(one) === step && targetOf(one.entry) === target,
  );
  return { direction, step, verb, target, moment, ordinal: ordinalOf(alike, last) };
}

/** Steps that a run takes as often as it needs; each time is like the others. */
const ALIKE: readonly string[] = ['takeFence', 'closeRun', 'renewal', 'hint'];

function ordinalOf(alike: readonly Attributed[], last: Attributed): number {
  if (ALIKE.includes(stepOf(last))) return 1;
  const node = nodeOf(last.entry);
  if (node !== null) {
    return [...new Set(alike.map(({ entry }) => nodeOf(entry)))].indexOf(node) + 1;
  }
  return alike.filter((one) => one !== last && one.entry.tookEffect).length + 1;
}

export function stepOf({ kind, intent }: Attributed): string {
  return kind === 'kept' ? (intent?.step ?? 'unknown') : kind;
}

/** The node that a request changes; null when it changes none. */
export function nodeOf({ name }: JournalEntry): string | null {
  return NODE.test(name) ? name : null;
}

const NODE = /^cp-\d+$/;
const DIGEST = /[0-9a-f]{12}(?=\.yaml$)/;

function targetOf({ resource, name, path }: JournalEntry): string {
  if (resource === 'node-access/files') return filePath(path).replace(DIGEST, '*');
  return NODE.test(name) || name === '' ? resource : `${resource} ${name}`;
}

/** What a request changes, without names of nodes. */
export function effectKey(entry: JournalEntry): string {
  return `${entry.verb} ${targetOf(entry)}`;
}

/** Objects of one kind that are created at once: each request has to be parked to distinguish it from the others. */
const AT_ONCE = [1, 2, 3];

/** Parks every request that may be this one; which one it is shows while it is parked. */
export function snaresOf({ verb, target, moment }: CrashPoint): readonly Snare[] {
  const pathIncludes = pathPartOf(verb, target);
  return (verb === 'create' ? AT_ONCE : [1]).map((nth) => ({ verb, moment, pathIncludes, nth }));
}

function pathPartOf(verb: string, target: string): string {
  if (target.startsWith('/')) return `path=${encodeURIComponent(target.split('*')[0] ?? '')}`;
  const [resource = '', name = ''] = target.split(' ');
  return name === '' || verb === 'create' ? `/${resource}` : `/${resource}/${name}`;
}

/** A request parked before its effect passes the point after it too: the two are searched for separately. */
export function disturb(one: CrashPoint, other: CrashPoint): boolean {
  return (
    one.direction === other.direction &&
    one.moment !== other.moment &&
    one.verb === other.verb &&
    pathPartOf(one.verb, one.target) === pathPartOf(other.verb, other.target) &&
    (one.step !== other.step || one.ordinal !== other.ordinal || one.target !== other.target)
  );
}
