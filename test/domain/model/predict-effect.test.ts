import { describe, expect, it } from '@jest/globals';
import { predictEffect } from '../../../domain/model/predict-effect.js';
import { withSlot } from '../../../domain/model/processes.js';
import type { ClusterObservation, ManagerSlot } from '../../../domain/observation/observation.js';
import type { StepEffect } from '../../../domain/decision/step.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../support/cluster-builder.js';
import { kcmConfig } from '../../support/manager-configs.js';

const SPEC: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'external', ccm: 'none' },
  ],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: { manager: 'kcm', node: 0 },
  granted: true,
};
const START = clusterOf(SPEC);
const DAEMON_SET = policyOf({ ccm: { ...policyOf().ccm, deployAs: 'daemonSet' } });
const FOREIGN = { source: 'daemonSet', owner: 'foreign', name: 'helm', template: null } as const;

function withKcm(manifest: ManagerSlot['manifest'], keepsRunning = false): ClusterObservation {
  const nodes = START.nodes.map((node, index) =>
    index === 0
      ? { ...node, kcm: { manifest, processes: keepsRunning ? node.kcm.processes : [] } }
      : node,
  );
  return { ...START, nodes };
}

const kcmOf = ({ nodes: [first] }: ClusterObservation): string =>
  `${first?.kcm.manifest.state ?? 'no node'}, ${String(first?.kcm.processes.length)} running`;

describe('the predicted effect of a step', () => {
  const park: StepEffect = {
    kind: 'changeManager',
    node: 'cp-1',
    want: { manager: 'kcm', role: 'parked' },
    release: 'none',
  };
  const finish: StepEffect = { kind: 'finishManifest', node: 'cp-1', manager: 'kcm' };
  const cutOff: ManagerSlot['manifest'] = {
    state: 'interrupted',
    successorHash: 's',
    successor: kcmConfig('external'),
  };
  const inPlace: ManagerSlot['manifest'] = {
    state: 'present',
    source: 'staticPod',
    hash: 'h',
    config: kcmConfig('inTreeLm'),
  };
  const parked: ManagerSlot['manifest'] = {
    state: 'parked',
    hash: 'p',
    config: kcmConfig('inTreeLm'),
  };

  const end: StepEffect = { kind: 'endPausedManager', node: 'cp-1', manager: 'kcm' };
  const [first] = START.nodes;
  const stopped = (first?.kcm.processes ?? []).map((process) => ({
    ...process,
    liveness: 'paused' as const,
  }));

  it('of a paused manager that is ended: another process, and a Lease with a dead holder', () => {
    const paused = withSlot(START, 'cp-1', 'kcm', (slot) => ({ ...slot, processes: stopped }));
    const after = predictEffect(paused, end, policyOf());
    const [process, ...others] = after.nodes[0]?.kcm.processes ?? [];
    expect(others).toEqual([]);
    expect(process).toMatchObject({ liveness: 'running', identity: null });
    expect(process?.pid).not.toBe(stopped[0]?.pid);
    const held = after.leases.filter(({ holder }) => holder === stopped[0]?.identity);
    expect(held.map(({ holderState }) => holderState)).toEqual(['dead', 'dead']);
  });

  it('of a paused manager beside one that runs, or without a manifest: nothing is started', () => {
    const beside = withSlot(START, 'cp-1', 'kcm', ({ manifest, processes }) => ({
      manifest,
      processes: [...stopped.map((process) => ({ ...process, pid: 7 })), ...processes],
    }));
    const [kept] = predictEffect(beside, end, policyOf()).nodes;
    expect(kept?.kcm.processes).toEqual(first?.kcm.processes);
    const removed = withSlot(START, 'cp-1', 'kcm', () => ({
      manifest: { state: 'absent' },
      processes: stopped,
    }));
    expect(kcmOf(predictEffect(removed, end, policyOf()))).toBe('absent, 0 running');
  });

  it.each([
    { name: 'a manifest that is parked', from: START, effect: park, kcm: 'parked, 0 running' },
    {
      name: 'a manifest that was parked already',
      from: withKcm(parked),
      effect: park,
      kcm: 'parked, 0 running',
    },
    {
      name: 'a process whose manifest is gone',
      from: withKcm({ state: 'absent' }, true),
      effect: park,
      kcm: 'absent, 0 running',
    },
    {
      name: 'a successor that is written',
      from: withKcm(cutOff),
      effect: finish,
      kcm: 'present, 1 running',
    },
    {
      name: 'a successor that is there already',
      from: START,
      effect: finish,
      kcm: 'present, 1 running',
    },
  ])('leaves the KCM $kcm: $name', ({ from, effect, kcm }) => {
    expect(kcmOf(predictEffect(from, effect, policyOf()))).toBe(kcm);
  });

  it('ends the process that a cut-off change left terminating, and its Leases with it', () => {
    const after = predictEffect(withKcm(cutOff, true), finish, policyOf());
    expect(kcmOf(after)).toBe('present, 1 running');
    const main = after.leases.find(({ name }) => name === 'kube-controller-manager');
    expect(main?.holderState).toBe('dead');
  });

  it('is nothing for a check', () => {
    expect(predictEffect(START, { kind: 'verify', since: START.inventory }, policyOf())).toBe(
      START,
    );
  });

  it.each([
    { name: 'a running process keeps running', from: START, kcm: 'present, 1 running' },
    {
      name: 'its kubelet starts what is in the folder',
      from: withKcm(inPlace),
      kcm: 'present, 1 running',
    },
    {
      name: 'a removed manifest stays removed',
      from: withKcm({ state: 'absent' }),
      kcm: 'absent, 0 running',
    },
  ])('includes what kubelets do while a step waits for an election: $name', ({ from, kcm }) => {
    const effect = { kind: 'awaitElection', until: 'ccmStandsBy' } as const;
    expect(kcmOf(predictEffect(from, effect, policyOf()))).toBe(kcm);
  });

  it('sets the baseline to the KCM of the first node with loops, if there is one', () => {
    const effect = { kind: 'recordBaseline' } as const;
    const first = { ...START, nodes: [...START.nodes].reverse(), baseline: null };
    const { baseline } = predictEffect(first, effect, policyOf());
    expect(baseline).toMatchObject({ controlPlaneNodes: 2, kcm: { cloudLoops: true } });
    const without = clusterOf({ ...SPEC, nodes: [{ kcm: 'external', ccm: 'on' }] });
    expect(predictEffect({ ...without, baseline: null }, effect, policyOf()).baseline).toBeNull();
  });

  it.each([
    { name: 'a workload on no node yet', from: START, source: 'daemonSet', owner: 'ours' },
    {
      name: "another owner's workload as it is",
      from: { ...START, ccmWorkload: FOREIGN },
      source: 'daemonSet',
      owner: 'foreign',
    },
  ])('leaves $name when the step gives access to a CCM as DaemonSet', ({ from, source, owner }) => {
    const effect: StepEffect = { kind: 'setAccess', access: 'ccmAccess', want: 'present' };
    expect(predictEffect(from, effect, DAEMON_SET).ccmWorkload).toMatchObject({ source, owner });
  });

  it('removes the workload of the CCM when the step does', () => {
    const after = predictEffect(
      { ...START, ccmWorkload: FOREIGN },
      { kind: 'removeCcmWorkload' },
      DAEMON_SET,
    );
    expect(after.ccmWorkload.source).toBe('none');
  });

  it.each([
    { topology: 'stacked', members: ['cp-1', 'cp-0'] },
    { topology: 'external', members: ['cp-1'] },
  ] as const)(
    'adds a machine in the order of names, with $topology etcd',
    ({ topology, members }) => {
      const member = {
        node: 'cp-1',
        name: 'cp-1',
        voter: 'yes',
        healthy: 'yes',
        leader: true,
      } as const;
      const after = predictEffect(
        { ...START, etcd: { topology, members: [member] } },
        { kind: 'addMachine', machine: 'cp-0', side: 'target' },
        policyOf(),
      );
      expect(after.nodes.map(({ name }) => name)).toEqual(['cp-0', 'cp-1', 'cp-2']);
      expect(after.etcd.members.map(({ name }) => name)).toEqual(members);
      expect(
        predictEffect(after, { kind: 'addMachine', machine: 'cp-0', side: 'target' }, policyOf()),
      ).toBe(after);
    },
  );
});
