import type { Fleet } from '../../config/fleet.js';
import { guardTaskQueue } from '../../config/names.js';
import { makeFinding } from '../../domain/findings/catalogue.js';
import type { Finding } from '../../domain/findings/finding.js';
import { counted, someNames } from '../terminal/wording.js';
import { typedCommand } from '../typed-command.js';
import type { FoundAt } from './finding-groups.js';
import { REPEATED_FIX, repeatedClusters } from './read-clusters.js';

/** What of a fleet no worker serves. */
export interface UnservedFleet {
  /** All of them, those of regions too. */
  readonly queues: readonly string[];
  readonly regions: readonly { readonly region: string; readonly queues: readonly string[] }[];
}

/** The same, and how many guards those workers that poll can run. */
export interface ServedFleet extends UnservedFleet {
  /** Of regions in which every worker that polls for guards says its slots. */
  readonly guardSlots: readonly { readonly region: string; readonly slots: number }[];
  /** Regions in which one does not say: a worker of another version. */
  readonly slotsUnknown: readonly string[];
  /** Regions whose workers have no room for another guard now. */
  readonly full: readonly string[];
}

/** One cluster under several names: which one is meant cannot be told. */
export function repeatedFindings(
  read: readonly { readonly uid: string; readonly name: string }[],
): readonly FoundAt[] {
  return [...repeatedClusters(read)].map(([uid, names]) => ({
    finding: {
      ...makeFinding('CCM4010', {
        subject: `cluster ${uid}`,
        seen: `${counted(names.length, 'name')}: ${someNames(names)}`,
      }),
      why: 'A cluster has one run, and the fleet would count it several times: plan leaves out all of these names.',
      fix: REPEATED_FIX,
    },
    clusters: names,
  }));
}

/** What workers do not serve, or not with slots enough. */
export function servingFindings(
  { clusters, rollout }: Pick<Fleet, 'clusters' | 'rollout'>,
  { queues, regions, guardSlots, full }: ServedFleet,
): readonly FoundAt[] {
  const ofRegions = new Set(regions.flatMap((each) => each.queues));
  const shared = queues.filter((name) => !ofRegions.has(name));
  const named = (region: string): readonly string[] =>
    clusters.filter((each) => each.region === region).map(({ name }) => name);
  return [
    ...(shared.length === 0
      ? []
      : [
          {
            finding: unserved('fleet', shared, ['worker', '-f', 'INVENTORY']),
            clusters: clusters.map(({ name }) => name),
          },
        ]),
    ...regions.map(({ region, queues: missing }) => ({
      finding: unserved(`region ${region}`, missing, WORKER_OF_REGION(region)),
      clusters: named(region),
    })),
    ...guardSlots.flatMap(({ region, slots }) => {
      const needed = Math.min(rollout.unproven, named(region).length);
      return slots >= needed
        ? []
        : [{ finding: fewSlots(region, slots, needed), clusters: named(region) }];
    }),
    ...full.map((region) => ({ finding: noRoom(region), clusters: named(region) })),
  ];
}

const WORKER_OF_REGION = (region: string): readonly string[] => [
  ...['worker', '-f', 'INVENTORY', '--region'],
  region,
];

function unserved(subject: string, queues: readonly string[], start: readonly string[]): Finding {
  return {
    ...makeFinding('CCM4018', { subject, seen: `no worker polls ${queues.join(', ')}` }),
    fix: `Start \`${typedCommand(start)}\` before you apply.`,
  };
}

function noRoom(region: string): Finding {
  return makeFinding('CCM4038', {
    subject: `region ${region}`,
    seen: 'its workers are full or busy, so that clusters are queued there',
  });
}

function fewSlots(region: string, slots: number, needed: number): Finding {
  return makeFinding('CCM4032', {
    subject: `region ${region}`,
    seen: `${counted(slots, 'slot')} of the workers that poll ${guardTaskQueue(region)}, and ${needed} clusters may be unproven there`,
  });
}
