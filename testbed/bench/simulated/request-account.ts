import { USER_AGENTS } from '../../../config/names.js';
import type { Truth } from '../../base/truth/truth.js';
import { accountOf, isOurWrite, type JournalledCluster } from '../../demo/fleet/fleet-journal.js';
import type { SimulatedRequest } from '../../demo/simulator-control.js';
import { mostOverlapping, type Interval } from '../fleet/journal-account.js';

/** What befell one cluster, by the simulator alone. Times are of its clock. */
export interface SimulatedAccount extends JournalledCluster {
  /** The value of the label for which there is a cap. */
  readonly zone: string;
  /** From our first write to the last, those to the fence included; null without any. */
  readonly fenced: Interval | null;
  readonly requests: RequestSplit;
}

/** Requests of a run. */
export interface RequestSplit {
  /** To the API server, by everything but the guard. */
  readonly steps: number;
  readonly guard: number;
  /** To nodes and to the machines API, by both. */
  readonly nodes: number;
}

export interface NamedCluster {
  readonly name: string;
  readonly region: string;
  readonly zone: string;
}

/** The account of a cluster from a moment on: what was asked before, for its plan, is left out. */
export function simulatedAccount(
  cluster: NamedCluster,
  journal: readonly SimulatedRequest[],
  truth: Truth,
  sinceMs: number,
): SimulatedAccount {
  const entries = journal.filter(({ atMs }) => atMs >= sinceMs);
  const writes = entries.filter(isOurWrite);
  const [first, last] = [writes[0], writes.at(-1)];
  return {
    ...accountOf(cluster, entries, truth),
    zone: cluster.zone,
    fenced:
      first === undefined || last === undefined ? null : { fromMs: first.atMs, toMs: last.atMs },
    requests: splitOf(entries),
  };
}

const TO_API = /^\/(api|apis|version)(\/|$|\?)/;

function splitOf(entries: readonly SimulatedRequest[]): RequestSplit {
  const agents: readonly string[] = Object.values(USER_AGENTS);
  const ours = entries.filter(({ userAgent }) => agents.includes(userAgent));
  const toApi = ours.filter(({ path }) => TO_API.test(path));
  const guard = toApi.filter(({ userAgent }) => userAgent === USER_AGENTS.guard).length;
  return { steps: toApi.length - guard, guard, nodes: ours.length - toApi.length };
}

/** The most clusters at one time. */
export interface MostAtOnce {
  /** Each from its first change to its last. */
  readonly changing: number;
  /** The same, of one zone. */
  readonly changingInZone: number;
  /** Each from our first write to the last: changing, soaking or held. */
  readonly unproven: number;
}

export function mostAtOnce(accounts: readonly SimulatedAccount[]): MostAtOnce {
  const changing = (of: readonly SimulatedAccount[]): number =>
    mostOverlapping(of.flatMap((each) => each.changing ?? []));
  const zones = [...new Set(accounts.map(({ zone }) => zone))];
  return {
    changing: changing(accounts),
    changingInZone: Math.max(
      0,
      ...zones.map((zone) => changing(accounts.filter((each) => each.zone === zone))),
    ),
    unproven: mostOverlapping(accounts.flatMap(({ fenced }) => fenced ?? [])),
  };
}

export function isMigrated({ owners, overlapSeconds }: SimulatedAccount): boolean {
  return owners.length === 1 && owners[0] === 'ccm' && overlapSeconds === 0;
}

/** A run that goes on renews its fence at least twice as often. */
const QUIET_MS = 60_000;

/**
 * Clusters that were changed and are not migrated, once no run writes to them any more. `atMs` is the moment of the account;
 * Infinity when the fleet has ended.
 */
export function burntIn(accounts: readonly SimulatedAccount[], atMs: number): number {
  return accounts.filter(
    (each) => each.changes > 0 && !isMigrated(each) && (each.fenced?.toMs ?? 0) + QUIET_MS < atMs,
  ).length;
}

/** Milliseconds of all clusters together in which they were fenced, within a window. */
export function fencedWithin(
  accounts: readonly SimulatedAccount[],
  { fromMs, toMs }: Interval,
): number {
  return accounts
    .flatMap(({ fenced }) => fenced ?? [])
    .map((each) => Math.min(each.toMs, toMs) - Math.max(each.fromMs, fromMs))
    .filter((ms) => ms > 0)
    .reduce((sum, ms) => sum + ms, 0);
}
