import { writeFileSync } from 'node:fs';
import type { EtcdPlace } from './etcd-files.js';

/** Nothing listens there in the API server's network: a connection to a name without a member is refused at once. */
const NOBODY = '127.0.0.1';

/**
 * The fixed names by which an API server reaches etcd members that come and go. It gets its member list once, at its
 * start; its own hosts file maps each name to the current member, and each new connection reads that file.
 */
export class EtcdNames {
  readonly hostsFile: string;
  readonly all: readonly string[];
  private readonly members = new Map<string, EtcdPlace>();

  /** `count`: members at one time. */
  constructor(options: {
    readonly cluster: string;
    readonly count: number;
    readonly hostsFile: string;
  }) {
    this.hostsFile = options.hostsFile;
    this.all = Array.from(
      { length: options.count },
      (_, index) => `etcd-${index + 1}.${options.cluster}.lab`,
    );
  }

  /** Assigns a free name to a member; one that has a name keeps it. @throws Error when no name is free. */
  give(place: EtcdPlace): void {
    if (this.nameOf(place.address) !== undefined) return;
    const free = this.all.find((name) => !this.members.has(name));
    if (free === undefined) {
      throw new Error(
        `all ${this.all.length} names of etcd members are in use; remove a machine first`,
      );
    }
    this.members.set(free, place);
    this.write();
  }

  take(address: string): void {
    const name = this.nameOf(address);
    if (name === undefined) return;
    this.members.delete(name);
    this.write();
  }

  /** Writes in place: the API server has this very file mounted. */
  write(): void {
    const lines = this.all.map((name) => `${this.members.get(name)?.address ?? NOBODY} ${name}`);
    writeFileSync(this.hostsFile, `127.0.0.1 localhost\n${lines.join('\n')}\n`, { mode: 0o644 });
  }

  private nameOf(address: string): string | undefined {
    return [...this.members].find(([, place]) => place.address === address)?.[0];
  }
}
