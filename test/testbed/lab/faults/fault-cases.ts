import type { Manager, Target } from '../../../../domain/vocabulary.js';
import { letHappen, type LabFault } from '../../../../testbed/lab/faults.js';
import { MIGRATION } from '../../simulator/environment.js';
import type { LabRuns } from '../runs/lab-runs.js';
import type { MomentName, Place } from '../runs/moments.js';
import { untilSo } from '../truth/until.js';

/** A fault that has been applied. */
export interface Struck {
  /** The node it affects; empty when it affects none. */
  readonly node: string;
  /** What an operator does about it when the run holds; null for a fault that ends by itself. */
  readonly remedy: (() => Promise<void>) | null;
}

export interface FaultCase {
  readonly name: string;
  /** Each time by `strike`. */
  readonly moments: readonly MomentName[];
  readonly strike: (environment: LabRuns, place: Place, target: Target) => Promise<Struck>;
  /** `must`: it has to hold until the remedy, and to name the node. `may`: it ends by itself, or holds for a true reason. */
  readonly hold: 'must' | 'may' | 'never';
  /** Codes of findings that are true while the fault lasts, or before the cluster has recovered. */
  readonly reasons: readonly string[];
  /** A process that sleeps through the expiry of its Lease is a second owner when it wakes (P13); nothing else is. */
  readonly overlap: 'none' | 'whenItWakes';
}

/** Which manager owns the cloud controllers when a direction begins. */
const HOLDERS: Readonly<Record<Target, Manager>> = { ccm: 'kcm', kcm: 'ccm' };

/** A part is out of reach, so the owner is unknown, and no request about it is answered. */
const UNREADABLE = ['CCM2001', 'CCM3001', 'CCM3002', 'CCM3003', 'CCM3005', 'CCM4011', 'CCM4017'];
/** It stopped a step: by the guard's report in the fence, a gate, a proof or a missing effect. */
const STOPPED = ['CCM3004', 'CCM4007', 'CCM4008', 'CCM4023', 'CCM4101', 'CCM4103'];

export const FAULTS: readonly FaultCase[] = [
  {
    name: 'the worker process is killed, twice',
    moments: ['firstChanged', 'handover'],
    strike: async ({ parts }) => {
      await parts.killWorker();
      await parts.startWorker();
      return { node: '', remedy: null };
    },
    ...{ hold: 'never', reasons: [], overlap: 'none' },
  },
  {
    name: 'a node crashes while the manifest of its KCM is removed',
    moments: ['firstTakenAway'],
    strike: (environment, { node }) => crash(environment, node),
    ...{ hold: 'must', reasons: [...UNREADABLE, ...STOPPED], overlap: 'none' },
  },
  {
    name: 'the API server is killed during the handover and comes back',
    moments: ['handover'],
    strike: async (environment) => {
      await happens(environment, { kind: 'killApiServer' });
      await happens(environment, { kind: 'restoreApiServer' });
      return { node: '', remedy: null };
    },
    ...{ hold: 'may', reasons: [...UNREADABLE, ...STOPPED], overlap: 'none' },
  },
  {
    name: 'the manager that holds the Lease is killed',
    moments: ['firstChanged'],
    strike: async (environment, _place, target) => {
      const node = await environment.nodeOfHolder(MIGRATION);
      await happens(environment, { kind: 'killManager', node, manager: HOLDERS[target] });
      return { node, remedy: null };
    },
    ...{ hold: 'may', reasons: ['CCM2001', 'CCM3001', 'CCM3002', ...STOPPED], overlap: 'none' },
  },
  {
    name: 'the node of the Lease holder crashes',
    moments: ['firstChanged'],
    strike: async (environment) => crash(environment, await environment.nodeOfHolder(MIGRATION)),
    ...{ hold: 'must', reasons: [...UNREADABLE, ...STOPPED], overlap: 'none' },
  },
  {
    name: 'the Lease holder is paused until another took over, and wakes',
    moments: ['firstChanged'],
    strike: pause,
    hold: 'must',
    reasons: ['CCM2001', 'CCM2010', 'CCM3001', 'CCM3002', 'CCM3008', ...STOPPED],
    overlap: 'whenItWakes',
  },
  {
    name: 'the Lease holder is cut off until another took over',
    moments: ['firstChanged'],
    strike: cutOff,
    ...{ hold: 'must', reasons: [...UNREADABLE, ...STOPPED], overlap: 'none' },
  },
];

async function crash(environment: LabRuns, node: string): Promise<Struck> {
  await happens(environment, { kind: 'crashNode', node });
  return { node, remedy: () => happens(environment, { kind: 'bootNode', node }) };
}

async function pause(environment: LabRuns, _place: Place, target: Target): Promise<Struck> {
  const manager = HOLDERS[target];
  const holder = await environment.holder(MIGRATION);
  const node = await environment.nodeOfHolder(MIGRATION);
  const pids = environment.pids(node, manager);
  await happens(environment, { kind: 'pauseManager', node, manager });
  const remedy = async (): Promise<void> => {
    await untilAnotherHolds(environment, holder);
    await happens(environment, { kind: 'resumeManager', node, manager });
    // It notices the loss of its Leases when its renew deadline has passed, and exits.
    await untilSo('the second owner has ended', () =>
      environment.pids(node, manager).every((pid) => !pids.includes(pid)),
    );
  };
  return { node, remedy };
}

async function cutOff(environment: LabRuns): Promise<Struck> {
  const holder = await environment.holder(MIGRATION);
  const node = await environment.nodeOfHolder(MIGRATION);
  await happens(environment, { kind: 'cutNetwork', node });
  const remedy = async (): Promise<void> => {
    await untilAnotherHolds(environment, holder);
    await happens(environment, { kind: 'mendNetwork', node });
  };
  return { node, remedy };
}

async function untilAnotherHolds(environment: LabRuns, dead: string): Promise<void> {
  await untilSo(`another process than ${dead} holds ${MIGRATION}`, async () => {
    const holder = await environment.holder(MIGRATION);
    return holder !== '' && holder !== dead;
  });
}

/** Applies a fault to the cluster of these runs; resolves once it has happened. */
export async function happens({ lab, cluster }: LabRuns, fault: LabFault): Promise<void> {
  await letHappen(lab, cluster, fault);
}
