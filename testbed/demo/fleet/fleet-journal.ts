import type { Truth } from '../../base/truth/truth.js';
import { OWNED } from '../../base/truth/truth.js';
import type { SimulatedRequest } from '../simulator-control.js';

/** Times are those of the simulator's clock, which all its clusters share. */
export interface JournalledCluster {
  readonly name: string;
  readonly region: string;
  /** From the first change to the last one; null when nothing was changed. */
  readonly changing: { readonly fromMs: number; readonly toMs: number } | null;
  readonly changes: number;
  /** Requests that an outage struck. */
  readonly struck: number;
  readonly overlapSeconds: number;
  readonly orphanSeconds: number;
  /** Which managers own the cloud controllers at the end: `kcm` or `ccm`; several or none when something is wrong. */
  readonly owners: readonly string[];
}

/** What really happened to a cluster, from the simulator's journal and its processes. */
export function accountOf(
  cluster: { readonly name: string; readonly region: string },
  journal: readonly SimulatedRequest[],
  truth: Truth,
): JournalledCluster {
  const { name, region } = cluster;
  const changes = journal.filter(isChange);
  const [first, last] = [changes[0], changes.at(-1)];
  const loops = OWNED.map((loop) => truth.controllers[loop]);
  const owners = loops.map(({ intervals }) => intervals.at(-1)?.owners ?? []);
  return {
    ...{ name, region, changes: changes.length },
    changing:
      first === undefined || last === undefined ? null : { fromMs: first.atMs, toMs: last.atMs },
    struck: journal.filter(({ fault }) => fault !== '').length,
    overlapSeconds: Math.max(...loops.map(({ overlapSeconds }) => overlapSeconds)),
    orphanSeconds: Math.max(...loops.map(({ orphanSeconds }) => orphanSeconds)),
    owners: managersOf(owners),
  };
}

const OURS = /^ccm-migrate/;
/** The fence: its renewal says that a run is there, and changes nothing of the cluster. */
const FENCE = 'ccm-migrate';

/** A request of ours that changed the cluster. The fence also stands during soaks and holds, so it is left out. */
export function isChange(request: SimulatedRequest): boolean {
  const { resource, name } = request;
  return isOurWrite(request) && !(resource === 'leases' && name === FENCE);
}

/** The same, with the fence. */
export function isOurWrite({ userAgent, mutating, tookEffect }: SimulatedRequest): boolean {
  return OURS.test(userAgent) && mutating && tookEffect;
}

/** Each loop has to have exactly one owner, of one kind; what is missing is said as `none`. */
function managersOf(owners: readonly (readonly string[])[]): readonly string[] {
  const kinds = owners.flatMap((own) => {
    if (own.length === 0) return ['none'];
    return own.map((owner) => owner.slice(0, owner.indexOf(':')));
  });
  return [...new Set(kinds)].sort();
}

/** The most clusters that were changing at one time: each from its first change to its last. */
export function mostChanging(accounts: readonly Pick<JournalledCluster, 'changing'>[]): number {
  const spans = accounts.flatMap(({ changing }) => (changing === null ? [] : [changing]));
  const at = (momentMs: number): number =>
    spans.filter(({ fromMs, toMs }) => fromMs <= momentMs && momentMs <= toMs).length;
  return Math.max(0, ...spans.map(({ fromMs }) => at(fromMs)));
}
