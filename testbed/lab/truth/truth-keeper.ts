import type { JournalEntry } from '../cloud/cloud-call.js';
import type { WitnessLine } from '../witness/witness-line.js';
import { readAuditLine, type ApiRequest, type LeaseWrite } from './audit-entry.js';
import { clusterTruth, type ClusterTruth } from './cluster-truth.js';
import { FileTail } from './file-tail.js';
import type { Host } from './holders.js';

export interface TruthSources {
  readonly cluster: string;
  readonly auditLog: string;
  /** The output of the lab's process monitor. */
  readonly witnessFile: string;
  readonly journal: () => readonly JournalEntry[];
  readonly hosts: () => ReadonlyMap<string, Host>;
  /** The user whose requests are counted. */
  readonly user: string;
}

/** A request of the user, with its index in their sequence. */
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
  private readonly witness: FileTail;
  private readonly leaseWrites: LeaseWrite[] = [];
  private readonly witnessLines: WitnessLine[] = [];
  private readonly requested: NumberedRequest[] = [];

  constructor(sources: TruthSources) {
    this.sources = sources;
    this.audit = new FileTail(sources.auditLog);
    this.witness = new FileTail(sources.witnessFile);
  }

  /** The account up to the process monitor's last sample. */
  truth(nowMs: number): ClusterTruth {
    const { cluster, journal, hosts } = this.sources;
    // The process monitor's output first: the audit log read after it is at least as new.
    this.readWitness();
    this.readAudit();
    const truth = clusterTruth({
      ...{ cluster, leaseWrites: this.leaseWrites, witness: this.witnessLines },
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

  /** Requests of the user to the API server, from an index on. */
  requests(since: number): readonly NumberedRequest[] {
    this.readAudit();
    return this.requested.slice(since);
  }

  private readWitness(): void {
    for (const line of this.witness.newLines()) {
      // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- lab/witness wrote it
      this.witnessLines.push(JSON.parse(line) as WitnessLine);
    }
  }

  private readAudit(): void {
    for (const line of this.audit.newLines()) {
      const entry = readAuditLine(line);
      if (entry === null) continue;
      const { request, leaseWrite } = entry;
      if (leaseWrite !== null) this.leaseWrites.push(leaseWrite);
      if (request.user === this.sources.user) {
        this.requested.push({ index: this.requested.length, ...request });
      }
    }
  }
}
