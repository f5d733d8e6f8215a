import type { Manager } from '../../../domain/vocabulary.js';
import { Elector } from '../electors/elector.js';
import { BLIND_RENEWAL } from '../versions/behaviour.js';
import { valueFor } from '../versions/by-minor.js';
import type { Launch } from './launch.js';
import { planLoops, type LoopPlan } from './loop-plan.js';
import type { ProcessContext } from './process-context.js';
import { ProcessLoops } from './process-loops.js';
import { ProcessTimers } from './process-timers.js';
import { readSettings, type LockName, type ManagerSettings } from './settings.js';

/** From the start of a process to its first election attempt, and from acquiring a lock to running loops. */
const START_UP_MS = [300, 700] as const;
const BEGIN_LOOPS_MS = [40, 200] as const;

export interface ManagerProcessOptions {
  readonly launch: Launch;
  readonly pid: number;
  readonly context: ProcessContext;
  readonly onExit: (code: number, reason: string) => void;
}

/** One kube- or cloud-controller-manager: it reads its flags and files once, at its start. */
export class SimulatedManager {
  readonly pid: number;
  readonly manager: Manager;
  readonly startedAtMs: number;
  readonly identity: string;
  readonly launch: Launch;
  readonly settings: ManagerSettings | null;
  readonly plan: LoopPlan | null;
  readonly loops: ProcessLoops;
  /** Electors that have started, by the Lease's name. */
  readonly electors = new Map<string, Elector>();
  private readonly options: ManagerProcessOptions;
  private readonly timers: ProcessTimers;
  private state: 'running' | 'paused' | 'dead' = 'running';
  private leadsMain = false;

  constructor(options: ManagerProcessOptions) {
    const { launch, context } = options;
    this.options = options;
    this.pid = options.pid;
    this.manager = launch.manager;
    this.launch = launch;
    this.startedAtMs = context.clock.nowMs();
    this.identity = `${launch.hostname}_${context.draws.uuid()}`;
    this.timers = new ProcessTimers(context.clock);
    const answer = readSettings(launch);
    this.settings = answer.ok ? answer.settings : null;
    this.plan = answer.ok ? planLoops(answer.settings) : null;
    this.loops = new ProcessLoops({
      caller: {
        ...{ node: context.node, manager: launch.manager, pid: options.pid },
        ...{ identity: this.identity, version: this.settings?.version ?? '' },
      },
      settings: this.settings,
      context,
      timers: this.timers,
    });
    this.timers.schedule(context.draws.between(...START_UP_MS), () => {
      if (answer.ok) this.begin(answer.settings);
      else this.exit(1, answer.message);
    });
  }

  get paused(): boolean {
    return this.state === 'paused';
  }

  get alive(): boolean {
    return this.state !== 'dead';
  }

  /** SIGSTOP: it owns nothing while stopped. When it wakes it still considers itself the owner. */
  pause(): void {
    if (this.state !== 'running') return;
    this.state = 'paused';
    this.timers.pause();
    this.loops.suspend();
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    this.loops.wake();
    this.timers.resume();
  }

  /** Ends at once, without any cleanup. */
  die(): void {
    if (this.state === 'dead') return;
    this.state = 'dead';
    this.timers.end();
    this.loops.end();
    if (this.leadsMain && this.manager === 'kcm') this.options.context.onMainLoops(-1);
  }

  private exit(code: number, reason: string): void {
    if (this.state === 'dead') return;
    this.die();
    this.options.onExit(code, reason);
  }

  private begin(settings: ManagerSettings): void {
    if (!settings.leaderElect) {
      this.leadMain(settings);
      return;
    }
    this.elect(settings, settings.mainLock, () => {
      this.leadMain(settings);
    });
  }

  private elect(settings: ManagerSettings, lock: LockName, onLead: () => void): void {
    const { context } = this.options;
    const elector = new Elector({
      lock,
      identity: this.identity,
      timings: settings.timings,
      expiryBy: settings.expiryBy,
      writesBlindly: valueFor(BLIND_RENEWAL, settings.minor),
      client: context.clientFor(settings.user),
      draws: context.draws,
      timers: this.timers,
      onLead,
      onLost: () => {
        const what =
          lock.name === settings.mainLock.name ? 'leaderelection' : 'migration leaderelection';
        this.exit(1, `${what} lost`);
      },
    });
    this.electors.set(lock.name, elector);
    elector.acquire();
  }

  /** Starts the main loops; only then is the migration lock attempted. */
  private leadMain(settings: ManagerSettings): void {
    if (settings.failsWhenLeading !== undefined) {
      this.exit(1, settings.failsWhenLeading);
      return;
    }
    this.timers.schedule(this.options.context.draws.between(...BEGIN_LOOPS_MS), () => {
      this.leadsMain = true;
      if (this.manager === 'kcm') this.options.context.onMainLoops(1);
      this.startLoops(this.plan?.underMain ?? []);
      if (this.alive) this.tryMigration(settings);
    });
  }

  private tryMigration(settings: ManagerSettings): void {
    if (settings.migration === null || this.plan?.contendsForMigrationLock !== true) return;
    const { namespace } = settings.mainLock;
    this.elect(settings, { namespace, name: settings.migration.leaderName }, () => {
      this.timers.schedule(this.options.context.draws.between(...BEGIN_LOOPS_MS), () => {
        this.startLoops(this.plan?.underMigration ?? []);
      });
    });
  }

  private startLoops(names: LoopPlan['underMain']): void {
    const error = this.loops.start(names);
    if (error !== undefined) this.exit(1, `error starting controllers: ${error}`);
  }
}
