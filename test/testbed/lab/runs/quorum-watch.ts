import { setTimeout as sleep } from 'node:timers/promises';
import type { StackedEtcd } from '../../../../testbed/lab/etcd/stacked-etcd.js';
import type { EtcdMemberView } from '../../../../testbed/simulator/model.js';

/** Members of etcd at one moment; none when no member answered. */
export interface QuorumSample {
  readonly atMs: number;
  readonly members: readonly EtcdMemberView[];
}

const EVERY_MS = 500;

/** Asks etcd itself, repeatedly, for its members and their state. */
export class QuorumWatch {
  readonly samples: QuorumSample[] = [];
  private readonly etcd: Pick<StackedEtcd, 'list'>;
  private readonly done: Promise<void>;
  private goesOn = true;

  constructor(etcd: Pick<StackedEtcd, 'list'>) {
    this.etcd = etcd;
    this.done = this.watch();
  }

  async stop(): Promise<readonly QuorumSample[]> {
    this.goesOn = false;
    await this.done;
    return this.samples;
  }

  private async watch(): Promise<void> {
    while (this.isWanted()) {
      const members = await this.etcd.list().catch(() => []);
      this.samples.push({ atMs: Date.now(), members });
      await sleep(EVERY_MS);
    }
  }

  /** Re-read after each wait. */
  private isWanted(): boolean {
    return this.goesOn;
  }
}

/** Moments at which too few healthy members voted, as text. */
export function quorumComplaints(
  samples: readonly QuorumSample[],
  least: number,
): readonly string[] {
  if (samples.length === 0) return ['etcd was never asked'];
  return samples.flatMap(({ atMs, members }) => {
    const well = members.filter(({ voter, healthy }) => voter && healthy);
    return well.length >= least
      ? []
      : [`${new Date(atMs).toISOString()}: ${well.length} healthy voters in ${told(members)}`];
  });
}

function told(members: readonly EtcdMemberView[]): string {
  return JSON.stringify(
    members.map(({ name, voter, healthy }) => [
      name,
      voter ? 'voter' : 'learner',
      healthy ? 'healthy' : 'sick',
    ]),
  );
}
