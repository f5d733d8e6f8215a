import { setTimeout as sleep } from 'node:timers/promises';
import type { CloudJournalLine } from '../../../../testbed/lab/cloud/cloud-call.js';
import type { LabRuns } from '../runs/lab-runs.js';
import { SERVICES } from '../truth/lab-observations.js';
import { addressesOf, loadBalancerService, type ServiceObject } from '../truth/objects.js';

/** A LoadBalancer Service through its life: made, given other ports, deleted, each when the previous change was observed to be complete. */
export interface ServiceLife {
  readonly name: string;
  readonly createdMs: number;
  /** Epoch ms of each, null until it was requested. */
  readonly changedMs: number | null;
  readonly deletedMs: number | null;
  /** When the API server no longer had it. */
  readonly goneMs: number | null;
}

const POLL_MS = 400;
const EACH_MS = 1_000;
/** How many may be between creation and removal: those without an owner wait, and no others pile up behind them. */
const MOST_OPEN = 8;
/** The longest time without an owner, an election and the work that waited for it. */
const WIND_DOWN_MS = 120_000;

/** Users of a cluster that come and go while it migrates. */
export class ServiceChurn {
  private readonly environment: LabRuns;
  private readonly prefix: string;
  private readonly lives = new Map<string, ServiceLife>();
  private readonly ended: Promise<void>;
  private lastMs = 0;
  private closedMs: number | null = null;

  /** Services arrive from now on; no name is used twice if no prefix is. */
  constructor(environment: LabRuns, prefix: string) {
    this.environment = environment;
    this.prefix = prefix;
    this.ended = this.goOn();
    // windDown() reports the failure.
    this.ended.catch(() => undefined);
  }

  get all(): readonly ServiceLife[] {
    return [...this.lives.values()];
  }

  /** No more arrive; resolves when the last is gone, and rejects with any failure in the meantime. */
  async windDown(): Promise<void> {
    this.closedMs ??= Date.now();
    await this.ended;
  }

  private async goOn(): Promise<void> {
    for (;;) {
      await this.round();
      const open = this.open();
      if (this.closedMs !== null && open.length === 0) return;
      if (this.closedMs !== null && Date.now() - this.closedMs > WIND_DOWN_MS) {
        throw new Error(`these Services are not done with: ${JSON.stringify(open)}`);
      }
      await sleep(POLL_MS);
    }
  }

  private open(): readonly ServiceLife[] {
    return this.all.filter(({ goneMs }) => goneMs === null);
  }

  private async round(): Promise<void> {
    const { items } = (await this.environment.cluster.api.must('GET', SERVICES)) as {
      readonly items: readonly ServiceObject[];
    };
    const there = new Map(items.map((item) => [item.metadata.name, item]));
    const open = this.open();
    for (const life of open) await this.step(life, there.get(life.name));
    const isTime = Date.now() - this.lastMs >= EACH_MS && open.length < MOST_OPEN;
    if (this.closedMs === null && isTime) await this.create();
  }

  private async create(): Promise<void> {
    this.lastMs = Date.now();
    const name = `${this.prefix}-${String(this.lives.size + 1)}`;
    await this.environment.cluster.api.must('POST', SERVICES, loadBalancerService(name));
    this.lives.set(name, {
      ...{ name, createdMs: this.lastMs, changedMs: null, deletedMs: null, goneMs: null },
    });
  }

  private async step(life: ServiceLife, seen: ServiceObject | undefined): Promise<void> {
    const { name, changedMs, deletedMs } = life;
    const nowMs = Date.now();
    if (seen === undefined) {
      if (deletedMs === null) throw new Error(`Service ${name} is gone, but was not deleted`);
      this.lives.set(name, { ...life, goneMs: nowMs });
    } else if (changedMs === null) {
      if (addressesOf(seen).length === 0) return;
      const ports = [{ port: 81, protocol: 'TCP' }];
      await this.environment.cluster.api.mergePatch(`${SERVICES}/${name}`, { spec: { ports } });
      this.lives.set(name, { ...life, changedMs: nowMs });
    } else if (deletedMs === null) {
      if (!ensuredSince(this.environment.lab.cloud.journal(), name, changedMs)) return;
      await this.environment.cluster.api.must('DELETE', `${SERVICES}/${name}`);
      this.lives.set(name, { ...life, deletedMs: nowMs });
    }
  }
}

function ensuredSince(
  journal: readonly CloudJournalLine[],
  name: string,
  sinceMs: number,
): boolean {
  return journal.some(
    ({ op, args, sentMs, outcome }) =>
      op === 'EnsureLoadBalancer' &&
      args['service'] === `default/${name}` &&
      sentMs >= sinceMs &&
      outcome === 'done',
  );
}
