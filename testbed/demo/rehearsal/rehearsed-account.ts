import { OWNED, type Truth } from '../../base/truth/truth.js';
import { accountOf, isOurWrite, mostChanging } from '../fleet/fleet-journal.js';
import type { JournalledCluster } from '../fleet/fleet-journal.js';
import type { SimulatedRequest } from '../simulator-control.js';

/** What befell a cluster of a rehearsal, by the simulator alone. Times are of its clock. */
export interface RehearsedAccount extends JournalledCluster {
  /** From our first write to the last, those to the fence included: changing, soaking or held. Null without any. */
  readonly fenced: JournalledCluster['changing'];
  /** The longest time for which one of its cloud controllers had no owner. */
  readonly longestOrphanSeconds: number;
}

/** The account of a cluster since a moment: what it was before the fleet began does not count. */
export function rehearsedAccount(
  cluster: { readonly name: string; readonly region: string },
  journal: readonly SimulatedRequest[],
  truth: Truth,
  sinceMs: number,
): RehearsedAccount {
  const writes = journal.filter(isOurWrite);
  const [first, last] = [writes[0], writes.at(-1)];
  const orphans = OWNED.flatMap((loop) => truth.controllers[loop].orphans).filter(
    ({ toMs }) => toMs === null || toMs >= sinceMs,
  );
  return {
    ...accountOf(cluster, journal, truth),
    fenced:
      first === undefined || last === undefined ? null : { fromMs: first.atMs, toMs: last.atMs },
    longestOrphanSeconds: Math.max(0, ...orphans.map(({ seconds }) => seconds)),
  };
}

/** The worst that clusters were exposed to. */
export interface Exposure {
  readonly orphan: { readonly cluster: string; readonly seconds: number };
  readonly overlapSeconds: number;
  readonly mostChanging: number;
  readonly mostUnproven: number;
}

export function worstExposure(accounts: readonly RehearsedAccount[]): Exposure {
  const orphan = accounts.reduce(
    (worst, { name, longestOrphanSeconds: seconds }) =>
      seconds > worst.seconds ? { cluster: name, seconds } : worst,
    { cluster: '', seconds: 0 },
  );
  return {
    orphan,
    overlapSeconds: Math.max(0, ...accounts.map(({ overlapSeconds }) => overlapSeconds)),
    mostChanging: mostChanging(accounts),
    mostUnproven: mostChanging(accounts.map(({ fenced }) => ({ changing: fenced }))),
  };
}

/** The most clusters with one value of a label that were changing at once, and that value. */
export function mostOfLabel(
  accounts: readonly RehearsedAccount[],
  valueOf: (name: string) => string | undefined,
): { readonly value: string; readonly most: number } {
  const values = [...new Set(accounts.flatMap(({ name }) => valueOf(name) ?? []))];
  return values
    .map((value) => ({
      value,
      most: mostChanging(accounts.filter(({ name }) => valueOf(name) === value)),
    }))
    .reduce((worst, one) => (one.most > worst.most ? one : worst), { value: '', most: 0 });
}
