import { readFileSync } from 'node:fs';
import { expect, it, jest } from '@jest/globals';
import type { ClusterObservation } from '../../../../domain/observation/observation.js';
import { preflight } from '../../../../domain/preflight/preflight.js';
import { placeOnHost } from '../../../../testbed/lab/nodes/node-disk.js';
import {
  MIGRATION_FILES,
  migrationFile,
} from '../../../../testbed/simulator/cluster/migration-files.js';
import type { ManagerPlan } from '../../../../testbed/simulator/cluster/cluster-spec.js';
import { genericConfigz } from '../../../proven/generic-configz.js';
import { decisionIn } from '../../../proven/views.js';
import { ccm, kcm, MAIN, node } from '../../simulator/environment.js';
import { describeInWholeLab } from '../wanted.js';
import { setLeaseGrant } from './access.js';
import { figure } from './figures.js';
import { leaseWrites, secondsBetween } from './lease-writes.js';
import { overwriteFile, replaceFile } from '../../../../testbed/lab/nodes/node-disk-writes.js';
import { onLab } from './on-lab.js';
import { until, untilSo } from './until.js';

jest.setTimeout(600_000);

const LONG = 'service-lb-controller';
const SHORT = 'name: service\n';

/** On one node of 1.30.14: what a kubelet and a manager read when, and what they show of it. */
describeInWholeLab('claims about configuration files and flags are true on real binaries', () => {
  const lab = onLab({ nodes: 1, from: '1.30.14', to: '1.30.14' });

  const protectedKcm = kcm({ migration: 'canonical' });
  const text = migrationFile(protectedKcm) ?? '';
  const shortened = text.replace(`name: ${LONG}\n`, SHORT);
  const configz = (): Promise<string> => lab.environment.ask('cp-1', 'kcm', '/configz');

  function migrationKindIn({ nodes }: ClusterObservation): string | undefined {
    return nodes[0]?.kcm.processes[0]?.config.leaderMigration.kind;
  }
  const migrationKind = async (): Promise<string | undefined> =>
    migrationKindIn(await lab.product.inspect());

  /** What the process itself would read, through its own mounts. */
  function insideOf(manager: 'kcm'): string {
    const [pid] = lab.environment.pids('cp-1', manager);
    return readFileSync(`/proc/${pid}/root${MIGRATION_FILES[manager]}`, 'utf8');
  }

  /** Until a process runs that is none of these; returns the seconds it took. */
  const untilAnother = (old: readonly number[]): Promise<number> =>
    untilSo('another process runs', () =>
      lab.environment.pids('cp-1', 'kcm').some((pid) => !old.includes(pid)),
    );

  async function killAndAwait(): Promise<void> {
    const old = lab.environment.pids('cp-1', 'kcm');
    lab.environment.node('cp-1').signalManager('kcm', 'SIGKILL');
    await untilAnother(old);
    await untilSo('it answers', async () => (await configz()) !== '');
  }

  it('P20 a configuration file edited under a running process changes nothing until it restarts', async () => {
    await lab.environment.lay({ plans: [node(protectedKcm)] });
    expect(await configz()).toContain(`"${LONG}"`);
    overwriteFile(lab.environment.node('cp-1'), MIGRATION_FILES.kcm, shortened.padEnd(text.length));
    expect(insideOf('kcm')).toContain(SHORT);
    expect(await configz()).toContain(`"${LONG}"`);
    expect(await migrationKind()).toBe('unreadable');
    await killAndAwait();
    expect(await configz()).not.toContain(`"${LONG}"`);
    expect(await migrationKind()).toBe('on');
  });

  it('P20 a configuration file edited under a running process changes nothing until it restarts: the product sees the edit and starts no CCM', async () => {
    await lab.environment.lay({ plans: [node(kcm())] });
    const until = lab.product.migrate('ccm', ({ name }) => {
      if (name === 'enableLeaderMigration') throw new Error('far enough');
    });
    await expect(until).rejects.toThrow('far enough');
    const path = /--leader-migration-config=(\S+)/.exec(manifestText())?.[1] ?? '';
    const place = placeOnHost(lab.environment.node('cp-1').folder, path);
    const ours = readFileSync(place, 'utf8');
    expect(ours).toContain(LONG);
    replaceFile(lab.environment.node('cp-1'), path, ours.replaceAll(LONG, 'service'));
    const observation = await lab.product.inspect();
    expect(migrationKindIn(observation)).toBe('unreadable');
    expect(decisionIn(lab.product, observation, 'ccm')).not.toBe('startCcm');
    expect(await configz()).toContain(`"${LONG}"`);
  });

  function manifestText(): string {
    const path = '/etc/kubernetes/manifests/kube-controller-manager.yaml';
    return readFileSync(placeOnHost(lab.environment.node('cp-1').folder, path), 'utf8');
  }

  it('P12 an edit in place starts the successor late, removing the manifest first starts it soon', async () => {
    await lab.environment.lay({ plans: [node(kcm())] });
    const old = lab.environment.pids('cp-1', 'kcm');
    const began = performance.now();
    lab.environment.put('cp-1', 'kcm', protectedKcm);
    const died = await untilSo('the old one ends', () => {
      return !lab.environment.pids('cp-1', 'kcm').some((pid) => old.includes(pid));
    });
    await untilAnother(old);
    const inPlace = (performance.now() - began) / 1000;
    figure('P12', 'edit in place: the old process ends, s', died);
    figure('P12', 'edit in place: the new one runs, s', inPlace);
    const apart = async (plan: ManagerPlan): Promise<number> => {
      const before = lab.environment.pids('cp-1', 'kcm');
      lab.environment.removeStale('cp-1', 'kcm');
      const gone = await lab.environment.untilGone('cp-1', 'kcm');
      lab.environment.put('cp-1', 'kcm', plan);
      return gone + (await untilAnother(before));
    };
    const apartS = await apart(kcm({ extraArguments: ['--v=1'] }));
    figure('P12', 'taken away and another text written: the new one runs, s', apartS);
    figure('P12', 'the same once more, s', await apart(kcm()));
    await lab.product.fence();
    await lab.product.take({ kind: 'setAccess', access: 'leaseGrant', want: 'present' });
    const ours = performance.now();
    await lab.product.take({
      kind: 'changeManager',
      node: 'cp-1',
      want: { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
      release: 'mainThenMigration',
    });
    figure('P12', 'our step, proof and observation included, s', (performance.now() - ours) / 1000);
    expect(lab.environment.pids('cp-1', 'kcm')).toHaveLength(1);
  });

  it('F2 a single file mounted into a manager keeps its old content until the container restarts', async () => {
    await lab.environment.lay({ plans: [node(protectedKcm)] });
    replaceFile(lab.environment.node('cp-1'), MIGRATION_FILES.kcm, shortened);
    expect(insideOf('kcm')).toContain(LONG);
    await killAndAwait();
    expect(insideOf('kcm')).toContain(SHORT);
    expect(await configz()).not.toContain(`"${LONG}"`);
  });

  it('F4 /configz shows the Leader Migration that is in force, with its names', async () => {
    await lab.environment.lay({
      plans: [
        node(protectedKcm, ccm({ extraArguments: ['--leader-elect-retry-period=1s'] }), {
          afterMs: { ccm: 1 },
        }),
      ],
    });
    const said = await Promise.all(
      (['kcm', 'ccm'] as const).map(async (manager) =>
        Object.values(JSON.parse(await lab.environment.ask('cp-1', manager, '/configz')) as object),
      ),
    );
    expect(said).toMatchObject([
      [{ Generic: genericConfigz('kcm', '2s') }],
      [{ Generic: genericConfigz('ccm', '1s') }],
    ]);
  });

  it('F3 a holder renews once per --leader-elect-retry-period', async () => {
    const quick = ccm({ migration: 'off', extraArguments: ['--leader-elect-retry-period=1s'] });
    await lab.environment.lay({ plans: [node(kcm(), quick)] });
    const betweenWritesOf = async (manager: 'kcm' | 'ccm'): Promise<number> => {
      const holder = await lab.environment.holder(MAIN[manager]);
      const { seen } = await until(`ten renewals of the ${manager}`, () => {
        const writes = leaseWrites(lab.environment.cluster, MAIN[manager]);
        const own = writes.filter((write) => write.holder === holder);
        return own.length >= 10 ? secondsBetween(own) : null;
      });
      return seen.toSorted((a, b) => a - b)[Math.floor(seen.length / 2)] ?? 0;
    };
    const [slow, fast] = [await betweenWritesOf('kcm'), await betweenWritesOf('ccm')];
    figure('F3', 'median between renewals at the default of 2 s', slow);
    figure('F3', 'median between renewals at 1 s', fast);
    expect(fast).toBeLessThan(slow * 0.75);
  });

  it('F5 node IPAM in the migration set runs under the migration lock, and not at all if the CCM does not implement it', async () => {
    const withIpam = `${text}  - name: node-ipam-controller\n    component: "*"\n`;
    await lab.environment.lay({ plans: [node(null)], leaseGrant: false });
    lab.environment.put('cp-1', 'kcm', protectedKcm, { [MIGRATION_FILES.kcm]: withIpam });
    await lab.environment.untilHeld(MAIN.kcm);
    expect(await configz()).toContain('"node-ipam-controller"');
    await lab.environment.untilRefused('cp-1', 'kcm');
    await lab.environment.untilRunning('cp-1', 'kcm', []);
    await setLeaseGrant(lab.environment.cluster, true);
    await lab.environment.untilOwnedBy('kcm');
    await untilSo('node IPAM runs', async () => {
      return (await lab.environment.running('cp-1', 'kcm')).includes('nodeipam');
    });
    lab.environment.put('cp-1', 'ccm', ccm(), { [MIGRATION_FILES.ccm]: withIpam });
    await lab.environment.untilHeld(MAIN.ccm);
    const { lock } = lab.product.context.policy;
    const policy = {
      ...lab.product.context.policy,
      lock: { ...lock, controllers: [...lock.controllers, 'nodeipam' as const] },
    };
    const codes = preflight(await lab.product.inspect(), policy).map(({ code }) => code);
    expect(codes).toContain('CCM1013');
    lab.environment.removeStale('cp-1', 'kcm');
    await lab.environment.untilOwnedBy('ccm');
    expect(await lab.environment.running('cp-1', 'ccm')).not.toContain('nodeipam');
    await lab.environment.untilRunning('cp-1', 'kcm', []);
  });
});
