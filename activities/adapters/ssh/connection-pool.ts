import { raceAbort } from '../../race-abort.js';
import { createSlots, type Slots } from './ssh-connection.js';
import type { SshConnection } from './ssh-connection.js';

/** Connections to the nodes of one cluster, one for each node. */
export interface ConnectionPool {
  /** Runs `act` on a live connection to the node; `open` makes a new one where there is none. */
  use<T>(
    node: string,
    signal: AbortSignal,
    open: () => Promise<SshConnection>,
    act: (connection: SshConnection) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
}

export interface PoolLimits {
  /** Connections to one cluster at a time. Control planes have up to five nodes, and a few machines come and go. */
  readonly connections: number;
  /** An unused connection is closed after this time. */
  readonly idleMs: number;
  /** After this time the node is resolved and logged into again: another machine may have its name by now. */
  readonly maxAgeMs: number;
}

const LIMITS: PoolLimits = { connections: 8, idleMs: 60_000, maxAgeMs: 300_000 };

interface Entry {
  readonly node: string;
  readonly connection: Promise<SshConnection>;
  /** Known once it is open. */
  open: SshConnection | null;
  readonly since: number;
  users: number;
  idle: NodeJS.Timeout | null;
}

export function createConnectionPool(limits: PoolLimits = LIMITS): ConnectionPool {
  return new NodeConnections(limits);
}

class NodeConnections implements ConnectionPool {
  private readonly limits: PoolLimits;
  private readonly slots: Slots;
  private readonly entries = new Map<string, Entry>();

  constructor(limits: PoolLimits) {
    this.limits = limits;
    this.slots = createSlots(limits.connections);
  }

  async use<T>(
    node: string,
    signal: AbortSignal,
    open: () => Promise<SshConnection>,
    act: (connection: SshConnection) => Promise<T>,
  ): Promise<T> {
    const entry = this.current(node) ?? this.begin(node, open);
    entry.users += 1;
    if (entry.idle !== null) clearTimeout(entry.idle);
    try {
      return await act(await raceAbort(signal, entry.connection));
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.rest(entry);
    }
  }

  async close(): Promise<void> {
    const all = [...this.entries.values()];
    for (const entry of all) this.drop(entry);
    await Promise.allSettled(
      all.map(async ({ connection }) => {
        (await connection).close();
      }),
    );
  }

  /** The node's connection, unless it is broken or too old for new work. */
  private current(node: string): Entry | null {
    const entry = this.entries.get(node);
    if (entry === undefined) return null;
    const broken = entry.open?.alive() === false;
    const old = performance.now() - entry.since > this.limits.maxAgeMs;
    if (!broken && !old) return entry;
    this.entries.delete(node);
    if (entry.users === 0) this.drop(entry);
    return null;
  }

  private begin(node: string, open: () => Promise<SshConnection>): Entry {
    this.makeRoom();
    const connection = this.connect(open);
    const since = performance.now();
    const entry: Entry = { node, connection, open: null, since, users: 0, idle: null };
    this.entries.set(node, entry);
    connection.then(
      (opened) => {
        entry.open = opened;
        if (entry.users === 0) this.rest(entry);
      },
      () => {
        this.drop(entry);
      },
    );
    return entry;
  }

  /** Continues when the first caller has left: others may be waiting for it. */
  private async connect(open: () => Promise<SshConnection>): Promise<SshConnection> {
    const giveBack = await this.slots.take(AbortSignal.timeout(this.limits.idleMs));
    try {
      const connection = await open();
      connection.whenClosed(giveBack);
      return connection;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** An unused connection is closed to make room for another node's. */
  private makeRoom(): void {
    if (this.entries.size < this.limits.connections) return;
    const unused = [...this.entries.values()].find(({ users, open }) => users === 0 && open);
    if (unused !== undefined) this.drop(unused);
  }

  private rest(entry: Entry): void {
    if (entry.open === null) return;
    if (this.entries.get(entry.node) !== entry) entry.open.close();
    else {
      entry.idle = setTimeout(() => {
        this.drop(entry);
      }, this.limits.idleMs).unref();
    }
  }

  private drop(entry: Entry): void {
    if (this.entries.get(entry.node) === entry) this.entries.delete(entry.node);
    if (entry.idle !== null) clearTimeout(entry.idle);
    entry.open?.close();
  }
}
