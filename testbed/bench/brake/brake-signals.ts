import { setTimeout as sleep } from 'node:timers/promises';
import { listAt, valueAt } from '../../base/json.js';
import type { CloudCall } from '../../base/truth/truth.js';
import type { SimulatorControl } from '../../demo/simulator-control.js';
import type { Situation } from './brake-draws.js';

/** Codes with which the product may name what a situation is. */
export const CODES: Readonly<Record<Situation, readonly string[]>> = {
  pausedOwner: ['CCM3008', 'CCM3001'],
  secondOwner: ['CCM3001'],
  cloudRefuses: ['CCM3101', 'CCM3102', 'CCM3104', 'CCM3105'],
  pausedInHold: ['CCM3008', 'CCM3001'],
};

/** How long a situation may take to begin: a cluster between two owners has none to stop. */
const WITHIN_MS = 60_000;
const POLL_MS = 100;

/** A cluster that is bad. */
export interface RaisedSignal {
  /** Since when, on the simulator's clock. */
  readonly atMs: number;
  /** Whether it still is: a step that restarts the stopped process ends it. */
  readonly lasts: () => Promise<boolean>;
}

/** Makes a cluster bad. Null when it never became so. */
export async function raiseSignal(
  control: SimulatorControl,
  situation: Situation,
  clusterUid: string,
): Promise<RaisedSignal | null> {
  switch (situation) {
    case 'pausedOwner':
    case 'pausedInHold':
      return lasting(await pausedOwner(control), () => hasStopped(control, clusterUid));
    case 'secondOwner':
      return lasting(await secondOwner(control), () => hasTwoOwners(control));
    case 'cloudRefuses':
      return lasting(await refusingCloud(control), () => Promise.resolve(true));
  }
}

function lasting(atMs: number | null, lasts: RaisedSignal['lasts']): RaisedSignal | null {
  return atMs === null ? null : { atMs, lasts };
}

const CONTROL_PLANE = ['cp-1', 'cp-2', 'cp-3'];

async function hasStopped(control: SimulatorControl, clusterUid: string): Promise<boolean> {
  const query = `cluster=${clusterUid}&authority=${control.authority}`;
  const hosts = await Promise.all(
    CONTROL_PLANE.map((node) => control.ask(`/node-access/v2/nodes/${node}/host?${query}`)),
  );
  return hosts
    .flatMap((host) => listAt(host, 'processes'))
    .some((process) => valueAt(process, 'paused') === true);
}

async function hasTwoOwners(control: SimulatorControl): Promise<boolean> {
  const { intervals } = (await control.truth()).controllers.service;
  return (intervals.at(-1)?.owners.length ?? 0) > 1;
}

/** SIGSTOP for the process that owns the cloud controllers. The moment is that before the order, so never too good. */
async function pausedOwner(control: SimulatorControl): Promise<number | null> {
  return awaited(async () => {
    const { nowMs } = await control.truth();
    const isStruck = await control.ask('/simulator/v1/events', { kind: 'pauseOwner' }).then(
      () => true,
      () => false,
    );
    return isStruck ? nowMs : null;
  });
}

/** Someone runs a CCM by hand that asks no lock. It is bad once it runs the controllers beside their owner. */
async function secondOwner(control: SimulatorControl): Promise<number | null> {
  const { nowMs } = await control.truth();
  await control.ask('/api/v1/namespaces/kube-system/pods', ROGUE);
  return awaited(async () => {
    const { intervals } = (await control.truth()).controllers.service;
    const both = intervals.find(({ fromMs, owners }) => fromMs >= nowMs && owners.length > 1);
    return both?.fromMs ?? null;
  });
}

const ROGUE = {
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { namespace: 'kube-system', name: 'ccm-by-hand' },
  spec: {
    ...{ nodeName: 'cp-1', hostNetwork: true },
    containers: [
      {
        name: 'cloud-controller-manager',
        image: 'registry.k8s.io/cloud-controller-manager:v1.30.14',
        command: [
          ...['cloud-controller-manager', '--cloud-provider=labcloud', '--leader-elect=false'],
          ...['--cloud-config=/etc/kubernetes/cloud.json', '--secure-port=10299'],
          ...['--bind-address=127.0.0.1', '--cluster-cidr=10.244.0.0/14'],
          ...['--allocate-node-cidrs=true', '--configure-cloud-routes=true'],
          '--kubeconfig=/etc/kubernetes/cloud-controller-manager.conf',
        ],
        volumeMounts: [
          {
            ...{ name: 'kubeconfig', readOnly: true },
            mountPath: '/etc/kubernetes/cloud-controller-manager.conf',
          },
          { name: 'cloud', readOnly: true, mountPath: '/etc/kubernetes/cloud.json' },
        ],
      },
    ],
    volumes: [
      {
        name: 'kubeconfig',
        hostPath: { path: '/etc/kubernetes/cloud-controller-manager.conf', type: 'File' },
      },
      { name: 'cloud', hostPath: { path: '/etc/kubernetes/cloud.json', type: 'File' } },
    ],
  },
};

/** The cloud refuses every call for load balancers, and a user asks for one. It is bad once the first call was refused. */
async function refusingCloud(control: SimulatorControl): Promise<number | null> {
  const { nowMs } = await control.truth();
  const error = '403: the role of the controllers may not create load balancers';
  const faults = [{ controller: 'service', cloud: 'fail', error }];
  await control.ask('/simulator/v1/cloud-faults', { faults });
  await control.ask('/api/v1/namespaces/default/services', BALANCED);
  return awaited(async () => {
    const answer = await control.ask('/simulator/v1/cloud-journal?since=0');
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- docs/contracts/simulator-control.md; our own simulator answers
    const { items } = answer as { readonly items: readonly CloudCall[] };
    const refused = items.find((call) => call.error === error && call.atMs >= nowMs);
    return refused === undefined ? null : refused.atMs + (refused.durationMs ?? 0);
  });
}

const BALANCED = {
  ...{ apiVersion: 'v1', kind: 'Service' },
  metadata: { namespace: 'default', name: 'refused' },
  spec: { type: 'LoadBalancer', selector: { app: 'refused' }, ports: [{ port: 443 }] },
};

async function awaited(happened: () => Promise<number | null>): Promise<number | null> {
  const deadlineMs = Date.now() + WITHIN_MS;
  for (;;) {
    const atMs = await happened();
    if (atMs !== null || Date.now() >= deadlineMs) return atMs;
    await sleep(POLL_MS);
  }
}
