import { MANAGER_NAMES } from '../../base/manager-names.js';
import type { LoopsOfProcess } from './loops-of-process.js';
import type { HoldingPeriod } from './holding-periods.js';
import type { ProcessLife } from './process-lives.js';

/** A node, identified by the source address of its requests. */
export interface Host {
  readonly node: string;
  /** The OS hostname: holder identities begin with it. */
  readonly hostname: string;
}

export interface LivingProcess {
  readonly life: ProcessLife;
  readonly loops: LoopsOfProcess;
}

export interface Holder extends LivingProcess {
  readonly holdingPeriods: readonly HoldingPeriod[];
}

export interface Holders {
  readonly holders: readonly Holder[];
  /** What the two sources together do not explain. */
  readonly contradictions: readonly string[];
}

/** Starts are computed from ticks of 10 ms and the uptime, which the kernel prints in hundredths. */
const START_SLACK_MS = 100;
/**
 * A renewal in flight when its process ended arrives later, on a loaded machine by more than one interval of the
 * process monitor. No other process ever has that identity: it ends in a UUID.
 */
const ON_ITS_WAY_MS = 1_000;

/**
 * Matches each identity that held a Lease with its process: the API server shows from which node it wrote, the
 * process monitor which processes lived there all that time. Exactly one must match.
 */
export function matchHolders(
  holdingPeriods: readonly HoldingPeriod[],
  processes: readonly LivingProcess[],
  hosts: ReadonlyMap<string, Host>,
): Holders {
  const contradictions: string[] = [];
  const holders: Holder[] = [];
  const identities = [...new Set(holdingPeriods.map(({ identity }) => identity))];
  for (const identity of identities) {
    const own = holdingPeriods.filter((holdingPeriod) => holdingPeriod.identity === identity);
    const fittingWithin = (lateMs: number): readonly LivingProcess[] =>
      processes.filter((process) => fits(process, own, hosts, lateMs));
    const exactly = fittingWithin(0);
    const fitting = exactly.length > 0 ? exactly : fittingWithin(ON_ITS_WAY_MS);
    const [found] = fitting;
    if (found === undefined || fitting.length > 1) {
      contradictions.push(`${told(own)}, but ${fitting.length} processes match in place and time`);
      continue;
    }
    contradictions.push(...strangeWriters(found, own), ...strangeName(identity, own, hosts));
    holders.push({ ...found, holdingPeriods: own });
  }
  return { holders, contradictions };
}

function told(own: readonly HoldingPeriod[]): string {
  return own
    .map(({ lease, identity, fromMs, addresses }) => {
      const from = addresses.join(', ');
      return `the API server had ${lease} held by ${identity} from ${from} since ${timeText(fromMs)}`;
    })
    .join('; ');
}

function fits(
  { life, loops }: LivingProcess,
  own: readonly HoldingPeriod[],
  hosts: ReadonlyMap<string, Host>,
  lateMs: number,
): boolean {
  return own.every(
    ({ lease, addresses, fromMs, lastWriteMs }) =>
      (lease === loops.mainLease || lease === loops.migrationLease) &&
      addresses.every((address) => hosts.get(address)?.node === life.node) &&
      life.startedAtMs <= fromMs + START_SLACK_MS &&
      (life.endedMs === null || lastWriteMs <= life.endedMs + lateMs),
  );
}

/** A manager must write as itself, by certificate or as its service account. */
function strangeWriters({ life }: LivingProcess, own: readonly HoldingPeriod[]): readonly string[] {
  const name = MANAGER_NAMES[life.manager];
  const usual = [`system:${name}`, `system:serviceaccount:kube-system:${name}`];
  return own.flatMap(({ lease, identity, users }) =>
    users
      .filter((user) => !usual.includes(user))
      .map((user) => `${user} wrote ${lease} in the name of ${identity}`),
  );
}

function strangeName(
  identity: string,
  own: readonly HoldingPeriod[],
  hosts: ReadonlyMap<string, Host>,
): readonly string[] {
  return own
    .flatMap(({ addresses }) => addresses)
    .flatMap((address) => {
      const hostname = hosts.get(address)?.hostname ?? '';
      return identity.startsWith(`${hostname}_`)
        ? []
        : [`${identity} does not begin with the name of its host ${hostname}`];
    });
}

/** For messages: time of day, UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
