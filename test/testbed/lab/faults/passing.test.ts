import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fleet } from '../../../../config/fleet.js';
import type { Target } from '../../../../domain/vocabulary.js';
import { overlapComplaints } from '../../../support/run-complaints.js';
import { judgeLabDirection } from '../runs/judge-lab-direction.js';
import { driveLabDirection, told, type Strike } from '../runs/lab-direction.js';
import { LabRuns } from '../runs/lab-runs.js';
import { describeInWholeLab } from '../wanted.js';
import { PASSING_FAULTS } from './passing-cases.js';

jest.setTimeout(25 * 60_000);

/** A migration, and what is not as it must be after it although no operator acted. */
async function complaintsOf(
  environment: LabRuns,
  target: Target,
  reason: string,
  strikes: readonly Strike[] = [],
): Promise<readonly string[]> {
  await environment.untilHealthy();
  const direction = await driveLabDirection(environment, { target, reason, strikes });
  const { overlapSeconds, orphanSeconds, moves } = direction.truth.service;
  const held = direction.holds.length === 0 ? 'nothing' : told(direction.holds);
  // Printed for the record of a run; no assertion uses it.
  process.stderr.write(
    `"${reason}" to ${target}: ${direction.outcome?.kind ?? 'no end'} after ${direction.seconds.toFixed(0)} s, two owners ` +
      `${overlapSeconds.toFixed(1)} s, none ${orphanSeconds.toFixed(1)} s, ${String(moves)} moves; held for ${held}\n`,
  );
  return [
    ...(await judgeLabDirection(environment, direction)),
    ...overlapComplaints(direction.truth),
  ].map((complaint) => `toward ${target}: ${complaint}`);
}

describeInWholeLab(
  'a migration of three real nodes in place survives what its environment does and undoes',
  () => {
    let environment: LabRuns;
    beforeAll(async () => {
      environment = await LabRuns.open({ change: quick });
    });
    afterAll(() => environment.close());

    it.each(PASSING_FAULTS.map((fault) => [fault.name, fault] as const))(
      'forward and rollback complete correctly without any command under this fault: %s',
      async (name, { moment, strike }) => {
        for (const target of ['ccm', 'kcm'] as const) {
          const struck = {
            moment,
            strike: (place: Parameters<Strike['strike']>[0]) => strike(environment, place),
          };
          expect(await complaintsOf(environment, target, name, [struck])).toEqual([]);
        }
      },
    );
  },
);

describeInWholeLab('five real nodes migrate in place', () => {
  let environment: LabRuns;
  beforeAll(async () => {
    environment = await LabRuns.open({ nodes: 5, change: quick });
  });
  afterAll(() => environment.close());

  it('forward and rollback complete correctly, and no runtime of a worker warns', async () => {
    for (const target of ['ccm', 'kcm'] as const) {
      expect(await complaintsOf(environment, target, 'five nodes')).toEqual([]);
    }
    const log = readFileSync(join(environment.parts.folder, 'worker.log'), 'utf8');
    expect(log.split('\n').filter((line) => /^\(node:\d+\)|Warning:/.test(line))).toEqual([]);
  });
});

function quick(fleet: Fleet): Fleet {
  return { ...fleet, policy: { ...fleet.policy, soakSeconds: 1 } };
}
