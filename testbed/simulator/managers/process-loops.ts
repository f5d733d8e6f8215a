import type { CloudCaller } from '../cloud/fake-cloud.js';
import { cloudNodeLoop } from '../loops/cloud-node-loop.js';
import { Informer } from '../loops/informer.js';
import { EventRecorder } from '../loops/event-recorder.js';
import type { Loop, LoopCall, LoopContext } from '../loops/loop-context.js';
import { nodeLifecycleLoop } from '../loops/node-lifecycle-loop.js';
import { routeLoop } from '../loops/route-loop.js';
import { serviceLoop } from '../loops/service-loop.js';
import { ProcessMetrics } from '../metrics/process-metrics.js';
import { WorkQueue } from '../metrics/work-queue.js';
import type { Cancel } from '../model.js';
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

/** `source.component` of their Events; loops that are not named tell nothing. */
const EVENT_COMPONENTS: Readonly<Partial<Record<LoopName, string>>> = {
  service: 'service-controller',
  route: 'route_controller',
  'cloud-node': 'cloud-node-controller',
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
  readonly metrics = new ProcessMetrics();
  private readonly options: ProcessLoopsOptions;
  private readonly informers: Informer[] = [];
  private readonly openCalls = new Set<Cancel>();

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
    for (const cancel of this.openCalls) cancel();
    this.suspend();
  }

  private contextFor(settings: ManagerSettings, name: LoopName): LoopContext {
    const { context, timers, caller } = this.options;
    const { cloud, draws } = context;
    const { metrics } = this;
    const client = this.loopClient(settings, name);
    const component = EVENT_COMPONENTS[name] ?? name;
    return {
      ...{ timers, draws, cloud, client, metrics },
      ...{ flags: settings.flags, minor: settings.minor },
      watch: (resource, onObject) => {
        this.watch(settings, resource, onObject);
      },
      call: (op, args, call) => {
        this.call({ op, args, controller: name }, call);
      },
      queue: (label, options) => {
        const queue = new WorkQueue({ ...options, timers });
        metrics.queues.set(label, queue);
        return queue;
      },
      tell: new EventRecorder({ component, client, timers, pid: caller.pid }).tell,
    };
  }

  /** A call that hangs is forgotten when its process ends. */
  private call(
    what: { readonly op: string; readonly args: string; readonly controller: LoopName },
    { effect, ended }: LoopCall,
  ): void {
    const { context, timers, caller } = this.options;
    const hanging: { cancel: Cancel | null } = { cancel: null };
    hanging.cancel = context.cloud.call(caller, what, ({ tookMs, error }) => {
      if (hanging.cancel !== null) this.openCalls.delete(hanging.cancel);
      if (error === null) effect?.();
      timers.schedule(tookMs, () => {
        ended(error);
      });
    });
    if (hanging.cancel !== null) this.openCalls.add(hanging.cancel);
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
