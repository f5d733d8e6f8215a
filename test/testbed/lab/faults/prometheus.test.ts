import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../../../../config/fleet.js';
import type { OwnGate } from '../../../../domain/policy.js';
import { overlapComplaints } from '../../../support/run-complaints.js';
import { judgeLabDirection } from '../runs/judge-lab-direction.js';
import { driveLabDirection, told } from '../runs/lab-direction.js';
import { LabRuns } from '../runs/lab-runs.js';
import { describeInLab } from '../wanted.js';
import { happens } from './fault-cases.js';
import { judgedFleet } from './judged-fleet.js';

jest.setTimeout(15 * 60_000);

/** What an API server works on, which is never as much here; served with any owner of the cloud controllers. */
const OWN: OwnGate = {
  ...{ name: 'apiBusy', kind: 'gauge', limit: { above: 500 } },
  promql: 'max by (cluster) (apiserver_current_inflight_requests)',
};
/** Counted on the same server's own metrics; far from their limits. */
const COUNTING: readonly OwnGate[] = [
  {
    ...{ name: 'apiErrors', kind: 'ratio', limit: 0.5 },
    ...{ bad: 'apiserver_request_total{code=~"5.."}', total: 'apiserver_request_total' },
  },
  {
    ...{ name: 'apiLatency', kind: 'quantile', quantile: 0.5, limit: 60 },
    histogram: 'apiserver_request_duration_seconds{verb!="WATCH"}',
  },
];
/** How long a server that is away says nothing bad; then the run holds. */
const UNMEASURED_MS = 5_000;
/** Longer than the gate needs to fail for a number, so that silence has its chance to be taken for one. */
const HELD_MS = 40_000;
const SOAK_SECONDS = 30;

describeInLab('a Prometheus that dies during a migration', () => {
  let lab: LabRuns;
  beforeAll(async () => {
    lab = await LabRuns.open({ nodes: 1, prometheus: true, change: judged });
  });
  afterAll(() => lab.close());

  it('holds a run that may turn by itself, which goes on when it is back, and turns nothing', async () => {
    const targets: string[] = [];
    let isKilled = false;
    let isBack = false;
    const direction = await driveLabDirection(lab, {
      ...{ target: 'ccm', reason: 'no Prometheus', strikes: [] },
      seen: async ({ inFlight, target, findings }) => {
        targets.push(target);
        if (!isKilled && inFlight === 'soaking') {
          isKilled = true;
          await happens(lab, { kind: 'killPrometheus' });
        }
        const holds = findings.some(({ subject }) => subject.includes(OWN.name));
        if (isKilled && !isBack && inFlight === 'held' && holds) {
          isBack = true;
          await sleep(HELD_MS);
          await happens(lab, { kind: 'restorePrometheus' });
        }
      },
    });
    process.stderr.write(
      `${direction.outcome?.kind ?? 'no end'} after ${direction.seconds.toFixed(0)} s; held for ${told(direction.holds)}\n`,
    );
    expect({ isKilled, isBack }).toEqual({ isKilled: true, isBack: true });
    expect(new Set(targets)).toEqual(new Set(['ccm']));
    expect(told(direction.holds)).toMatch(/^gates \(CCM\d+ soft gate apiBusy: error/);
    expect(await judgeLabDirection(lab, direction)).toEqual([]);
    expect(overlapComplaints(direction.truth)).toEqual([]);
  });
});

function judged(fleet: Fleet): Fleet {
  const own = { everyMs: 2_000, unmeasuredMs: UNMEASURED_MS, own: [OWN, ...COUNTING] };
  const { policy, ...rest } = judgedFleet(fleet, own);
  return { ...rest, policy: { ...policy, onBreach: 'rollBack', soakSeconds: SOAK_SECONDS } };
}
