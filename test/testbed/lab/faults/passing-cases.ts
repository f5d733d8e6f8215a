import { setTimeout as sleep } from 'node:timers/promises';
import { MIGRATION } from '../../simulator/environment.js';
import type { LabRuns } from '../runs/lab-runs.js';
import type { MomentName, Place } from '../runs/moments.js';
import { MANAGERS } from '../truth/lab-observations.js';
import { happens } from './fault-cases.js';

/** What the environment does and undoes by itself: no operator acts, and every run completes correctly. */
export interface PassingFault {
  readonly name: string;
  readonly moment: MomentName;
  readonly strike: (environment: LabRuns, place: Place) => Promise<void>;
}

/** Longer than the duration of a Lease (15 s): a manager behind the cut loses its main Lease and exits. */
const CABLE_MS = 40_000;
/** Longer than a manager tries to renew its Lease before it exits (10 s): all of them restart, in the kubelet's back-off. */
const OUTAGE_MS = 30_000;

export const PASSING_FAULTS: readonly PassingFault[] = [
  {
    name: 'the cable of a standby is cut for 40 s',
    moment: 'firstChanged',
    strike: async (environment, place) => {
      const node = await standbyBeside(environment, place);
      await happens(environment, { kind: 'cutNetwork', node });
      await sleep(CABLE_MS);
      await happens(environment, { kind: 'mendNetwork', node });
    },
  },
  {
    name: 'the API server is gone for 30 s in a handover',
    moment: 'handover',
    strike: async (environment) => {
      await happens(environment, { kind: 'killApiServer' });
      await sleep(OUTAGE_MS);
      await happens(environment, { kind: 'restoreApiServer' });
    },
  },
  {
    name: 'every manager restarts at once',
    moment: 'firstChanged',
    strike: async (environment) => {
      const running = environment.cluster.nodes.flatMap(({ name: node }) =>
        MANAGERS.filter((manager) => environment.pids(node, manager).length > 0).map(
          (manager) => ({ kind: 'killManager', node, manager }) as const,
        ),
      );
      await Promise.all(running.map((fault) => happens(environment, fault)));
    },
  },
];

/** A node that is not being changed and does not hold the migration Lease. */
async function standbyBeside(environment: LabRuns, { node }: Place): Promise<string> {
  const busy = [node, await environment.nodeOfHolder(MIGRATION)];
  const standby = environment.cluster.nodes.find(
    ({ name, spec }) => spec.role === 'controlPlane' && !busy.includes(name),
  );
  if (standby === undefined) throw new Error(`no standby node beside ${busy.join(' and ')}`);
  return standby.name;
}
