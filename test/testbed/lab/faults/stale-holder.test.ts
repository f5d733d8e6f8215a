import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { MigrationPolicy } from '../../../../domain/policy.js';
import { overlapComplaints } from '../../../support/run-complaints.js';
import { MIGRATION } from '../../simulator/environment.js';
import { judgeLabDirection } from '../runs/judge-lab-direction.js';
import { driveLabDirection, RETRY, told, type LabDirection } from '../runs/lab-direction.js';
import { LabRuns } from '../runs/lab-runs.js';
import { describeInLab } from '../wanted.js';
import { untilSo } from '../truth/until.js';
import { happens } from './fault-cases.js';

jest.setTimeout(25 * 60_000);

/** The CCM that owns the cloud controllers when a rollback begins, and its processes. */
interface Stopped {
  readonly node: string;
  readonly holder: string;
  readonly pids: readonly number[];
}

async function stopHolder(environment: LabRuns): Promise<Stopped> {
  const holder = await environment.holder(MIGRATION);
  const node = await environment.nodeOfHolder(MIGRATION);
  const pids = environment.pids(node, 'ccm');
  await happens(environment, { kind: 'pauseManager', node, manager: 'ccm' });
  return { node, holder, pids };
}

function isStopped(environment: LabRuns, { node, pids }: Stopped): boolean {
  return environment.pids(node, 'ccm').some((pid) => pids.includes(pid));
}

async function untilEnded(environment: LabRuns, stopped: Stopped): Promise<void> {
  await untilSo('the stopped process has ended', () => !isStopped(environment, stopped));
}

/** A rollback in which the CCM that holds the Lease is stopped by SIGSTOP. `answer`: what a person does when the run holds. */
async function rollBack(
  environment: LabRuns,
  policy: MigrationPolicy,
  answer?: (stopped: Stopped) => Promise<void>,
): Promise<{ readonly direction: LabDirection; readonly stopped: Stopped }> {
  const seen: Stopped[] = [];
  const only = (): Stopped => {
    const [stopped] = seen;
    if (stopped === undefined) throw new Error('nothing was stopped');
    return stopped;
  };
  const direction = await driveLabDirection(environment, {
    ...{ target: 'kcm', reason: `a stopped holder: ${policy.staleHolder}`, policy },
    strikes: [
      {
        moment: 'firstChanged',
        strike: async () => {
          seen.push(await stopHolder(environment));
        },
      },
    ],
    ...(answer === undefined
      ? {}
      : {
          answer: async () => {
            await answer(only());
            await environment.untilHealthy();
            return RETRY;
          },
        }),
  });
  return { direction, stopped: only() };
}

type StaleHolder = NonNullable<MigrationPolicy['staleHolder']>;

/** Each story migrates the cluster, and its rollback leaves it on its KCMs for the next. */
describeInLab(
  'a CCM that holds the Lease is stopped by a signal',
  () => {
    let lab: LabRuns;
    beforeAll(async () => {
      lab = await LabRuns.open();
    });
    afterAll(() => lab.close());

    /** The cluster is on its CCM. The soak is short, as the fault comes before it. */
    const migrated = async (staleHolder: StaleHolder): Promise<MigrationPolicy> => {
      const policy = { ...lab.parts.fleet.policy, staleHolder, soakSeconds: 1 };
      const forward = await driveLabDirection(lab, {
        ...{ target: 'ccm', reason: 'before the fault', strikes: [], policy },
      });
      expect(await judgeLabDirection(lab, forward)).toEqual([]);
      return policy;
    };

    it('the run holds and names it, until a person has ended it', async () => {
      const policy = await migrated('hold');
      const { direction, stopped } = await rollBack(lab, policy, async (found) => {
        // Ended, and not continued: that would make it a second owner. Once: killed at every hold it would keep crashing.
        if (!isStopped(lab, found)) return;
        await happens(lab, { kind: 'killManager', node: found.node, manager: 'ccm' });
        await untilEnded(lab, found);
      });
      say('hold', direction);
      expect(told(direction.holds)).toMatch(/CCM2010|CCM3008|CCM4023/);
      expect(told(direction.holds)).toContain(stopped.node);
      expect(await judgeLabDirection(lab, direction)).toEqual([]);
      expect(overlapComplaints(direction.truth)).toEqual([]);
    });

    it('with `staleHolder: kill` the run ends it and goes on without a person, never two owners', async () => {
      const policy = await migrated('kill');
      const { direction, stopped } = await rollBack(lab, policy);
      say('kill', direction);
      await untilEnded(lab, stopped);
      const ended = direction.records.flatMap(({ entry }) =>
        entry.kind === 'intent' && entry.intent.verb === 'endProcess' ? [entry.intent] : [],
      );
      expect(ended).toHaveLength(1);
      expect(ended[0]?.object).toContain(`Process ${stopped.node}/`);
      expect(await judgeLabDirection(lab, direction)).toEqual([]);
      expect(overlapComplaints(direction.truth)).toEqual([]);
      expect(direction.truth.service.overlapSeconds).toBe(0);
    });
  },
  10,
);

/** Printed for the record of a run; no assertion uses it. */
function say(staleHolder: string, { outcome, seconds, truth, holds }: LabDirection): void {
  const { overlapSeconds, orphanSeconds } = truth.service;
  process.stderr.write(
    `staleHolder: ${staleHolder}: ${outcome?.kind ?? 'no end'} after ${seconds.toFixed(0)} s, two owners ${overlapSeconds.toFixed(1)} s, none ${orphanSeconds.toFixed(1)} s, holds ${told(holds)}\n`,
  );
}
