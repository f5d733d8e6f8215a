import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../../../../config/fleet.js';
import { holdsRun, type GateVerdict } from '../../../../domain/gates/verdicts.js';
import type { MigrationPolicy } from '../../../../domain/policy.js';
import { PROBE_NAMESPACE } from '../../../../domain/probes/balancer-probe.js';
import type { Target } from '../../../../domain/vocabulary.js';
import type { CloudFault } from '../../../../testbed/lab/cloud/cloud-call.js';
import { overlapComplaints } from '../../../support/run-complaints.js';
import { judgeLabDirection } from '../runs/judge-lab-direction.js';
import { driveLabDirection, RETRY, told, type LabDirection } from '../runs/lab-direction.js';
import { LabRuns } from '../runs/lab-runs.js';
import { SERVICES } from '../truth/lab-observations.js';
import { addressesOf, loadBalancerService } from '../truth/objects.js';
import { untilSo } from '../truth/until.js';
import type { StepRecord } from '../../../../domain/run/run-state.js';
import type { ClusterStatus } from '../../../../workflows/messages.js';
import { describeInLab } from '../wanted.js';
import { happens } from './fault-cases.js';
import { GateLog, gateLines } from './gate-log.js';
import { judgedFleet } from './judged-fleet.js';

jest.setTimeout(20 * 60_000);

/** In a soak the guard samples every 10 s, and writes what merely passes into the fence only with a renewal, every 30 s. */
const QUIET_MS = 30_000;
const REPORTED_WITHIN_MS = 60_000;
/** Longer than each fault needs to be found; the rollback has a soak of the same length. */
const SOAK_SECONDS = { refused: 110, hanging: 160 } as const;
/** The gate's limit is 120 s; the rest is for the guard to see it and for the run to hold. */
const HANG_MS = 150_000;
const CCM = 'cloud-controller-manager';
const SERVICES_OF_PROBES = `/api/v1/namespaces/${PROBE_NAMESPACE}/services`;

/** One real control-plane node in place, and a worker, which load balancers need. */
describeInLab(
  'what the cloud does to the new owner stops or turns a run',
  () => {
    let environment: LabRuns;
    let gates: GateLog;
    beforeAll(async () => {
      environment = await LabRuns.open({ nodes: 1, workers: 1, change: watched });
      await environment.cluster.api.must('POST', SERVICES, loadBalancerService('before'));
      await hasAddress('before');
      const namespace = {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: PROBE_NAMESPACE },
      };
      await environment.cluster.api.must('POST', '/api/v1/namespaces', namespace);
    });
    afterAll(() => environment.close());
    beforeEach(() => {
      gates = new GateLog(environment);
    });
    afterEach(() => {
      gates.close();
      // Printed for the record of a run; no assertion uses it.
      process.stderr.write(`what the gates said:\n${gateLines(gates.said)}`);
    });

    it('gates measure a healthy cluster; a cloud that refuses calls fails one, and the run rolls back by itself', async () => {
      const stages = openStages();
      let probed: readonly StepRecord[] = [];
      const direction = await driveLabDirection(environment, {
        ...{ target: 'ccm', reason: 'a cloud that refuses', strikes: [] },
        policy: policyOf({
          ...{ onBreach: 'rollBack', soakSeconds: SOAK_SECONDS.refused },
          probes: { balancer: { annotations: {}, withinMs: 120_000 } },
        }),
        seen: async (status) => {
          probed = probesIn(status);
          if (stages.reaches('soaks', status.inFlight === 'soaking')) {
            await sleep(QUIET_MS);
            expect((await gatesOfNewOwner()).filter(holdsRun)).toEqual([]);
            expect(
              gates.said.filter(({ verdict }) => holdsRun(verdict) && isReported(verdict)),
            ).toEqual([]);
            await cloud({ component: CCM, error: 'AccessDenied: not authorized' });
            await environment.cluster.api.must('POST', SERVICES, loadBalancerService('refused'));
          }
          if (stages.reaches('turned', status.target === 'kcm')) {
            expect(status.requestedBy.actor).toBe('policy onBreach');
            expect(status.requestedBy.reason).toContain('servicesKeepWorking (CCM3104)');
            await cloud();
          }
        },
      });
      expect(stages.reached()).toEqual(['soaks', 'turned']);
      await expectEnd(direction, 'kcm');
      await hasAddress('refused');
      expectProbes(probed, ['preflight', 'verify', 'verify']);
      const left = await environment.cluster.api.must('GET', SERVICES_OF_PROBES);
      expect(left).toMatchObject({ items: [] });
    });

    it('a cloud that does not answer fails a gate, and the run holds until a person has seen it answer', async () => {
      const stages = openStages();
      const direction = await driveLabDirection(environment, {
        ...{ target: 'ccm', reason: 'a cloud that hangs', strikes: [] },
        policy: policyOf({ onBreach: 'hold', soakSeconds: SOAK_SECONDS.hanging }),
        seen: async (status) => {
          if (stages.reaches('soaks', status.inFlight === 'soaking')) {
            await cloud({ component: CCM, op: 'EnsureLoadBalancer', delayMs: HANG_MS });
            await environment.cluster.api.must('POST', SERVICES, loadBalancerService('hanging'));
          }
        },
        answer: async (hold) => {
          stages.reaches('held', told([hold]).includes('CCM3101'));
          await cloud();
          await hasAddress('hanging');
          await untilSo('no gate holds', async () => !(await gates.read()).some(holdsRun));
          return RETRY;
        },
      });
      expect(stages.reached()).toEqual(['soaks', 'held']);
      expect(told(direction.holds)).toMatch(
        /^gates \(CCM3101 .*service(Queue|Processor)Stuck: fail/,
      );
      expect(direction.holds).toHaveLength(1);
      await expectEnd(direction, 'ccm');
    });

    /** What all gates say once they have seen the cloud through the eyes of the CCM: it tells of each Service when it takes over. */
    async function gatesOfNewOwner(): Promise<readonly GateVerdict[]> {
      const isSeen = async (): Promise<boolean> =>
        (await gates.read()).some(
          ({ gate, verdict }) => gate === 'cloudSight' && verdict === 'pass',
        );
      await untilSo('the CCM sees the cloud', isSeen, { withinMs: REPORTED_WITHIN_MS });
      const now = await gates.read();
      const said = now.map((verdict) => ({ atMs: Date.now(), verdict }));
      process.stderr.write(`with a healthy cloud:\n${gateLines(said)}`);
      return now;
    }

    async function cloud(...faults: readonly CloudFault[]): Promise<void> {
      await happens(environment, { kind: 'setCloudFaults', faults });
    }

    async function hasAddress(name: string): Promise<void> {
      await untilSo(
        `Service ${name} has an address`,
        async () => {
          const service = await environment.service(name);
          return service !== null && addressesOf(service).length > 0;
        },
        { withinMs: 360_000 },
      );
    }

    function policyOf(changes: Partial<MigrationPolicy>): MigrationPolicy {
      return { ...environment.parts.fleet.policy, ...changes };
    }

    async function expectEnd(direction: LabDirection, target: Target): Promise<void> {
      const { truth, outcome, seconds, holds } = direction;
      process.stderr.write(
        `${outcome?.kind ?? 'no end'} after ${seconds.toFixed(0)} s, two owners ${truth.service.overlapSeconds.toFixed(1)} s, ` +
          `none ${truth.service.orphanSeconds.toFixed(1)} s; held for ${told(holds)}\n`,
      );
      const complaints = [
        ...(await judgeLabDirection(environment, { ...direction, target })),
        ...overlapComplaints(truth),
      ];
      expect(complaints).toEqual([]);
    }
  },
  13,
);

function probesIn({ stepsDone }: ClusterStatus): readonly StepRecord[] {
  return stepsDone.filter(({ name }) => name === 'probeBalancer');
}

/** With the owner of each phase the real service controller made, changed and deleted it. */
function expectProbes(probed: readonly StepRecord[], phases: readonly string[]): void {
  process.stderr.write(`probes:\n${probed.map(({ detail }) => `  ${detail}\n`).join('')}`);
  expect(probed.map(({ phase }) => phase)).toEqual(phases);
  for (const { detail } of probed) {
    expect(detail).toMatch(
      /^load balancer: address after .+, port changed after .+, deleted after /,
    );
  }
}

/** Not what a reader of the fence says before the guard has reported for the first time. */
function isReported({ gate }: GateVerdict): boolean {
  return gate !== 'metrics';
}

function watched(fleet: Fleet): Fleet {
  const judged = judgedFleet(fleet, { catalogue: 'nodes', objects: 'watch', everyMs: 2_000 });
  // The worker writes no Role and no binding on this cluster: an administrator has.
  return { ...judged, policy: { ...judged.policy, clusterAccess: 'provided' } };
}

interface Stages {
  /** Whether a stage is reached now, for the first time. */
  readonly reaches: (stage: string, isThere: boolean) => boolean;
  readonly reached: () => readonly string[];
}

function openStages(): Stages {
  const known: string[] = [];
  return {
    reaches: (stage, isThere) => {
      if (!isThere || known.includes(stage)) return false;
      known.push(stage);
      return true;
    },
    reached: () => known,
  };
}
