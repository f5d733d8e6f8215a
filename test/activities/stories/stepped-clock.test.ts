import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClusterPorts, HostState, NodeProcesses } from '../../../activities/ports.js';
import type {
  ClusterObservation,
  LeaseObservation,
} from '../../../domain/observation/observation.js';
import { clusterOwner } from '../../../domain/ownership/owners.js';
import { ccm, kcm, MAIN, node } from '../../testbed/simulator/environment.js';
import { enabling } from '../../support/planned.js';
import { openEnvironment, type Environment } from '../environment.js';

const LEASE = { namespace: 'kube-system', name: MAIN.kcm };
const RELEASES = { cures: ['CCM3001', 'CCM3002', 'CCM3008'] };

/** The clock of cp-1 was set forward after its managers took their Leases, and whether their metrics can be read. */
interface Host {
  aheadMs: number;
  hasMetrics: boolean;
}

/** Starts are counted back from a host's clock of now: they move with it. */
function ahead(host: HostState, byMs: number): HostState {
  const later = <T extends { readonly startedAtMs: number }>(process: T): T => ({
    ...process,
    startedAtMs: process.startedAtMs + byMs,
  });
  return {
    ...host,
    nowMs: host.nowMs + byMs,
    bootTimeMs: host.bootTimeMs + byMs,
    processes: host.processes.map(later),
    kubelets: host.kubelets.map(later),
  };
}

function onHost(processes: NodeProcesses, { aheadMs, hasMetrics }: Host): NodeProcesses {
  const by = (name: string): number => (name === 'cp-1' ? aheadMs : 0);
  const isMute = (name: string): boolean => name === 'cp-1' && !hasMetrics;
  return {
    ...processes,
    snapshot: async (name, wanted, options) => {
      const seen = await processes.snapshot(name, wanted, options);
      const elections = isMute(name) ? { kcm: null, ccm: null } : seen.elections;
      return { ...seen, elections, host: ahead(seen.host, by(name)) };
    },
    host: async (name, options) => ahead(await processes.host(name, options), by(name)),
    metrics: async (name, manager, options) =>
      isMute(name) ? null : processes.metrics(name, manager, options),
  };
}

describe('a host whose clock was set forward after a manager took its Lease', () => {
  const host: Host = { aheadMs: 0, hasMetrics: true };
  let environment: Environment;
  beforeEach(async () => {
    Object.assign(host, { aheadMs: 0, hasMetrics: true });
    environment = await openEnvironment({
      spec: { plans: [node(kcm()), node(kcm(), ccm(), { afterMs: { kcm: 8000, ccm: 8000 } })] },
      wrap: (ports: ClusterPorts) => ({
        ...ports,
        processes: {
          ...ports.processes,
          snapshot: (...given) => onHost(ports.processes, host).snapshot(...given),
          host: (...given) => onHost(ports.processes, host).host(...given),
          metrics: (...given) => onHost(ports.processes, host).metrics(...given),
        },
      }),
    });
    host.aheadMs = 600_000;
  });
  afterEach(() => environment.close());

  const mainLease = ({ leases }: ClusterObservation): LeaseObservation | undefined =>
    leases.find(({ name }) => name === LEASE.name);

  it('a KCM that leads there by its own metrics is alive, and the second owner beside a CCM that leads', async () => {
    const { observation } = await environment.snapshot();
    const lease = mainLease(observation);
    expect(lease).toMatchObject({ holder: expect.stringMatching(/^cp-1_/), holderState: 'alive' });
    expect(observation.nodes[0]?.kcm.processes[0]?.identity).toBe(lease?.holder);
    expect(clusterOwner(observation, ['service', 'route'])).toBe('both');
  });

  it('a KCM whose metrics cannot be read is unknown there, and so is the owner', async () => {
    host.hasMetrics = false;
    const { observation } = await environment.snapshot();
    expect(mainLease(observation)?.holderState).toBe('unknown');
    expect(clusterOwner(observation, ['service', 'route'])).toBe('unknown');
  });

  it.each([true, false])(
    'a Lease that a KCM holds there is not proven dead: its metrics can be read: %s',
    async (hasMetrics) => {
      host.hasMetrics = hasMetrics;
      await environment.fence();
      const holder = mainLease((await environment.snapshot()).observation)?.holder ?? '';
      await expect(
        environment.take({ kind: 'releaseLease', lease: LEASE, holder }, RELEASES),
      ).rejects.toMatchObject({
        type: 'NoProof',
        message: expect.stringContaining('is not proven dead'),
      });
    },
  );
});

/** From the second reading of a host without a KCM on: what would be there if another starter were faster than our proof. */
function withSuccessor(processes: NodeProcesses): NodeProcesses {
  let reads = 0;
  return {
    ...processes,
    host: async (name, options) => {
      const host = await processes.host(name, options);
      if (host.processes.some(({ manager }) => manager === 'kcm')) return host;
      reads += 1;
      if (reads < 2) return host;
      const [pid, startedAtMs] = [99_999, host.nowMs];
      const successor = { pid, manager: 'kcm', startTicks: 1, startedAtMs } as const;
      const process = { ...successor, arguments: [], paused: false };
      return { ...host, processes: [...host.processes, process] };
    },
  };
}

it('a holder that was known and has ended is proven dead beside its successor, which says nothing yet', async () => {
  const environment = await openEnvironment({
    wrap: (ports) => ({ ...ports, processes: withSuccessor(ports.processes) }),
  });
  try {
    await environment.fence();
    const { observation } = await environment.snapshot();
    const main = observation.leases.find(({ name }) => name === LEASE.name);
    await environment.take({ kind: 'recordBaseline' });
    await environment.take(enabling(main?.holder.split('_')[0] ?? ''));
    const proofs = (await environment.evidence()).flatMap(({ entry }) =>
      entry.kind === 'intent' && entry.intent.object.endsWith(`/${LEASE.name}`)
        ? [entry.intent.proof]
        : [],
    );
    expect(proofs).toEqual([expect.stringMatching(/^host cp-\d \(.*\) runs no kcm that started/)]);
  } finally {
    await environment.close();
  }
});
