import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import type { Fleet } from '../../../../config/fleet.js';
import type { Target } from '../../../../domain/vocabulary.js';
import { ETCD_MANIFEST } from '../../../../testbed/base/kubeadm-defaults.js';
import type { StackedEtcd } from '../../../../testbed/lab/etcd/stacked-etcd.js';
import { placeOnHost } from '../../../../testbed/lab/nodes/node-disk.js';
import { overlapComplaints } from '../../../support/run-complaints.js';
import { untilSo } from '../truth/until.js';
import { describeInWholeLab } from '../wanted.js';
import { judgeLabDirection } from './judge-lab-direction.js';
import { driveLabDirection, told } from './lab-direction.js';
import { LabRuns } from './lab-runs.js';
import { quorumComplaints, QuorumWatch } from './quorum-watch.js';

jest.setTimeout(25 * 60_000);

const NODES = 3;
/** Of three voters; a new member is a learner until it has caught up. */
const QUORUM = 2;

/** Machines are replaced on the way forward, members of etcd with them; rollback keeps nodes and members. */
describeInWholeLab('a migration keeps a stacked etcd whole', () => {
  let environment: LabRuns;
  let etcd: StackedEtcd;
  beforeAll(async () => {
    environment = await LabRuns.open({ nodes: NODES, etcd: 'stacked', change: replacing });
    if (environment.cluster.etcd === null) throw new Error('etcd of this lab is external');
    etcd = environment.cluster.etcd;
    // Kubelets report etcd Ready after its startup probe, some ten seconds after its member votes.
    await untilSo('each etcd pod is Ready', async () => {
      const { members } = (await environment.parts.snapshot()).etcd;
      return members.filter(({ healthy }) => healthy === 'yes').length === NODES;
    });
  });
  afterAll(() => environment.close());

  it('the product observes the state that etcd itself reports', async () => {
    const { etcd: seen } = await environment.parts.snapshot();
    const members = await etcd.list();
    expect(members.map(({ name }) => name)).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(members.filter(({ leader }) => leader)).toHaveLength(1);
    expect(seen).toMatchObject({
      topology: 'stacked',
      members: members.map(({ name }) => ({ name, node: name, voter: 'yes', healthy: 'yes' })),
    });
  });

  it('forward, each new machine brings its member, and each removed machine takes its own along', async () => {
    const before = nodes();
    await migrated('ccm');
    expect(nodes().filter((name) => before.includes(name))).toEqual([]);
  });

  it('rollback uses the existing nodes and members', async () => {
    const before = nodes();
    await migrated('kcm');
    expect(nodes()).toEqual(before);
  });

  /** One direction without a stop and without a violation, of etcd either. */
  async function migrated(target: Target): Promise<void> {
    const watch = new QuorumWatch(etcd);
    const direction = await driveLabDirection(environment, {
      ...{ target, reason: 'stacked etcd', strikes: [] },
      answer: (hold) => Promise.reject(new Error(`it holds for ${told([hold])}`)),
    }).finally(() => watch.stop());
    const { samples } = watch;
    const least = Math.min(
      ...samples.map(
        ({ members }) => members.filter(({ voter, healthy }) => voter && healthy).length,
      ),
    );
    // Printed for the record of a run; no assertion uses it.
    process.stderr.write(
      `  to ${target}: ${direction.seconds.toFixed(0)} s, etcd asked ${samples.length} times, least healthy voters ${least}\n`,
    );
    expect([
      ...(await judgeLabDirection(environment, direction)),
      ...overlapComplaints(direction.truth),
      ...quorumComplaints(samples, QUORUM),
      ...(await memberComplaints()),
    ]).toEqual([]);
  }

  /** Members are the existing nodes, each a healthy voter with its own manifest. */
  async function memberComplaints(): Promise<readonly string[]> {
    const members = await etcd.list();
    const missing = nodes().filter((name) => !members.some((member) => member.name === name));
    return [
      ...(nodes().length === NODES ? [] : [`there are ${nodes().length} nodes`]),
      ...missing.map((name) => `${name} has no member`),
      ...members.flatMap(({ name, voter, healthy }) => {
        if (!nodes().includes(name)) return [`member ${name} has no node`];
        const { folder } = environment.node(name);
        if (!existsSync(placeOnHost(folder, ETCD_MANIFEST))) return [`${name} runs no static pod`];
        return voter && healthy ? [] : [`${name} is no healthy voter`];
      }),
    ];
  }

  function nodes(): readonly string[] {
    return environment.cluster.nodes.map(({ name }) => name).toSorted();
  }
});

function replacing(fleet: Fleet): Fleet {
  const { policy } = fleet;
  return {
    ...fleet,
    policy: { ...policy, nodes: { ...policy.nodes, forward: 'replace' }, soakSeconds: 1 },
  };
}
