import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ClusterPorts } from '../../../activities/ports.js';
import { manifestPath } from '../../../activities/node-paths.js';
import { createAuthority } from '../../../testbed/base/auth/certificates.js';
import { nextStep } from '../../../domain/decision/next-step.js';
import { enabling, NO_JUDGEMENTS, planned } from '../../support/planned.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

const ENABLE = enabling('cp-2');

/** Called right before a request of ours; decides whether it is let through. */
interface CutIn {
  beforeTakeAway?: () => Promise<void> | void;
  beforeManifestWrite?: () => Promise<void> | void;
}

function cutIn(ports: ClusterPorts, cut: CutIn): ClusterPorts {
  return {
    ...ports,
    files: {
      read: (...given) => ports.files.read(...given),
      write: async (node, path, content, guard, options) => {
        if (path === manifestPath('kcm')) await cut.beforeManifestWrite?.();
        await ports.files.write(node, path, content, guard, options);
      },
      remove: async (node, path, guard, options) => {
        if (path === manifestPath('kcm')) await cut.beforeTakeAway?.();
        await ports.files.remove(node, path, guard, options);
      },
    },
  };
}

describe('what a step refuses to do', () => {
  const cut: CutIn = {};
  let environment: Environment;
  beforeEach(async () => {
    delete cut.beforeTakeAway;
    delete cut.beforeManifestWrite;
    environment = await openEnvironment({ wrap: (ports) => cutIn(ports, cut) });
    await environment.fence();
    await environment.snapshot();
    await environment.take({ kind: 'recordBaseline' });
  });
  afterEach(() => environment.close());

  const manifest = (): string =>
    environment.cluster.node('cp-2')?.files.read(manifestPath('kcm'))?.content ?? '';

  it('a step never overwrites a foreign edit (I16)', async () => {
    cut.beforeTakeAway = () => {
      environment.cluster.node('cp-2')?.files.write(manifestPath('kcm'), `${manifest()}# mine\n`);
    };
    await expect(environment.take(ENABLE)).rejects.toMatchObject({ type: 'ForeignEdit' });
    expect(manifest()).toMatch(/# mine\n$/);
  });

  it('a step writes nothing on a node that belongs to another cluster by the time of the write', async () => {
    const before = manifest();
    cut.beforeTakeAway = () => {
      environment.cluster
        .node('cp-2')
        ?.files.write('/etc/kubernetes/pki/ca.crt', createAuthority('other').certificatePem);
    };
    await expect(environment.take(ENABLE)).rejects.toMatchObject({ type: 'ForeignNode' });
    expect(manifest()).toBe(before);
    // Refused for certain: its outcome needs no clarification.
    expect(await environment.dependencies.evidence.openIntents(environment.context)).toEqual([]);
    await expect(environment.snapshot()).rejects.toMatchObject({ type: 'ForeignNode' });
  });

  it('a step writes nothing in an old epoch: at the API server, on nodes, at the machine provider', async () => {
    const old = { epoch: 1, idempotencyKey: 'k' };
    await environment.take({ kind: 'setAccess', access: 'leaseGrant', want: 'present' });
    await environment.take(ENABLE);
    await expect(
      environment.activities.executeStep({
        ...environment.context,
        epoch: 0,
        materials: { ccmManifest: '' },
        firstSeen: [],
        decide: NO_JUDGEMENTS,
        planned: planned({
          name: 'grantLeaseAccess',
          phase: 'grantLeaseAccess',
          why: '',
          cures: [],
          effect: { kind: 'setAccess', access: 'ccmAccess', want: 'present' },
        }),
      }),
    ).rejects.toMatchObject({ type: 'FenceLost' });
    await environment.fence();
    await environment.take({ ...ENABLE, node: 'cp-1' });
    await expect(
      environment.ports.files.write('cp-1', '/tmp/x', 'x', { expect: 'absent', epoch: 1 }),
    ).rejects.toMatchObject({ type: 'FenceLost' });
    const { machines } = environment.ports;
    const order = { name: 'cp-8', side: 'source', version: '1.30.14', files: {} } as const;
    await machines?.add(order, { ...old, epoch: 5 });
    await expect(machines?.remove('cp-8', old)).rejects.toMatchObject({ type: 'FenceLost' });
  });

  it('a step stops before the next write when the guard records a breach', async () => {
    const note = (breach: string): Promise<unknown> =>
      environment.ports.api.mergePatch(
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          namespace: 'kube-system',
          name: 'ccm-migrate',
        },
        { metadata: { annotations: { 'ccm-migrate.dev/breach': breach } } },
      );
    await note('CCM3001 oneOwner: two managers');
    await expect(environment.take(ENABLE)).rejects.toMatchObject({ type: 'Breach' });
    expect(manifest()).not.toMatch(/leader-migration/);

    // A breach in the middle stops the step at its next write; its earlier effects stay on record.
    await note('');
    cut.beforeTakeAway = async () => {
      await note('CCM3005 nodesReady: cp-3');
    };
    await expect(environment.take(ENABLE)).rejects.toMatchObject({ type: 'Breach' });
    delete cut.beforeTakeAway;
    expect(manifest()).toBe('');

    await environment.fence();
    const { observation } = await environment.snapshot();
    expect(observation.nodes[1]?.kcm.manifest.state).toBe('interrupted');
    const decision = nextStep(observation, 'ccm', environment.context.policy);
    expect(decision).toMatchObject({ kind: 'step', step: { name: 'finishManifest' } });
    await environment.take({ kind: 'finishManifest', node: 'cp-2', manager: 'kcm' });
    expect(manifest()).toMatch(/--enable-leader-migration=true/);
    const open = await environment.dependencies.evidence.openIntents(environment.context);
    expect(open).toEqual([]);
  });

  it('a step never releases the Lease of a paused holder (P16)', async () => {
    const { observation } = await environment.snapshot();
    const main = observation.leases.find(({ name }) => name === 'kube-controller-manager');
    const leader = main?.holder.split('_')[0] ?? '';
    environment.cluster.pauseProcess(leader, 'kcm');
    const lease = { namespace: 'kube-system', name: 'kube-controller-manager' };
    await expect(
      environment.take(
        { kind: 'releaseLease', lease, holder: main?.holder ?? '' },
        { cures: ['CCM3001', 'CCM3002', 'CCM3008'] },
      ),
    ).rejects.toMatchObject({ type: 'NoProof' });
    await expect(environment.take({ ...ENABLE, node: leader })).rejects.toMatchObject({
      type: 'GateFailed',
    });
  });

  it('a step records which managers no longer run on the host of a released Lease', async () => {
    const lease = { namespace: 'kube-system', name: 'kube-controller-manager' };
    const { observation } = await environment.snapshot();
    const holder = observation.leases.find(({ name }) => name === lease.name)?.holder ?? '';
    const [leader = ''] = holder.split('_');
    const park = { manager: 'kcm', role: 'parked' } as const;
    await environment.take({ kind: 'changeManager', node: leader, want: park, release: 'none' });
    await environment.take({ kind: 'releaseLease', lease, holder });
    const records = await environment.dependencies.evidence.read(environment.context);
    const proofs = records.flatMap(({ entry }) =>
      entry.kind === 'intent' && entry.intent.object.endsWith(`/${lease.name}`)
        ? [entry.intent.proof]
        : [],
    );
    expect(proofs).toEqual([
      expect.stringMatching(`^host ${leader} \\(.*\\) runs no kcm or ccm that started before `),
    ]);
  });

  it('a step never empties a Lease that is renewed by a process that its host does not show', async () => {
    const lease = { namespace: 'kube-system', name: 'kube-controller-manager' };
    const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease };
    const { observation } = await environment.snapshot();
    const holder = observation.leases.find(({ name }) => name === lease.name)?.holder ?? '';
    const park = { manager: 'kcm', role: 'parked' } as const;
    const [leader = ''] = holder.split('_');
    await environment.take({ kind: 'changeManager', node: leader, want: park, release: 'none' });
    let isOver = false;
    const refused = expect(environment.take({ kind: 'releaseLease', lease, holder }))
      .rejects.toMatchObject({
        type: 'NoProof',
        message: expect.stringContaining('under an unknown process name'),
      })
      .finally(() => (isOver = true));
    const renewed = environment.takePart(async () => {
      for (let renewals = 1; !isOver; renewals += 1) {
        await environment.clock.sleep(1000);
        await environment.ports.api.mergePatch(ref, { spec: { leaseTransitions: renewals } });
      }
    });
    await Promise.all([refused, renewed]);
  });

  it('a step of a second run is refused, and a displaced run writes no more', async () => {
    const second = { runId: 'run-2', actor: 'bob' };
    await expect(environment.fence('x', second)).rejects.toMatchObject({
      type: 'AlreadyRunning',
      message: expect.stringMatching(/run run-1 .* \(ana\)/),
    });
    const grant = await environment.activities.takeFence({
      ...environment.context,
      ...second,
      nonce: 'x',
      acknowledge: false,
      takeOver: { reason: 'the laptop is lost' },
    });
    // Evidence of its own: the fence's intent and outcome.
    const evidence = { records: 2, hash: expect.stringMatching(/^sha256:/) };
    expect(grant).toEqual({ epoch: 2, displaced: 'run-1', evidence });
    await expect(environment.take(ENABLE)).rejects.toMatchObject({ type: 'FenceLost' });
    const close = { ...environment.context, ...second, epoch: 2, outcome: 'done' };
    await environment.activities.closeRun(close);
    await environment.activities.closeRun(close);
    expect(await environment.fence('y')).toMatchObject({ epoch: 3, displaced: '' });
  });

  it('a step restores a parked manifest, and parks one that is in place', async () => {
    const park = { ...ENABLE, want: { manager: 'kcm', role: 'parked' } } as const;
    const parked = await environment.take(park);
    expect(parked.observation.nodes[1]?.kcm).toMatchObject({
      manifest: { state: 'parked' },
      processes: [],
    });
    const back = await environment.take(ENABLE);
    expect(back.observation.nodes[1]?.kcm.manifest).toMatchObject({
      state: 'present',
      config: { leaderMigration: { kind: 'on' } },
    });
    const folders = ['/etc/kubernetes/ccm-migrate/parked', '/etc/kubernetes/ccm-migrate/next'];
    const wanted = { files: [], directories: folders };
    const { directories } = await environment.ports.processes.snapshot('cp-2', wanted);
    expect([...directories]).toEqual(folders.map((folder) => [folder, []]));
  });
});
