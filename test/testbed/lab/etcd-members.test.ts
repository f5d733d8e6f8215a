import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { ETCD_MANIFEST } from '../../../testbed/base/kubeadm-defaults.js';
import type { EtcdPlace } from '../../../testbed/lab/etcd/etcd-files.js';
import { StackedEtcd } from '../../../testbed/lab/etcd/stacked-etcd.js';
import { whyKeepMember } from '../../../testbed/base/machines/etcd-safety.js';
import { createAuthority } from '../../../testbed/base/auth/certificates.js';
import { describeInLab } from './wanted.js';

jest.setTimeout(300_000);

/** Loopback addresses, so that each member can use the usual ports. */
const PLACES: readonly EtcdPlace[] = [1, 2, 3, 4].map((number) => ({
  name: `cp-${number}`,
  address: `127.77.0.${number}`,
}));

/** Real members from the manifests that nodes get, without kubelets: their files lie below a folder. */
describeInLab('members of a stacked etcd come and go without losing its leader', () => {
  let folder: string;
  let etcd: StackedEtcd;
  const running = new Map<string, ChildProcess>();
  const place = (number: number): EtcdPlace => PLACES[number - 1] ?? { name: '', address: '' };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-etcd-'));
    etcd = new StackedEtcd({
      ...{ cluster: 'lab-1', authority: createAuthority('etcd-ca'), image: 'etcd', most: 4 },
      hostsFile: join(folder, 'hosts'),
    });
    write(place(1));
    await etcd.untilFounded();
  });
  afterAll(async () => {
    etcd.close();
    await Promise.all([...running.keys()].map((name) => kill(name)));
    rmSync(folder, { recursive: true });
  });

  it('etcd members join one after the other, however many request it at once, and end as voters', async () => {
    for (const number of [2, 3]) write(place(number));
    await Promise.all([2, 3].map((number) => joined(place(number))));
    expect(await seen()).toEqual([
      'cp-1 voter healthy',
      'cp-2 voter healthy',
      'cp-3 voter healthy',
    ]);
  });

  it('etcd members leave before they stop, the leader too, and the others never lose it', async () => {
    write(place(4));
    await joined(place(4));
    const leader = (await etcd.list()).find((member) => member.leader);
    const going = PLACES.find(({ name }) => name === leader?.name) ?? place(1);
    expect(whyKeepMember(await etcd.list(), going.name)).toBeUndefined();
    await etcd.leave(going.address);
    const left = await etcd.list();
    expect(left).toHaveLength(3);
    expect(left.filter((member) => member.leader && member.healthy)).toHaveLength(1);
    expect(left.map(({ name }) => name)).not.toContain(going.name);
    await kill(going.name);
  });

  it('a dead etcd member is noticed, and then no other may leave; it can be removed while dead', async () => {
    const [first, second] = await etcd.list();
    const dead = PLACES.find(({ name }) => name === first?.name) ?? place(2);
    await kill(dead.name);
    const members = await etcd.list();
    expect(members.find(({ name }) => name === dead.name)).toMatchObject({ healthy: false });
    expect(whyKeepMember(members, dead.name)).toBeUndefined();
    expect(whyKeepMember(members, second?.name ?? '')).toContain('only 1 of 2');
    await etcd.leave(dead.address);
    expect(await etcd.list()).toHaveLength(2);
  });

  async function seen(): Promise<readonly string[]> {
    return (await etcd.list()).map(
      ({ name, voter, healthy }) =>
        `${name} ${voter ? 'voter' : 'learner'} ${healthy ? 'healthy' : 'sick'}`,
    );
  }

  function joined(at: EtcdPlace): Promise<void> {
    return etcd.join(at, (text) => start(at, text));
  }

  function write(at: EtcdPlace): void {
    const { [ETCD_MANIFEST]: manifest, ...files } = etcd.filesFor(at);
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, at.name, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode: 0o600 });
    }
    if (manifest !== undefined) start(at, manifest);
  }

  /** What a kubelet starts, with all files below the member's folder and on its own address alone. */
  function start({ name }: EtcdPlace, manifest: string): void {
    const [program = '', ...flags]: string[] = parse(manifest).spec.containers[0].command;
    const own = flags
      .filter((flag) => !flag.startsWith('--listen-metrics-urls='))
      .map((flag) => flag.replace('https://127.0.0.1:2379,', ''))
      .map((flag) => flag.replace(/=(?=\/)/, `=${join(folder, name)}`));
    const child = spawn(program, own, { stdio: 'ignore', env: { PATH: process.env['PATH'] } });
    running.set(name, child);
  }

  async function kill(name: string): Promise<void> {
    const child = running.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});
