import type { JournalEntry } from '../cloud/cloud-call.js';
import type { WitnessLine } from '../witness/witness-line.js';
import { readAuditLine, type ApiRequest, type LeaseWrite } from './audit-entry.js';
import { clusterTruth, type ClusterTruth } from './cluster-truth.js';
import { FileTail } from './file-tail.js';
import type { Host } from './holders.js';

export interface TruthSources {
  readonly cluster: string;
  readonly auditLog: string;
  /** What the witness of the lab writes. */
  readonly witnessFile: string;
  readonly journal: () => readonly JournalEntry[];
  readonly hosts: () => ReadonlyMap<string, Host>;
  /** Whose requests are counted. */
  readonly user: string;
}

/** A request of the user, with its place in their row. */
export interface NumberedRequest extends ApiRequest {
  readonly index: number;
}

/** How old the witness's account may be before it says nothing about now. It looks every 50 ms, and says so each half second. */
const STALE_MS = 5_000;

/** Reads what was written down about a cluster as far as it has come, and tells what really happened. */
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

  /** The account up to the witness's last look. */
  truth(nowMs: number): ClusterTruth {
    const { cluster, journal, hosts } = this.sources;
    // The witness first: what the audit log has by then is at least as new.
    this.readWitness();
    this.readAudit();
    const truth = clusterTruth({
      ...{ cluster, leaseWrites: this.leaseWrites, witness: this.witnessLines },
      ...{ journal: journal(), hosts: hosts() },
    });
    if (nowMs - truth.nowMs <= STALE_MS) return truth;
    const since = truth.nowMs === 0 ? 'its start' : new Date(truth.nowMs).toISOString();
    const contradictions = [...truth.contradictions, `nobody watches processes since ${since}`];
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
