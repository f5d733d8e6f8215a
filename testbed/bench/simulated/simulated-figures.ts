import { spreadOf, type Spread } from '../spread.js';
import {
  burntIn,
  isMigrated,
  mostAtOnce,
  type MostAtOnce,
  type SimulatedAccount,
} from './request-account.js';

/** What one run of the benchmark measured. */
export interface SimulatedFigures {
  readonly seconds: number;
  /** Of the fleet that moves, by the simulator's journal and its processes. */
  readonly migrated: number;
  readonly burnt: number;
  /** The longest time with two owners in one cluster. */
  readonly overlapSeconds: number;
  readonly most: MostAtOnce;
  /** Requests of each migrated cluster; null without any. */
  readonly stepRequests: Spread | null;
  readonly guardRequests: Spread | null;
  readonly nodeRequests: Spread | null;
  /** CPU seconds for each cluster that moved; null where others share the processes. */
  readonly cpu: { readonly worker: number; readonly server: number } | null;
  readonly workerPeakMiB: number;
  /** 99 % of the observations of a guard were not further apart; an upper bound, in seconds. */
  readonly guardGapP99: number | null;
  /** CPU time of one replay. */
  readonly replayMs: number | null;
  readonly held: HeldFigures | null;
}

/** Of run `held`. Percentages are of one core, for one cluster. */
export interface HeldFigures {
  /** How long all of them were there. */
  readonly seconds: number;
  /** Clusters that moved at the same time, mean over that time, by the journal. */
  readonly meanMoving: number;
  readonly heldPercent: CpuShare;
  readonly movingPercent: CpuShare;
  /** Live heap of the worker for one held cluster. */
  readonly heapKiB: number;
  /** Connections of the worker for one held cluster. */
  readonly sockets: number;
}

export interface CpuShare {
  readonly worker: number;
  readonly server: number;
}

type JournalFigures = Pick<
  SimulatedFigures,
  'migrated' | 'burnt' | 'overlapSeconds' | 'most' | `${'step' | 'guard' | 'node'}Requests`
>;

/** What the simulator alone says. `atMs`: the moment of the account, Infinity when the fleet has ended. */
export function journalFigures(
  accounts: readonly SimulatedAccount[],
  atMs: number,
): JournalFigures {
  const migrated = accounts.filter(isMigrated);
  const requests = migrated.map((each) => each.requests);
  return {
    migrated: migrated.length,
    burnt: burntIn(accounts, atMs),
    overlapSeconds: Math.max(0, ...accounts.map((each) => each.overlapSeconds)),
    most: mostAtOnce(accounts),
    stepRequests: spreadOf(requests.map(({ steps }) => steps)),
    guardRequests: spreadOf(requests.map(({ guard }) => guard)),
    nodeRequests: spreadOf(requests.map(({ nodes }) => nodes)),
  };
}

/** CPU seconds of both processes within a time. */
export interface CpuSpent extends CpuShare {
  readonly seconds: number;
}

/** Percent of a core that each of so many clusters costs, beyond what the processes cost without them. */
export function percentEach(spent: CpuSpent, without: CpuSpent, clusters: number): CpuShare {
  const each = (process: 'worker' | 'server'): number =>
    (100 * (spent[process] / spent.seconds - without[process] / without.seconds)) / clusters;
  return { worker: each('worker'), server: each('server') };
}
