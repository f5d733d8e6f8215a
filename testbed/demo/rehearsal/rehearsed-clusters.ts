import type { Fleet } from '../../../config/fleet.js';

type RealFleet = Pick<Fleet, 'clusters' | 'waves'>;

/** The clusters of a fleet that a rehearsal simulates. */
export interface RehearsedWave {
  readonly name: string;
  /** Canaries first; none where the limit left nothing for the wave. */
  readonly clusters: readonly string[];
  readonly canaries: readonly string[];
  /** Of how many. */
  readonly all: number;
}

/**
 * At most so many clusters: one of each wave in turn, its canaries first, then one of each region in turn. What only shows
 * with many clusters is left out, but no wave, canary or cap of a region that a few can show.
 */
export function rehearsedWaves(fleet: RealFleet, most: number): readonly RehearsedWave[] {
  const queues = fleet.waves.map((wave) => queueOf(fleet, wave));
  const taken = queues.map((): string[] => []);
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  let left = most;
  for (let round = 0; round < longest; round++) {
    for (const [index, queue] of queues.entries()) {
      const name = queue[round];
      if (name === undefined || left === 0) continue;
      taken[index]?.push(name);
      left--;
    }
  }
  return fleet.waves.map(({ plan, canaries, clusters }, index) => {
    const own = taken[index] ?? [];
    return {
      ...{ name: plan.name, clusters: own, all: clusters.length },
      canaries: canaries.filter((name) => own.includes(name)),
    };
  });
}

function queueOf({ clusters }: RealFleet, wave: Fleet['waves'][number]): readonly string[] {
  const others = wave.clusters.filter((name) => !wave.canaries.includes(name));
  const regionOf = new Map(clusters.map(({ name, region }) => [name, region]));
  const regions = new Map<string, string[]>();
  for (const name of others) {
    const region = regionOf.get(name) ?? '';
    regions.set(region, [...(regions.get(region) ?? []), name]);
  }
  const lanes = [...regions.values()];
  const rounds = Math.max(0, ...lanes.map(({ length }) => length));
  const inTurn = Array.from({ length: rounds }, (_, round) =>
    lanes.flatMap((lane) => lane[round] ?? []),
  );
  return [...wave.canaries, ...inTurn.flat()];
}

/** A shape for `simulator --shape`: a cluster for each, with its name and labels, as the policy of its wave expects it. */
export function shapeOfRehearsal(fleet: RealFleet, waves: readonly RehearsedWave[]): string {
  const byName = new Map(fleet.clusters.map((cluster) => [cluster.name, cluster]));
  const groups = waves.flatMap(({ clusters }, index) => {
    const policy = fleet.waves[index]?.settings.policy;
    return clusters.map((name) => ({
      name,
      // One worker serves them all; for selectors and caps a label of that name is the region.
      labels: { region: byName.get(name)?.region ?? '', ...byName.get(name)?.labels },
      from: plainVersion(policy?.source.version ?? ''),
      to: plainVersion(policy?.target.version ?? ''),
    }));
  });
  const head = { apiVersion: 'simulator.ccm-migrate.dev/v1', kind: 'SimulatorShape' };
  return `${JSON.stringify({ ...head, groups }, null, 2)}\n`;
}

/** The upstream version that a vendor's is built from: `1.29.15` of `1.29.15-gke.1`. */
export function plainVersion(version: string): string {
  return version.split('-')[0] ?? version;
}
