import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Fleet } from '../../../../config/fleet.js';
import type { Target } from '../../../../domain/vocabulary.js';
import type { LabNode } from '../../../../testbed/lab/nodes/lab-node.js';
import { SOURCE_VERSION } from '../../../../cli/kubernetes-versions.js';
import { overlapComplaints } from '../../../support/run-complaints.js';
import { judgeLabDirection } from '../runs/judge-lab-direction.js';
import { driveLabDirection, RETRY, told, type Hold, type Word } from '../runs/lab-direction.js';
import { LabRuns } from '../runs/lab-runs.js';
import { SERVICES } from '../truth/lab-observations.js';
import { addressesOf, loadBalancerService } from '../truth/objects.js';
import { until, untilSo } from '../truth/until.js';
import { describeInWholeLab } from '../wanted.js';
import { journalComplaints } from './cloud-complaints.js';
import { cloudDifferences, nodeNames } from './cloud-differences.js';
import { ServiceChurn, type ServiceLife } from './service-churn.js';

jest.setTimeout(20 * 60_000);

const STAYS = 'stays';
const COMES_AND_GOES = 'worker-2';
/** 40 s until a silent Node is not Ready, and the observation intervals of two controllers. */
const NODE_GONE_MS = 180_000;

/** Users and an autoscaler act on a cluster that migrates, three control-plane nodes in place. */
describeInWholeLab(
  'Services and worker Nodes that come and go during a migration are served',
  () => {
    let environment: LabRuns;
    let address: readonly string[] = [];
    beforeAll(async () => {
      environment = await LabRuns.open({ workers: 1, change: withoutSoak });
      await environment.cluster.api.must('POST', SERVICES, loadBalancerService(STAYS));
      address = (await until('it is served', () => addressOf(environment, STAYS))).seen;
    });
    afterAll(() => environment.close());

    it('on the way forward each Service is served and deleted, and a new worker is set up', async () => {
      const ready: Promise<void>[] = [];
      const lives = await migrate(environment, 'ccm', async () => {
        const node = await addWorker(environment);
        ready.push(environment.cluster.nodeReady(node));
        // Whether it was set up is checked after the direction is complete.
        ready[0]?.catch(() => undefined);
      });
      await Promise.all(ready);
      await untilSo('the new worker has its route and its load', () => hasPart(environment));
      expect(lives.length).toBeGreaterThan(10);
      expect(await wrongAtTheCloud(environment)).toEqual([]);
      expect(await addressOf(environment, STAYS)).toEqual(address);
    });

    it('during rollback each Service is served and deleted, and a dead worker takes its Node, route and load with it', async () => {
      const lives = await migrate(environment, 'kcm', () =>
        environment.cluster.removeMachine(COMES_AND_GOES, { deleteNode: false }),
      );
      const isGone = async (): Promise<boolean> =>
        !(await nodeNames(environment.cluster)).includes(COMES_AND_GOES);
      await untilSo('its Node is deleted', isGone, { withinMs: NODE_GONE_MS });
      await untilSo('its route and its load are taken away', () => hasNoPart(environment));
      expect(lives.length).toBeGreaterThan(10);
      expect(await wrongAtTheCloud(environment)).toEqual([]);
      expect(await addressOf(environment, STAYS)).toEqual(address);
    });
  },
);

/**
 * A soak takes an address that its user gave up for a lost one, and holds: not the subject of this test. Nor is a worker that is missing
 * for good waited for two minutes.
 */
function withoutSoak(fleet: Fleet): Fleet {
  const { policy, timings } = fleet;
  return {
    ...fleet,
    policy: { ...policy, soakSeconds: 0 },
    timings: { ...timings, effectMs: 60_000 },
  };
}

/** Drives one direction from its first step to its last with users at work; returns their Services, which are all gone by then. */
async function migrate(
  environment: LabRuns,
  target: Target,
  atFirstChange: () => Promise<void>,
): Promise<readonly ServiceLife[]> {
  const churn: { current: ServiceChurn | null } = { current: null };
  let handoverMs = 0;
  const direction = await driveLabDirection(environment, {
    ...{ target, reason: 'users at work' },
    strikes: [
      {
        // Only now: what must survive is compared with the run's first observation.
        moment: 'firstStep',
        strike: () => {
          churn.current = new ServiceChurn(environment, target);
          return Promise.resolve();
        },
      },
      { moment: 'firstChanged', strike: atFirstChange },
      {
        moment: 'handover',
        strike: ({ atMs }) => {
          handoverMs = atMs;
          return Promise.resolve();
        },
      },
    ],
    seen: ({ phase }) => {
      // Verify is patient with differences from the first observation: a Service that leaves now is not taken for lost.
      if (phase === 'verify') void churn.current?.windDown().catch(() => undefined);
    },
    answer: async (hold) => {
      await churn.current?.windDown();
      return wordOn(hold);
    },
  });
  if (churn.current === null) throw new Error('the run took no step');
  await churn.current.windDown();
  const lives = churn.current.all;
  const through = lives.filter(({ createdMs, goneMs }) => isIn(handoverMs, createdMs, goneMs));
  expect(through.length).toBeGreaterThan(0);
  expect([
    ...(await judgeLabDirection(environment, direction)),
    ...overlapComplaints(direction.truth),
  ]).toEqual([]);
  process.stderr.write(
    `to ${target}: ${String(lives.length)} Services, ${String(through.length)} of them through the handover; ${direction.seconds.toFixed(0)} s; held for ${direction.holds.length === 0 ? 'nothing' : told(direction.holds)}\n`,
  );
  return lives;
}

function isIn(atMs: number, fromMs: number, toMs: number | null): boolean {
  return fromMs < atMs && (toMs === null || toMs > atMs);
}

/** A worker really is missing, and its owner knows it. */
function wordOn(hold: Hold): Word {
  const codes = hold.findings.map(({ code }) => code);
  const strange = codes.filter((code) => code !== 'CCM3009' && code !== 'CCM3010');
  if (strange.length > 0) throw new Error(`it holds for ${told([hold])}`);
  return codes.includes('CCM3010') ? { verb: 'skip', arguments: { code: 'CCM3010' } } : RETRY;
}

async function addWorker({ cluster }: LabRuns): Promise<LabNode> {
  const name = COMES_AND_GOES;
  return cluster.addMachine({
    ...{ name, hostname: name, role: 'worker', version: SOURCE_VERSION },
    ...{ kubeletCloud: 'inTree', files: {} },
  });
}

async function addressOf(environment: LabRuns, name: string): Promise<readonly string[] | null> {
  const service = await environment.service(name);
  const addresses = service === null ? [] : addressesOf(service);
  return addresses.length === 0 ? null : addresses;
}

function hasPart({ cluster: { cloud } }: LabRuns): boolean {
  return hasRoute(cloud) && loads(cloud).every((nodes) => nodes.includes(COMES_AND_GOES));
}

function hasNoPart({ cluster: { cloud } }: LabRuns): boolean {
  return !hasRoute(cloud) && !loads(cloud).some((nodes) => nodes.includes(COMES_AND_GOES));
}

type Cloud = LabRuns['cluster']['cloud'];

function hasRoute({ routes }: Cloud): boolean {
  return [...routes.values()].some(({ node }) => node === COMES_AND_GOES);
}

/** Nodes of each load balancer. */
function loads({ loadBalancers }: Cloud): readonly (readonly string[])[] {
  return [...loadBalancers.values()].map(({ nodes }) => nodes.split(','));
}

async function wrongAtTheCloud(environment: LabRuns): Promise<readonly string[]> {
  return [
    ...journalComplaints(environment.lab.cloud.journal()),
    ...(await cloudDifferences(environment)),
  ];
}
