import { randomBytes, timingSafeEqual } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBody } from '../../base/http/exchange.js';
import { sendJson, startServer, stopServer } from '../host/http-servers.js';
import {
  readCall,
  type SentCloudCall,
  type CloudFault,
  type CloudJournalLine,
} from './cloud-call.js';
import { ClusterCloud, NotACloudCall, type CloudAnswer } from './cluster-cloud.js';

const BODY_LIMIT = 1024 * 1024;
/** A real cloud takes its time; the delay also makes overlapping calls of two owners visible in the journal. */
const CALL_MS = 50;

export interface LabCloudOptions {
  readonly address: string;
  readonly port: number;
  /** One JSON line for each call. */
  readonly journalFile: string;
}

interface ArmedFault {
  readonly fault: CloudFault;
  left: number;
}

/** The cloud of all clusters of a lab, over HTTP: their resources, a journal of every call, and faults on request. */
export class LabCloud {
  readonly url: string;
  readonly journalFile: string;
  private readonly options: LabCloudOptions;
  private readonly clusters = new Map<string, { cloud: ClusterCloud; token: string }>();
  private readonly entries: CloudJournalLine[] = [];
  private readonly server: Server;
  private faults: readonly ArmedFault[] = [];
  private addressesGiven = 0;

  constructor(options: LabCloudOptions) {
    this.options = options;
    this.journalFile = options.journalFile;
    this.url = `http://${options.address}:${options.port}`;
    this.server = createServer((incoming, outgoing) => {
      this.receive(incoming, outgoing).catch((error: unknown) => {
        sendJson(outgoing, 500, { message: String(error) });
      });
    });
  }

  async start(): Promise<void> {
    const { address: host, port } = this.options;
    await startServer(this.server, { host, port });
  }

  async stop(): Promise<void> {
    await stopServer(this.server);
  }

  /** Creates a cluster's account; its controllers authenticate with the token. */
  addCluster(name: string): { readonly cloud: ClusterCloud; readonly token: string } {
    const cloud = new ClusterCloud(() => this.freeAddress());
    const account = { cloud, token: randomBytes(24).toString('base64url') };
    this.clusters.set(name, account);
    return account;
  }

  /** All completed calls so far, in the order of their responses. */
  journal(since = 0): readonly CloudJournalLine[] {
    return this.entries.slice(since);
  }

  /** Replaces all faults; an empty list heals the cloud. */
  setFaults(faults: readonly CloudFault[]): void {
    this.faults = faults.map((fault) => ({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }));
  }

  private async receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const startMs = Date.now();
    const text = await readBody(incoming, BODY_LIMIT);
    const call = text === null ? null : readCall(text);
    if (incoming.method !== 'POST' || incoming.url !== '/v1/calls' || call === null) {
      sendJson(outgoing, 400, { message: 'POST /v1/calls expects one call' });
      return;
    }
    const account = this.clusters.get(call.cluster);
    if (account === undefined || !isSame(incoming.headers.authorization, account.token)) {
      sendJson(outgoing, 401, { message: `this token is not valid for cluster ${call.cluster}` });
      return;
    }
    const fault = this.strike(call);
    await sleep(CALL_MS + (fault?.delayMs ?? 0));
    const outcome = perform(account.cloud, call, fault);
    this.write(call, startMs, outcome);
    if (outcome.kind === 'done') sendJson(outgoing, 200, outcome.answer.body);
    else sendJson(outgoing, outcome.status, { message: outcome.reason });
  }

  private strike(call: SentCloudCall): CloudFault | undefined {
    const found = this.faults.find(({ fault, left }) => left > 0 && hits(fault, call));
    if (found !== undefined) found.left -= 1;
    return found?.fault;
  }

  private write(call: SentCloudCall, startMs: number, outcome: Outcome): void {
    const entry: CloudJournalLine = {
      index: this.entries.length,
      startMs,
      endMs: Date.now(),
      ...call,
      outcome: outcome.kind,
      reason: outcome.kind === 'failed' ? outcome.reason : '',
      changed: outcome.kind === 'done' && outcome.answer.changed,
    };
    this.entries.push(entry);
    appendFileSync(this.journalFile, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  }

  /** 203.0.113.0/24 is reserved for documentation (RFC 5737); after that, 192.0.2.0/24 is used. No address is reused. */
  private freeAddress(): string {
    this.addressesGiven += 1;
    const number = this.addressesGiven;
    if (number > 508) throw new Error('the fake cloud has assigned all of its 508 addresses');
    return number <= 254 ? `203.0.113.${number}` : `192.0.2.${number - 254}`;
  }
}

type Outcome =
  | { readonly kind: 'done'; readonly answer: CloudAnswer }
  | { readonly kind: 'failed'; readonly status: number; readonly reason: string };

function perform(cloud: ClusterCloud, call: SentCloudCall, fault: CloudFault | undefined): Outcome {
  if (fault?.error !== undefined) return { kind: 'failed', status: 503, reason: fault.error };
  try {
    return { kind: 'done', answer: cloud.answer(call) };
  } catch (error) {
    if (!(error instanceof NotACloudCall)) throw error;
    return { kind: 'failed', status: 400, reason: error.message };
  }
}

function hits(fault: CloudFault, call: SentCloudCall): boolean {
  return (['cluster', 'node', 'component', 'op'] as const).every(
    (name) => fault[name] === undefined || fault[name] === call[name],
  );
}

function isSame(shown: string | undefined, token: string): boolean {
  const a = Buffer.from(shown ?? '');
  const b = Buffer.from(`Bearer ${token}`);
  return a.length === b.length && timingSafeEqual(a, b);
}
