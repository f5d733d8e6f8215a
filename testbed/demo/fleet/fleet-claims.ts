import type { Claim } from '../claims.js';
import type { JournalledCluster } from './fleet-journal.js';
import { mostChanging } from './fleet-journal.js';
import type { FleetReport } from './fleet-report.js';
import { FLEET_STORY as STORY } from './fleet-story.js';
import type { FleetProof } from './proven-fleet.js';

/** Everything that was seen of one fleet from outside, and what the product says about it. */
export interface FleetEvidence {
  readonly accounts: readonly JournalledCluster[];
  readonly report: FleetReport;
  /** On the simulator's clock; null when no approval was given. */
  readonly approvedAtMs: number | null;
  /** Whether the approval of the person who had asked for the fleet was refused. */
  readonly ownApprovalRefused: boolean;
  /** Every need for a person that was ever reported, as `kind subject`. */
  readonly asked: readonly string[];
  /** How often the worker was killed, and how often one was started again. */
  readonly kills: number;
  readonly restarts: number;
  readonly proof: FleetProof;
}

/** Everything that has to hold for the demo of a fleet to pass. */
export function fleetClaims(evidence: FleetEvidence): readonly Claim[] {
  const { accounts, report } = evidence;
  return [
    neverTwoOwners(accounts),
    moved(accounts),
    untouched(accounts),
    wentBack(accounts, report),
    ...limitsKept(accounts),
    canaryFirst(accounts),
    inOrder('pilot', 'main', accounts),
    inOrder('main', 'last', accounts),
    approvedFirst(evidence),
    blipHealed(evidence),
    survived(evidence),
    reportAgrees(accounts, report),
    proven(evidence),
  ];
}

type Accounts = readonly JournalledCluster[];

function named(accounts: Accounts, names: readonly string[]): Accounts {
  return accounts.filter(({ name }) => names.includes(name));
}

function list(accounts: readonly Pick<JournalledCluster, 'name'>[]): string {
  return accounts.map(({ name }) => name).join(', ');
}

export function isOwnedOnlyBy(
  { owners }: Pick<JournalledCluster, 'owners'>,
  manager: 'kcm' | 'ccm',
): boolean {
  return owners.length === 1 && owners[0] === manager;
}

export function neverTwoOwners(accounts: Accounts): Claim {
  const twice = accounts.filter(({ overlapSeconds }) => overlapSeconds !== 0);
  const seen =
    twice.length === 0
      ? `two owners for 0.0 s in ${accounts.length} clusters`
      : `two owners in ${list(twice)}`;
  return { claim: 'never two owners, in any cluster', holds: twice.length === 0, seen };
}

function moved(accounts: Accounts): Claim {
  const all: readonly string[] = [...STORY.pilot, ...STORY.main, ...STORY.last];
  const expected = all.filter((name) => name !== STORY.refused && name !== STORY.failing);
  const right = named(accounts, expected).filter((each) => isOwnedOnlyBy(each, 'ccm'));
  return {
    claim: `the CCM owns the cloud controllers of all ${expected.length} others`,
    holds: right.length === expected.length,
    seen: `${right.length} of ${expected.length}`,
  };
}

function untouched(accounts: Accounts): Claim {
  const [refused] = named(accounts, [STORY.refused]);
  const holds = refused !== undefined && refused.changes === 0 && isOwnedOnlyBy(refused, 'kcm');
  const seen =
    refused === undefined ? 'not seen' : `${refused.changes} changes, owned by ${told(refused)}`;
  return { claim: `${STORY.refused}, refused by preflight, is untouched`, holds, seen };
}

function told({ owners }: JournalledCluster): string {
  return owners.join(' and ');
}

function wentBack(accounts: Accounts, { phases }: FleetReport): Claim {
  const [failing] = named(accounts, [STORY.failing]);
  const phase = phases[STORY.failing] ?? 'unknown';
  const holds =
    failing !== undefined &&
    failing.changes > 0 &&
    isOwnedOnlyBy(failing, 'kcm') &&
    phase === 'back';
  return {
    claim: `${STORY.failing}, which failed, is back on its KCMs`,
    holds,
    seen:
      failing === undefined
        ? 'not seen'
        : `${failing.changes} changes, owned by ${told(failing)}, reported as ${phase}`,
  };
}

function limitsKept(accounts: Accounts): readonly Claim[] {
  const regions = [...new Set(accounts.map(({ region }) => region))];
  const most = mostChanging(accounts);
  const inRegions = regions.map((region) => {
    const there = mostChanging(accounts.filter((each) => each.region === region));
    return { region, there };
  });
  return [
    {
      claim: `never more than ${STORY.inFlight} clusters were changing`,
      holds: most <= STORY.inFlight,
      seen: `${most} at most`,
    },
    {
      claim: `never more than ${STORY.perRegion} of one region`,
      holds: inRegions.every(({ there }) => there <= STORY.perRegion),
      seen: inRegions.map(({ region, there }) => `${region} ${there}`).join(', '),
    },
  ];
}

function canaryFirst(accounts: Accounts): Claim {
  const pilot = named(accounts, STORY.pilot);
  const canary = named(pilot, [STORY.canary]);
  const others = pilot.filter(({ name }) => name !== STORY.canary);
  return changedBefore('the canary was finished before any other cluster changed', canary, others);
}

function inOrder(one: 'pilot' | 'main', next: 'main' | 'last', accounts: Accounts): Claim {
  const claim = `wave ${one} was finished before wave ${next} began`;
  return changedBefore(claim, named(accounts, STORY[one]), named(accounts, STORY[next]));
}

/** Whether every change of some clusters was over before the first one of others. */
export function changedBefore(claim: string, earlier: Accounts, later: Accounts): Claim {
  const ends = earlier.flatMap(({ changing }) => (changing === null ? [] : [changing.toMs]));
  const starts = later.flatMap(({ changing }) => (changing === null ? [] : [changing.fromMs]));
  if (ends.length === 0 || starts.length === 0) return { claim, holds: false, seen: 'no changes' };
  const apartMs = Math.min(...starts) - Math.max(...ends);
  return { claim, holds: apartMs > 0, seen: `${(apartMs / 1000).toFixed(1)} s between them` };
}

function approvedFirst({ accounts, approvedAtMs, ownApprovalRefused }: FleetEvidence): Claim {
  const starts = named(accounts, STORY.last).flatMap(({ changing }) =>
    changing === null ? [] : [changing.fromMs],
  );
  const first = Math.min(...starts);
  const waited = approvedAtMs !== null && starts.length > 0 && first > approvedAtMs;
  const own = `${STORY.requester}, who had asked, was ${ownApprovalRefused ? 'refused' : 'accepted'}`;
  const after =
    approvedAtMs === null
      ? 'not approved'
      : `${((first - approvedAtMs) / 1000).toFixed(1)} s later`;
  return {
    claim: `wave last began after ${STORY.approver} had approved it`,
    holds: waited && ownApprovalRefused,
    seen: `${after}; ${own}`,
  };
}

function blipHealed({ accounts, report: { burnt }, asked }: FleetEvidence): Claim {
  const region = accounts.filter((each) => each.region === STORY.blipped);
  const struck = region.reduce((sum, each) => sum + each.struck, 0);
  const kept = region.every((each) => each.name === STORY.refused || isOwnedOnlyBy(each, 'ccm'));
  const words = asked.filter((need) => need.includes(STORY.blipped));
  // The cluster that failed is the only one that used the budget.
  return {
    claim: `region ${STORY.blipped} was cut off and healed by itself, and used nothing of the failure budget`,
    holds: struck > 0 && kept && burnt === 1 && words.length === 0,
    seen: `${struck} requests were cut; ${burnt} of the budget used, by ${STORY.failing}; ${
      words.length === 0 ? 'no person was asked' : `asked: ${words.join(', ')}`
    }`,
  };
}

function survived({ kills, restarts }: FleetEvidence): Claim {
  return {
    claim: `a worker of ${STORY.killed} was killed on the way, and another one went on`,
    holds: kills === 1 && restarts >= 1,
    seen: `${kills} killed, ${restarts} started again`,
  };
}

function proven({ proof: { isProven, said } }: FleetEvidence): Claim {
  return {
    claim: `who asked for the fleet, and that ${STORY.approver} approved wave last, is proven by its export`,
    holds: isProven && said.some((line) => line.includes(`wave last by ${STORY.approver}`)),
    seen: said.join('; '),
  };
}

/** What each phase says about who owns the cluster. */
const OWNER_OF: Readonly<Record<string, 'kcm' | 'ccm'>> = {
  proven: 'ccm',
  back: 'kcm',
  skipped: 'kcm',
};

export function reportAgrees(accounts: Accounts, { phases, standing }: FleetReport): Claim {
  const wrong = accounts.filter((each) => {
    const owner = OWNER_OF[phases[each.name] ?? ''];
    return owner === undefined || !isOwnedOnlyBy(each, owner);
  });
  const counts = new Map<string, number>();
  for (const phase of Object.values(phases)) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  const shown = [...counts].map(([phase, count]) => `${count} ${phase}`).join(', ');
  const seen = wrong.length === 0 ? shown : `not as reported: ${list(wrong)} (${shown})`;
  return {
    claim: "the product's report agrees with the simulator",
    holds: wrong.length === 0 && accounts.length > 0 && standing === 'done',
    seen: `${standing}; ${seen}`,
  };
}
