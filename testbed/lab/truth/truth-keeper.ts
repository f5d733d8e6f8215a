import type { CloudJournalLine } from '../cloud/cloud-call.js';
import type { MonitorLine } from '../process-monitor/monitor-line.js';
import { readAuditLine, type ApiRequest, type LeaseWrite } from './audit-entry.js';
import { clusterTruth, type ClusterTruth } from './cluster-truth.js';
import { FileTail } from './file-tail.js';
import type { Host } from './holders.js';

export interface TruthSources {
  readonly cluster: string;
  readonly auditLog: string;
  /** The output of the lab's process monitor. */
  readonly monitorFile: string;
  readonly journal: () => readonly CloudJournalLine[];
  readonly hosts: () => ReadonlyMap<string, Host>;
  /** The users of the product, whose requests are counted. */
  readonly users: readonly string[];
}

/** A request of one of the users, with its index in their sequence. */
export interface NumberedRequest extends ApiRequest {
  readonly index: number;
}

/**
 * Maximum age of the process monitor's account before it is stale. It samples every 50 ms and reports each half
 * second.
 */
const STALE_MS = 5_000;

/** Reads the evidence about a cluster incrementally, and derives what really happened. */
export class TruthKeeper {
  private readonly sources: TruthSources;
  private readonly audit: FileTail;
  private readonly monitor: FileTail;
  private readonly leaseWrites: LeaseWrite[] = [];
  private readonly monitorLines: MonitorLine[] = [];
  private readonly requested: NumberedRequest[] = [];

  constructor(sources: TruthSources) {
    this.sources = sources;
    this.audit = new FileTail(sources.auditLog);
    this.monitor = new FileTail(sources.monitorFile);
  }

  /** The account up to the process monitor's last sample. */
  truth(nowMs: number): ClusterTruth {
    const { cluster, journal, hosts } = this.sources;
    // The process monitor's output first: the audit log read after it is at least as new.
    this.readMonitor();
    this.readAudit();
    const truth = clusterTruth({
      ...{ cluster, leaseWrites: this.leaseWrites, monitor: this.monitorLines },
      ...{ journal: journal(), hosts: hosts() },
    });
    if (nowMs - truth.nowMs <= STALE_MS) return truth;
    const since = truth.nowMs === 0 ? 'its start' : new Date(truth.nowMs).toISOString();
    const contradictions = [
      ...truth.contradictions,
      `processes have not been monitored since ${since}`,
    ];
    return { ...truth, contradictions };
  }

  /** Requests of the users to the API server, from an index on. */
  requests(since: number): readonly NumberedRequest[] {
    this.readAudit();
    return this.requested.slice(since);
  }

  private readMonitor(): void {
    for (const line of this.monitor.newLines()) {
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- lab/witness wrote it
      this.monitorLines.push(JSON.parse(line) as MonitorLine);
    }
  }

  private readAudit(): void {
    for (const line of this.audit.newLines()) {
      const entry = readAuditLine(line);
      if (entry === null) continue;
      const { request, leaseWrite } = entry;
      if (leaseWrite !== null) this.leaseWrites.push(leaseWrite);
      if (this.sources.users.includes(request.user)) {
        this.requested.push({ index: this.requested.length, ...request });
      }
    }
  }
}
