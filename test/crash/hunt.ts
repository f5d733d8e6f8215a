import { setTimeout as sleep } from 'node:timers/promises';
import { evidenceOf, type Run } from '../support/run-parts.js';
import type { Attributed } from './attribution.js';
import { attribute } from './attribution.js';
import type { CrashPoint, DirectionName } from './crash-point.js';
import { pointKey, pointOf, snaresOf } from './crash-point.js';
import type { CrashEnvironment } from './crash-environment.js';
import type { Companion } from './drive-direction.js';
import type { Parked } from './simulator-proxy.js';

export interface HuntOptions {
  readonly direction: DirectionName;
  /** Where to strike, each once. */
  readonly points: readonly CrashPoint[];
  /** Whether the Temporal server dies together with the first worker. */
  readonly withServer: boolean;
  readonly report: (line: string) => void;
  /** What happens at each point instead of the worker's death; the snares for the remaining points are set already. */
  readonly instead?: (environment: CrashEnvironment) => Promise<void>;
}

const SNARE_MS = 25;

/** Re-read after each wait: the compiler assumes that it cannot have changed. */
function isOver(over: () => boolean): boolean {
  return over();
}

/** Waits at crash points, and strikes when a request arrives. */
export class Hunt implements Companion {
  readonly struck: CrashPoint[] = [];
  private pending: readonly CrashPoint[];
  private run: Run | null = null;
  private withServer: boolean;

  private readonly environment: CrashEnvironment;
  private readonly order: HuntOptions;
  private readonly since: number;

  constructor(environment: CrashEnvironment, order: HuntOptions, since: number) {
    this.environment = environment;
    this.order = order;
    this.since = since;
    this.pending = order.points;
    this.withServer = order.withServer;
  }

  follow(run: Run): void {
    this.run = run;
  }

  async set(): Promise<void> {
    await this.environment.proxy.forget();
    await this.environment.proxy.set(this.pending.flatMap(snaresOf));
  }

  /** Watches the snares until the run has ended; rejects with it. */
  async until(ended: Promise<unknown>): Promise<void> {
    let over = false;
    const end = ended.finally(() => (over = true));
    while (!isOver(() => over)) {
      if (this.environment.proxy.rang()) await this.meet();
      await sleep(SNARE_MS);
    }
    await end;
  }

  /** A request is parked: kills the worker if it is the intended one, else lets it pass. */
  async meet(): Promise<void> {
    const { proxy } = this.environment;
    const parked = await proxy.parked();
    if (parked.length === 0 || this.run === null) return;
    const found = await this.name(parked, this.run);
    const keys = found.map(pointKey);
    const meant = this.pending.filter((point) => keys.includes(pointKey(point)));
    if (meant.length === 0) {
      await this.set();
      await proxy.release();
      return;
    }
    this.pending = this.pending.filter((point) => !meant.includes(point));
    this.struck.push(...meant);
    for (const point of meant) this.order.report(`kill at ${pointKey(point)}`);
    await (this.order.instead === undefined ? this.crash() : this.strike(this.order.instead));
  }

  private async strike(instead: (environment: CrashEnvironment) => Promise<void>): Promise<void> {
    await this.set();
    await instead(this.environment);
  }

  private async crash(): Promise<void> {
    const { environment } = this;
    await environment.killWorker();
    // The simulator notices that the dead worker's connections end: what was parked before its effect never gets it.
    while ((await environment.proxy.parked()).length > 0) await sleep(SNARE_MS);
    await this.set();
    if (this.withServer) {
      this.withServer = false;
      this.order.report('kill of the Temporal server');
      await environment.replaceServer();
    }
    await environment.startWorker();
  }

  private async name(parked: readonly Parked[], run: Run): Promise<readonly CrashPoint[]> {
    const journal = await this.environment.proxy.journal(this.since);
    const { requests } = attribute(journal, await evidenceOf(this.environment, run));
    return parked.flatMap(({ index, moment }) => {
      const upTo: readonly Attributed[] = requests.filter(({ entry }) => entry.index <= index);
      return upTo.at(-1)?.entry.index === index
        ? [pointOf(this.order.direction, upTo, moment)]
        : [];
    });
  }
}
