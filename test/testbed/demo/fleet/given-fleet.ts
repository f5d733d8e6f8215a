import type { FleetEvidence } from '../../../../testbed/demo/fleet/fleet-claims.js';
import type { JournalledCluster } from '../../../../testbed/demo/fleet/fleet-journal.js';
import { FLEET_STORY } from '../../../../testbed/demo/fleet/fleet-story.js';

/** When each cluster changes in a run that goes as it should, in seconds; at most two at once. */
const CHANGED: Readonly<Record<string, readonly [number, number]>> = {
  ...{ 'eu-1': [0, 20], 'eu-2': [30, 50], 'us-1': [30, 50], 'eu-3': [60, 80], 'us-2': [60, 85] },
  ...{ 'eu-4': [90, 110], 'eu-5': [90, 95], 'us-3': [96, 115] },
  ...{ 'eu-6': [130, 150], 'us-5': [131, 150], 'us-6': [151, 170] },
};

/** The account of one cluster of a good run. */
export function accountIn(
  name: string,
  changes: Partial<JournalledCluster> = {},
): JournalledCluster {
  const span = CHANGED[name];
  const isBack = name === FLEET_STORY.failing || name === FLEET_STORY.refused;
  return {
    ...{ name, region: name.slice(0, 2), overlapSeconds: 0, orphanSeconds: 2 },
    changing: span === undefined ? null : { fromMs: span[0] * 1000, toMs: span[1] * 1000 },
    changes: span === undefined ? 0 : 40,
    struck: name.startsWith('us') ? 5 : 0,
    owners: isBack ? ['kcm'] : ['ccm'],
    ...changes,
  };
}

const NAMES: readonly string[] = [...FLEET_STORY.pilot, ...FLEET_STORY.main, ...FLEET_STORY.last];

function phaseOf(name: string): string {
  if (name === FLEET_STORY.refused) return 'skipped';
  return name === FLEET_STORY.failing ? 'back' : 'proven';
}

/** A good run, with some accounts replaced by others of the same name. */
export function evidenceWith(
  changes: Partial<FleetEvidence> = {},
  ...others: readonly JournalledCluster[]
): FleetEvidence {
  return {
    accounts: NAMES.map((name) => others.find((other) => other.name === name) ?? accountIn(name)),
    report: reportWith({}),
    approvedAtMs: 120_000,
    ownApprovalRefused: true,
    asked: ['approval simulated/wave/last'],
    kills: 1,
    restarts: 1,
    proof: { isProven: true, said: ['approvals: wave last by ben (you, BREAK-GLASS)'] },
    ...changes,
  };
}

export function reportWith(changes: Partial<FleetEvidence['report']>): FleetEvidence['report'] {
  const phases = Object.fromEntries(NAMES.map((name) => [name, phaseOf(name)]));
  return { standing: 'done', phases, burnt: 1, needs: [], ...changes };
}
