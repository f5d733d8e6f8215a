import { afterAll, expect, it, jest } from '@jest/globals';
import type { OwnershipFigures } from '../../../../domain/ownership/ownership-trace.js';
import type { Fleet } from '../../../../config/fleet.js';
import type { Target } from '../../../../domain/vocabulary.js';
import { judgeLabDirection } from '../runs/judge-lab-direction.js';
import { driveLabDirection, RETRY, told, type LabDirection } from '../runs/lab-direction.js';
import { LabRuns } from '../runs/lab-runs.js';
import { describeInWholeLab } from '../wanted.js';
import { FAULTS, type FaultCase } from './fault-cases.js';
import { holdComplaints, sharedOwnership } from './judge-fault.js';

jest.setTimeout(25 * 60_000);

/**
 * The product's own workflow on three real nodes in place. Each case goes forward and back and leaves the cluster on its KCMs for the next;
 * after a failed one the next gets a new lab.
 */
describeInWholeLab('a migration on real control planes completes under faults', () => {
  let environment: LabRuns | null = null;
  let isOnKcm = false;
  afterAll(async () => environment?.close());

  const environmentOnKcm = async (): Promise<LabRuns> => {
    const used = environment;
    if (used !== null && !isOnKcm) {
      environment = null;
      await used.close();
    }
    environment ??= await LabRuns.open({ change: impatient });
    isOnKcm = false;
    return environment;
  };

  it.each(FAULTS.map((fault) => [fault.name, fault] as const))(
    'forward and rollback complete correctly under this fault: %s',
    async (_name, fault) => {
      const at = await environmentOnKcm();
      for (const target of ['ccm', 'kcm'] as const) {
        expect(await complaintsOf(at, fault, target)).toEqual([]);
      }
      isOnKcm = true;
    },
  );
});

/** The fault comes before the soak, so the soak is short, and what a dead node owes is not waited for two minutes. */
function impatient(fleet: Fleet): Fleet {
  const { policy, timings } = fleet;
  return {
    ...fleet,
    policy: { ...policy, soakSeconds: 1 },
    timings: { ...timings, effectMs: 60_000 },
  };
}

async function complaintsOf(
  environment: LabRuns,
  fault: FaultCase,
  target: Target,
): Promise<readonly string[]> {
  const nodes: string[] = [];
  const remedies: (() => Promise<void>)[] = [];
  const direction = await driveLabDirection(environment, {
    ...{ target, reason: fault.name },
    strikes: fault.moments.map((moment) => ({
      moment,
      strike: async (place) => {
        const { node, remedy } = await fault.strike(environment, place, target);
        nodes.push(node);
        if (remedy !== null) remedies.push(remedy);
      },
    })),
    answer: async () => {
      // Once: a remedied fault does not return.
      for (const remedy of remedies.splice(0)) await remedy();
      await environment.untilHealthy();
      return RETRY;
    },
  });
  say(fault, direction);
  return [
    ...(await judgeLabDirection(environment, direction)),
    ...holdComplaints(fault, { holds: direction.holds, node: nodes[0] ?? '' }),
    ...sharedOwnership(fault, direction),
  ].map((complaint) => `toward ${target}: ${complaint}`);
}

/** Printed for the record of a run; no assertion uses it. */
function say({ name }: FaultCase, { target, truth, outcome, holds, seconds }: LabDirection): void {
  const figures = (said: Figures | null): string =>
    said === null
      ? 'nothing'
      : `two owners ${said.overlapSeconds.toFixed(1)} s, none ${said.orphanSeconds.toFixed(1)} s${unknownIn(said)}, ${said.moves.toFixed(0)} moves`;
  const lines = [
    `fault "${name}" to ${target}: ${outcome?.kind ?? 'no end'} after ${seconds.toFixed(0)} s`,
    `held for ${holds.length === 0 ? 'nothing' : told(holds)}`,
    `the lab measured ${figures(truth.service)}; the product reports ${figures(outcome?.guard ?? null)}`,
  ];
  process.stderr.write(`${lines.join('\n  ')}\n`);
}

/** The lab's own account has no unknown time. */
function unknownIn({ unknownSeconds = 0 }: Figures): string {
  return unknownSeconds > 0 ? `, unknown ${unknownSeconds.toFixed(1)} s` : '';
}

type Figures = Omit<OwnershipFigures, 'unknownSeconds'> & Partial<OwnershipFigures>;
