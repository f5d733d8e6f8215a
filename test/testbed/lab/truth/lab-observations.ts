import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manager } from '../../../../domain/vocabulary.js';
import type { CloudJournalLine } from '../../../../testbed/lab/cloud/cloud-call.js';
import type { LabCluster } from '../../../../testbed/lab/cluster/lab-cluster.js';
import type { Lab } from '../../../../testbed/lab/lab.js';
import type { LabNode } from '../../../../testbed/lab/nodes/lab-node.js';
import { MIGRATION, OWNED, type Owned } from '../../simulator/environment.js';
import type { LeaseObject, PodObject, ServiceObject } from './objects.js';
import { untilSo } from './until.js';

export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
export const SERVICES = '/api/v1/namespaces/default/services';
const PODS = '/api/v1/namespaces/kube-system/pods';
export const MANAGERS: readonly Manager[] = ['kcm', 'ccm'];
const COMPONENTS = { kcm: 'kube-controller-manager', ccm: 'cloud-controller-manager' } as const;

/** What can be observed of a cluster of the lab: Leases, processes, what managers report, the cloud's journal. */
export class LabObservations {
  readonly lab: Lab;
  readonly cluster: LabCluster;

  constructor(lab: Lab, cluster: LabCluster) {
    this.lab = lab;
    this.cluster = cluster;
  }

  node(name: string): LabNode {
    return this.cluster.node(name);
  }

  async lease(name: string): Promise<LeaseObject | null> {
    const { status, body } = await this.cluster.api.send('GET', `${LEASES}/${name}`);
    return status === 200 ? (body as LeaseObject) : null;
  }

  async holder(name: string): Promise<string> {
    return (await this.lease(name))?.spec.holderIdentity ?? '';
  }

  async untilHeld(name: string): Promise<string> {
    await untilSo(`a process holds ${name}`, async () => (await this.holder(name)) !== '');
    return this.holder(name);
  }

  pids(node: string, manager: Manager): readonly number[] {
    return this.node(node).managerProcesses(manager);
  }

  async ask(
    node: string,
    manager: Manager,
    path: '/metrics' | '/configz' | '/healthz',
  ): Promise<string> {
    if (this.pids(node, manager).length === 0) return '';
    // A manager that just ended or does not listen yet reports nothing; callers ask again.
    const answer = await this.cluster.askManager(this.node(node), manager, path).catch(() => null);
    return answer?.status === 200 ? answer.text : '';
  }

  /** Everything that all containers of a manager on a node have written so far, oldest first. */
  log(node: string, manager: Manager): string {
    const pods = join(this.node(node).folder, 'disk/var/log/pods');
    return readdirSync(pods)
      .filter((name) => name.startsWith(`kube-system_${COMPONENTS[manager]}-`))
      .flatMap((name) => {
        const folder = join(pods, name, COMPONENTS[manager]);
        return existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [];
      })
      .map((file) => readFileSync(file, 'utf8'))
      .join('');
  }

  /** Until a manager was refused the migration Lease three times from now on, by its own log. */
  async untilRefused(node: string, manager: Manager): Promise<void> {
    const refusals = (): number =>
      this.log(node, manager).split(`"${MIGRATION}" is forbidden`).length - 1;
    const before = refusals();
    await untilSo('it is refused three times', () => refusals() >= before + 3);
  }

  /** Names of `running_managed_controllers` in one manager. */
  async running(node: string, manager: Manager): Promise<readonly string[]> {
    const found = (await this.ask(node, manager, '/metrics')).matchAll(
      /^running_managed_controllers\{.*name="([^"]+)"\} 1$/gm,
    );
    return [...found].map(([, loop]) => loop ?? '').sort();
  }

  /** Until a manager runs exactly these loops; those that have just started show late. */
  async untilRunning(node: string, manager: Manager, loops: readonly string[]): Promise<void> {
    let seen = '';
    await untilSo(
      `the ${manager} on ${node} runs "${loops.join(' ')}"`,
      async () => {
        seen = (await this.running(node, manager)).join(' ');
        return seen === [...loops].sort().join(' ');
      },
      { last: () => `"${seen}"`, withinMs: 30_000 },
    );
  }

  /** `held`, `waiting`, or `notTried` for an election that the process has not begun. */
  async role(node: string, manager: Manager, lease: string): Promise<string> {
    const metrics = await this.ask(node, manager, '/metrics');
    const value = new RegExp(
      `^leader_election_master_status\\{name="${lease}"\\} (\\d)$`,
      'm',
    ).exec(metrics)?.[1];
    if (metrics === '') return 'unknown';
    return value === undefined ? 'notTried' : value === '1' ? 'held' : 'waiting';
  }

  /** Managers that run a controller according to their own metrics, each once: `ccm kcm`, `kcm` or nothing. */
  async ownedBy(controller: Owned = 'service'): Promise<string> {
    return (await this.ownersOfAll())[controller];
  }

  async ownersOfAll(): Promise<Readonly<Record<Owned, string>>> {
    const all = this.cluster.nodes.flatMap(({ name }) =>
      MANAGERS.map(async (manager) => ({ manager, loops: await this.running(name, manager) })),
    );
    const said = await Promise.all(all);
    const ownersOf = (controller: Owned): string => {
      const owners = said.filter(({ loops }) => loops.includes(controller));
      return [...new Set(owners.map(({ manager }) => manager))].sort().join(' ');
    };
    const entries = OWNED.map((controller) => [controller, ownersOf(controller)] as const);
    return Object.fromEntries(entries) as Readonly<Record<Owned, string>>;
  }

  /** Until each controller is run by exactly these managers; loops that have just started show one after the other. */
  async untilOwners(wanted: Readonly<Record<Owned, string>>): Promise<void> {
    const inWords = (owners: Readonly<Record<Owned, string>>): string =>
      OWNED.map((controller) => `${controller} by "${owners[controller]}"`).join(', ');
    let seen = '';
    const observedSo = async (): Promise<boolean> => {
      seen = inWords(await this.ownersOfAll());
      return seen === inWords(wanted);
    };
    await untilSo(inWords(wanted), observedSo, { last: () => seen });
  }

  async untilOwnedBy(owners: string, controller: Owned = 'service'): Promise<number> {
    let seen = '';
    const observedSo = async (): Promise<boolean> => {
      seen = await this.ownedBy(controller);
      return seen === owners;
    };
    return untilSo(`${controller} is run by "${owners}"`, observedSo, { last: () => `"${seen}"` });
  }

  async service(name: string): Promise<ServiceObject | null> {
    const { status, body } = await this.cluster.api.send('GET', `${SERVICES}/${name}`);
    return status === 200 ? (body as ServiceObject) : null;
  }

  async mirror(node: string, manager: Manager): Promise<PodObject | null> {
    const { status, body } = await this.cluster.api.send('GET', this.mirrorPath(node, manager));
    return status === 200 ? (body as PodObject) : null;
  }

  mirrorPath(node: string, manager: Manager): string {
    return `${PODS}/${COMPONENTS[manager]}-${node}`;
  }

  /** Calls of managers to the cloud for one operation, from an index of the journal on. */
  calls(op: string, since = 0): readonly CloudJournalLine[] {
    return this.lab.cloud.journal(since).filter((call) => call.op === op);
  }

  /** Until process and mirror pod are gone, so that the next manifest starts something new. */
  async untilGone(node: string, manager: Manager): Promise<number> {
    return untilSo(`no ${manager} on ${node}`, async () => {
      if (this.pids(node, manager).length > 0) return false;
      return (await this.mirror(node, manager)) === null;
    });
  }
}
