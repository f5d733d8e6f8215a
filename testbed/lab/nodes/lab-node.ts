import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manager } from '../../../domain/vocabulary.js';
import { MANAGER_NAMES } from '../../base/manager-names.js';
import { removeCgroups } from '../host/cgroups.js';
import { STATE_ROOT } from '../host/folders.js';
import { packageFile } from '../../../devserver/package-files.js';
import { networkOf, programOf } from '../host/proc-files.js';
import { startLabProcess, type StartedProcess } from '../host/started-process.js';
import { killCgroup } from '../lifecycle/kill-cgroup.js';
import { plugIn, switchCable, unplug, type Plug } from '../network/bridge.js';
import { writeDiskFiles } from './node-disk.js';
import type { NodeSpec } from './node-spec.js';
import { mountSmallDisk, unmountSmallDisk } from './small-disk.js';
import { NODE_SHADOW, prepareSsh, type SshLogin } from './ssh-login.js';

export interface LabNodeOptions {
  readonly spec: NodeSpec;
  readonly plug: Plug;
  /** Folder of the node in the lab's state. */
  readonly folder: string;
  /** For the node's own processes; its containers end with them. */
  readonly cgroup: string;
  readonly files: Readonly<Record<string, string>>;
  readonly programs: string;
  readonly images: string;
  readonly clientKeyFile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** First process of each node. */
export const NODE_INIT = packageFile('testbed', 'lab', 'nodes', 'init.sh');

/** A machine of the lab: its own namespaces in which containerd, kubelet and sshd run. */
export class LabNode {
  readonly spec: NodeSpec;
  readonly address: string;
  readonly folder: string;
  private readonly options: LabNodeOptions;
  private ssh: SshLogin | null = null;
  private namespace: string | null = null;
  private init: StartedProcess | null = null;

  constructor(options: LabNodeOptions) {
    this.options = options;
    this.spec = options.spec;
    this.address = options.plug.address;
    this.folder = options.folder;
  }

  get name(): string {
    return this.spec.name;
  }

  get sshAccess(): SshLogin {
    if (this.ssh === null) throw new Error(`${this.name} was never started`);
    return this.ssh;
  }

  /** For programs that must run in the node's network, for example to reach its loopback. */
  get networkNamespace(): string {
    if (this.namespace === null) throw new Error(`${this.name} was never started`);
    return this.namespace;
  }

  /** Installs and boots the machine; it is up when its Node is Ready. */
  async start(): Promise<void> {
    const { plug, folder, files, clientKeyFile } = this.options;
    mkdirSync(join(folder, 'log'), { recursive: true, mode: 0o755 });
    this.ssh = await prepareSsh({ nodeFolder: folder, address: plug.address, clientKeyFile });
    await mountSmallDisk(folder);
    writeDiskFiles(folder, { '/etc/shadow': NODE_SHADOW, ...files });
    mkdirSync(join(folder, 'disk/etc/kubernetes/manifests'), { recursive: true });
    this.namespace = await plugIn(plug);
    this.boot();
  }

  /** Boots a crashed machine: its disk is unchanged, its boot id is new. */
  boot(): void {
    const { folder, cgroup, env, programs, images } = this.options;
    writeFileSync(join(folder, 'boot-id'), `${randomUUID()}\n`);
    this.init = startLabProcess({
      name: `node ${this.name}`,
      command: [
        'unshare',
        ...['--mount', '--propagation', 'private', '--uts', '--ipc'],
        ...['--pid', '--fork', '--kill-child', '--mount-proc'],
        // Its clock starts with the machine, so that boot time and process start times are the node's own.
        ...['--time', `--boottime=-${Math.floor(uptimeSeconds())}`],
        ...['bash', NODE_INIT, folder, STATE_ROOT, this.spec.hostname, programs, images],
        this.spec.version,
      ],
      cgroup: join(cgroup, 'system'),
      namespace: this.networkNamespace,
      env: { PATH: env['PATH'], LANG: 'C.UTF-8' },
      logFile: join(folder, 'log', 'init.log'),
    });
  }

  isRunning(): boolean {
    return this.init !== null && !this.init.hasEnded();
  }

  /** Whether all images that a migration needs were imported. */
  hasImages(): boolean {
    return existsSync(join(this.folder, 'images-are-there'));
  }

  /** The ends of its logs, for errors: the logs are removed with the lab. */
  lastWords(): string {
    return ['init', 'images', 'containerd', 'kubelet']
      .map((name) => `${name}: ${lastLines(join(this.folder, 'log', `${name}.log`))}`)
      .join('\n');
  }

  /** Ends everything in the node at once, without shutdown; it stays down until `boot`. */
  async crash(): Promise<void> {
    await killCgroup(this.options.cgroup);
    await this.init?.ended;
    removeCgroups(this.options.cgroup);
  }

  async switchNetwork(state: 'up' | 'down'): Promise<void> {
    await switchCable(this.options.plug, state);
  }

  /** Sends a signal to a manager's processes; returns how many there were. */
  signalManager(manager: Manager, signal: NodeJS.Signals): number {
    const pids = this.managerProcesses(manager);
    for (const pid of pids) process.kill(pid, signal);
    return pids.length;
  }

  /** Host pids of a manager's processes on this node. */
  managerProcesses(manager: Manager): readonly number[] {
    // Found by the node's network, which only managers share; containerd moves their cgroups out of the node's.
    const { ino } = statSync(`/run/netns/${this.networkNamespace}`);
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => programOf(pid) === MANAGER_NAMES[manager] && networkOf(pid) === ino);
  }

  /** Crashes the machine permanently and removes everything it owned. */
  async remove(): Promise<void> {
    await this.crash();
    await unplug(this.options.plug);
    await unmountSmallDisk(this.folder);
    await removeTree(this.folder);
  }
}

function lastLines(file: string): string {
  if (!existsSync(file)) return '(nothing)';
  return readFileSync(file, 'utf8').trim().split('\n').slice(-3).join('\n  ');
}

function uptimeSeconds(): number {
  return Number.parseFloat(readFileSync('/proc/uptime', 'utf8'));
}

/** The kernel releases a dead namespace's folders a moment after its last process. */
async function removeTree(folder: string): Promise<void> {
  for (let tries = 0; existsSync(folder); tries += 1) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (tries >= 50) throw error;
      await sleep(100);
    }
  }
}
