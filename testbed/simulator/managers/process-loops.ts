import type { CloudCaller } from '../cloud/fake-cloud.js';
import { cloudNodeLoop } from '../loops/cloud-node-loop.js';
import { Informer } from '../loops/informer.js';
import type { Loop, LoopContext, LoopMetric } from '../loops/loop-context.js';
import { nodeLifecycleLoop } from '../loops/node-lifecycle-loop.js';
import { routeLoop } from '../loops/route-loop.js';
import { serviceLoop } from '../loops/service-loop.js';
import { ownerName } from '../../base/truth/journal-check.js';
import { isOwned } from '../../base/truth/truth.js';
import type { LoopName } from '../versions/behaviour.js';
import { serviceAccountUser } from './api-user.js';
import { routeError } from './loop-plan.js';
import type { ProcessContext } from './process-context.js';
import type { ProcessTimers } from './process-timers.js';
import type { ManagerSettings } from './settings.js';

const LOOPS: Readonly<Partial<Record<LoopName, Loop>>> = {
  service: serviceLoop,
  route: routeLoop,
  'cloud-node-lifecycle': nodeLifecycleLoop,
  'cloud-node': cloudNodeLoop,
};

/** ServiceAccounts that loops use with `--use-service-account-credentials`. */
const LOOP_ACCOUNTS: Readonly<Partial<Record<LoopName, string>>> = {
  service: 'service-controller',
  route: 'route-controller',
  'cloud-node-lifecycle': 'node-controller',
  'cloud-node': 'node-controller',
};

export interface ProcessLoopsOptions {
  readonly caller: CloudCaller;
  /** Null for a process that could not read its settings: it starts nothing. */
  readonly settings: ManagerSettings | null;
  readonly context: ProcessContext;
  readonly timers: ProcessTimers;
}

/** The loops of one process, reported to the ownership log from the moment they really run. */
export class ProcessLoops {
  readonly running = new Set<LoopName>();
  readonly counts = new Map<LoopMetric, number>();
  private readonly options: ProcessLoopsOptions;
  private readonly informers: Informer[] = [];

  constructor(options: ProcessLoopsOptions) {
    this.options = options;
  }

  /** Starts loops in order; returns the error of the first that cannot run, which ends the process. */
  start(names: readonly LoopName[]): string | undefined {
    const { settings } = this.options;
    if (settings === null) return undefined;
    for (const name of names) {
      const error = name === 'route' ? routeError(settings) : undefined;
      if (error !== undefined) return error;
      this.running.add(name);
      this.tellOwnership(name, 'begin');
      LOOPS[name]?.(this.contextFor(settings, name));
    }
    return undefined;
  }

  /** The process is stopped by a signal, so its loops have no owner. */
  suspend(): void {
    for (const name of this.running) this.tellOwnership(name, 'end');
  }

  wake(): void {
    for (const name of this.running) this.tellOwnership(name, 'begin');
  }

  end(): void {
    for (const informer of this.informers) informer.stop();
    this.suspend();
  }

  private contextFor(settings: ManagerSettings, name: LoopName): LoopContext {
    const { context, timers, caller } = this.options;
    const { cloud, draws } = context;
    return {
      ...{ timers, draws, cloud, flags: settings.flags },
      client: this.loopClient(settings, name),
      watch: (resource, onObject) => {
        this.watch(settings, resource, onObject);
      },
      call: (op, args) => cloud.record(caller, name, op, args),
      count: (metric) => this.counts.set(metric, (this.counts.get(metric) ?? 0) + 1),
    };
  }

  private loopClient(settings: ManagerSettings, name: LoopName): LoopContext['client'] {
    const account = LOOP_ACCOUNTS[name];
    const usesAccounts = settings.flags.bool('use-service-account-credentials', false);
    const user =
      usesAccounts && account !== undefined ? serviceAccountUser(account) : settings.user;
    return this.options.context.clientFor(user);
  }

  /** All loops of a process share its informers, which use the process's own identity. */
  private watch(
    settings: ManagerSettings,
    resource: string,
    onObject: Parameters<LoopContext['watch']>[1],
  ): void {
    const { context, timers } = this.options;
    const informer = new Informer({
      ...{ resource, timers, onObject },
      client: context.clientFor(settings.user),
      draws: context.draws,
      onChange: context.onChange,
      onReconnect: context.onReconnect,
    });
    this.informers.push(informer);
    informer.list();
  }

  private tellOwnership(name: LoopName, change: 'begin' | 'end'): void {
    const { context, caller } = this.options;
    if (!isOwned(name)) return;
    context.ownership[name][change](ownerName(caller), context.clock.nowMs());
  }
}
