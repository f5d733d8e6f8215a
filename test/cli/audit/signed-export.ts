import { exportText } from '../../../cli/audit/export-run.js';
import { nativeDigest } from '../../../activities/native-digest.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import type { CarriedMember } from '../../../activities/contract.js';
import { memberLevels, memberProof, membersRoot } from '../../../domain/authority/member-tree.js';
import type { Envelope } from '../../../domain/authority/signed-envelope.js';
import { wholeStatement } from '../../../domain/authority/statement.js';
import { digestJson } from '../../../domain/digest.js';
import { type ChainHead, EMPTY_CHAIN, nextRecord } from '../../../domain/evidence/chain.js';
import type {
  EvidenceAuthority,
  EvidenceIntent,
  EvidenceRecord,
} from '../../../domain/evidence/record.js';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import { argumentsText, signedResult } from '../../../workers/sign-results.js';
import { clusterOf, policyOf, UNTOUCHED } from '../../support/cluster-builder.js';
import {
  accessPolicy,
  accessPolicyFile,
  fidoPrincipal,
  ISSUER,
  testPrincipal,
  testWorker,
  tokenPrincipal,
} from '../../support/signing.js';
import { newIssuerKey } from '../../support/token-issuer.js';
import {
  CONTEXT,
  historyOf,
  lateSoak,
  ONLY,
  payloads,
  recordedBy,
  type WrittenActivity,
} from './written-run.js';

/** The code that decided, as the written run names it. */
export const OWN_CODE = 'sha256:own';

export const ANA = testPrincipal('ana', 'requester', 'operator');
/** Has a FIDO key, and CI tokens of an issuer, so that each forgery is tried on all kinds. */
export const BEN = fidoPrincipal('ben', 'approver', 'operator');
const CI = tokenPrincipal('ci', newIssuerKey('rsa-1', 'RS256'), 'requester', 'operator');
/** The second of two who approve what a fleet does. */
const CHO = testPrincipal('cho', 'approver');
const WORKER = testWorker('workers');
const { sign: SIGN_RECORD } = WORKER.signer;

export const TRUST: AccessPolicy = accessPolicy([ANA, BEN, CI, CHO], { workers: [WORKER] });

/** A trust of the same people and issuer, as a file. */
export function trustFile(trust: AccessPolicy): string {
  return accessPolicyFile(trust, [{ issuer: ISSUER, keys: [CI.made.jwk] }]);
}

export const TRUST_FILE = trustFile(TRUST);

const MATERIALS = { ccmManifest: 'kind: Pod' };
const TIMINGS = { requestMs: 1000 };
const { workflowId, cluster, planDigest: plan } = CONTEXT;

const DIGESTS = {
  ...{ policy: digestJson(policyOf()), materials: digestJson(MATERIALS) },
  timings: digestJson(TIMINGS),
};
const TIME = { notBefore: 1, notAfter: 2 };
const { actor, reason } = CONTEXT;
const ASKED = { actor, reason, ticket: 'CHG-7' };

interface Requested {
  /** Who asked for it, and who sent each command. */
  readonly by: string;
  readonly senders: readonly string[];
  /** As the run gives it to its activities. */
  readonly authority: {
    readonly start: Envelope;
    readonly commands: readonly Envelope[];
    readonly member?: CarriedMember;
  };
}

/** A run of its own, and a command to it. */
function ownRequest(runId: string): Requested {
  const about = { workflowId, nonce: `nonce of ${runId}`, ...ASKED, ...TIME };
  const start = {
    ...about,
    verb: 'apply',
    target: 'ccm',
    cluster: cluster.uid,
    plan,
    ...DIGESTS,
  } as const;
  const skip = {
    ...about,
    ...{ reason: '', ticket: '' },
    verb: 'skip',
    runId,
    nonce: 'c-1',
    subject: 'CCM3001',
  } as const;
  const commands = [BEN.sign(wholeStatement(skip))];
  const authority = { start: ANA.sign(wholeStatement(start)), commands };
  return { by: 'ana', senders: ['ben'], authority };
}

/** The second cluster of a fleet of three, which a job asked for, two approvals of its wave, and two of all of it. */
function fleetRequest(runId: string, { approvalTime = TIME, before = 2 }: WrittenRun): Requested {
  const wave = { index: 1, revision: 1, before, approvers: ['ben', 'cho'] };
  const leaves = ['uid-0', cluster.uid, 'uid-2'].map((uid) => ({
    ...{ cluster: uid, wave, ...DIGESTS },
  }));
  const levels = memberLevels(leaves);
  const about = { fleet: 'prod', workflowId: 'fleet-migration/prod', ...ASKED, ...TIME };
  const nonce = `nonce of ${runId}`;
  const members = membersRoot(levels);
  const ofPlan = 'sha256:fleet-plan';
  const start = { ...about, verb: 'apply', target: 'ccm', nonce, members, plan: ofPlan } as const;
  const approve = { ...about, verb: 'approve', runId: 'fleet-run', nonce: 'c-1' } as const;
  const order = {
    ...{ verb: 'approve', subject: { kind: 'before', wave: 1 } },
    ...{ planDigest: ofPlan, revision: 1 },
  };
  const subject = digestJson({ scope: { kind: 'wave', wave: 1 }, order });
  const approvals = [BEN, CHO].map((by, place) =>
    by.sign(wholeStatement({ ...approve, ...approvalTime, nonce: `w-${String(place)}`, subject })),
  );
  const place = { grant: 0, materials: DIGESTS.materials, proof: memberProof(levels, 1) };
  const member = { ...place, wave, approvals };
  const commands = [
    BEN.sign(wholeStatement(approve)),
    CHO.sign(wholeStatement({ ...approve, nonce: 'c-2' })),
  ];
  const authority = { start: CI.sign(wholeStatement(start)), commands, member };
  return { by: 'ci', senders: ['ben', 'cho'], authority };
}

/** The evidence of a run, as a worker writes it. */
class Chain {
  readonly records: EvidenceRecord[] = [];
  readonly runId: string;
  readonly #requested: Requested;
  readonly #unsigned: number;
  #head: ChainHead = EMPTY_CHAIN;

  constructor(runId: string, written: WrittenRun) {
    this.runId = runId;
    const isOfFleet = written.isOfFleet === true;
    this.#unsigned = written.unsignedRecords ?? 0;
    this.#requested = isOfFleet ? fleetRequest(runId, written) : ownRequest(runId);
  }

  /** What the run gives each activity. */
  get given() {
    return {
      ...{ policy: policyOf(), timings: TIMINGS, materials: MATERIALS, runId: this.runId },
      authority: this.#requested.authority,
      ...(this.#head.records === 0 ? {} : { evidence: this.#head }),
    };
  }

  get head(): ChainHead {
    return this.#head;
  }

  add(entry: EvidenceRecord['entry']): void {
    // A worker of an older build does not sign its records, nor does one that has no key.
    this.#append(entry, this.records.length >= this.#unsigned);
  }

  /** Continues the chain without a key. */
  plant(): void {
    const [first] = this.records;
    if (first !== undefined) this.#append(first.entry, false);
  }

  #append(entry: EvidenceRecord['entry'], isSigned: boolean): void {
    const record = nextRecord(this.#head, entry, isSigned ? SIGN_RECORD : null);
    this.records.push(record);
    this.#head = { records: this.records.length, hash: record.hash };
  }

  accept(): void {
    const { by, senders, authority } = this.#requested;
    const { start, commands, member } = authority;
    this.#accept(start, { verb: 'apply', actor: 'ana', principal: by, role: 'requester' });
    const approvals = member?.approvals ?? [];
    [...commands, ...approvals].forEach((command, at) => {
      const place = at % Math.max(1, senders.length);
      const sender = senders[place] ?? '';
      this.#accept(command, {
        verb: 'command',
        actor: sender,
        principal: sender,
        role: 'operator',
      });
    });
  }

  #accept(
    { payload }: Envelope,
    by: Pick<EvidenceAuthority, 'verb' | 'actor' | 'principal' | 'role'>,
  ): void {
    const statement = nativeDigest(Buffer.from(payload, 'base64').toString('utf8'));
    const of = { runId: this.runId, workflowId, cluster: cluster.name };
    const at = '2026-11-21T10:00:00Z';
    this.add({
      kind: 'authority',
      authority: { ...of, at, statement, verdict: 'accepted', detail: '', ...by },
    });
  }

  change(step: string): void {
    const { runId } = this;
    const id = `intent-${String(this.records.length)}`;
    const at = '2026-11-21T10:00:00Z';
    const {
      cluster: { name },
      actor,
      reason,
      planDigest,
    } = CONTEXT;
    const intent: EvidenceIntent = {
      ...{ id, runId, workflowId, cluster: name, epoch: 1, step, actor, reason, planDigest, at },
      ...{ verb: 'update', object: `Lease kube-system/${step}`, before: 'sha256:1' },
      ...{ after: 'sha256:2', proof: '' },
    };
    this.add({ kind: 'intent', intent });
    this.add({ kind: 'outcome', intentId: id, outcome: { kind: 'applied', at, detail: '' } });
  }
}

/** One activity as it is done: with its evidence, and signed. */
function done(
  one: WrittenActivity,
  at: number,
  chain: Chain,
  { isPlanted = false }: WrittenRun,
): WrittenActivity {
  const input = { ...(one.input as object), ...chain.given };
  if (one.name === 'takeFence') chain.accept();
  if (one.name === 'takeFence' && isPlanted) chain.plant();
  const changes = one.name === 'takeFence' || one.name === 'executeStep';
  if (changes) chain.change(stepOf(one));
  const result = {
    ...(one.result as object),
    ...(one.name === 'executeStep' ? { summary: { mutations: 1 } } : {}),
    ...(changes ? { evidence: chain.head } : {}),
  };
  const about = { workflowId, runId: chain.runId, activity: one.name, activityId: String(at + 1) };
  const given = nativeDigest(argumentsText([input]));
  return {
    name: one.name,
    input,
    result: signedResult(WORKER, { ...about, input: given }, result),
  };
}

function stepOf({ name, input }: WrittenActivity): string {
  if (name === 'takeFence') return name;
  return (input as { readonly planned: { readonly step: { readonly name: string } } }).planned.step
    .name;
}

function closing(at: number, chain: Chain, outcome: string): WrittenActivity {
  const input = { ...CONTEXT, ...chain.given, epoch: 1, outcome };
  chain.change('closeRun');
  const result = { evidenceRecords: chain.head.records, evidenceHead: chain.head.hash };
  const about = {
    workflowId,
    runId: chain.runId,
    activity: 'closeRun',
    activityId: String(at + 1),
  };
  const given = nativeDigest(argumentsText([input]));
  return {
    ...{ name: 'closeRun', input },
    result: signedResult(WORKER, { ...about, input: given }, result),
  };
}

export interface WrittenRun {
  readonly start?: ClusterObservation;
  /** At most; all that it needs unless given. */
  readonly steps?: number;
  readonly runId?: string;
  /** It is a member of a fleet. */
  readonly isOfFleet?: boolean;
  /** When approvals of its wave could be accepted. */
  readonly approvalTime?: typeof TIME;
  /** How many people its wave asks: two, unless given. */
  readonly before?: number;
  /** How many records an older build wrote, which signs none; 0 unless given. */
  readonly unsignedRecords?: number;
  /** Someone added a record to its evidence. */
  readonly isPlanted?: boolean;
  /** It was turned during soaks, which end after its new decisions. */
  readonly isTurned?: boolean;
}

/** How a run ends that these activities are all of. */
function endOf(written: readonly WrittenActivity[]): string {
  const { decision } = written.at(-1)?.result as { decision: { next: { kind: string } } };
  return decision.next.kind === 'done' ? 'done' : 'stopped';
}

/** With soaks that end after the first decision and after the last one. */
function turned(written: readonly WrittenActivity[]): readonly WrittenActivity[] {
  return written.flatMap((one, at) =>
    at === 1 || at === written.length - 1 ? [one, lateSoak(one)] : [one],
  );
}

/** The export of a run whose request and results are signed, with no member left out. */
export function signedExport(given: WrittenRun = {}): string {
  const { start = clusterOf(UNTOUCHED), steps = 60, runId = CONTEXT.runId } = given;
  const { isTurned = false } = given;
  const chain = new Chain(runId, given);
  const written = recordedBy(OWN_CODE, start, steps, isTurned ? 1 : 0);
  const acts = (isTurned ? turned(written) : written).map((one, at) => done(one, at, chain, given));
  const kind = endOf(written);
  acts.push(closing(acts.length, chain, kind));
  const { records, hash: head } = chain.head;
  const result = payloads({ kind, evidence: { records, head } });
  const end = { workflowExecutionCompletedEventAttributes: { result } };
  const { authority } = chain.given;
  const input = { ...ASKED, target: 'ccm', authority: { start: authority.start } };
  const history = historyOf(acts, { ...ONLY, runId, first: runId, input }, [end]);
  return sealed({
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AuditExport', exportedAt: '2026-11-21' },
    ...{ tool: 'ccm-migrate 0.1.0', workflowId, runId, cluster: cluster.name },
    ...{ records: chain.records, head },
    executions: [{ runId, buildId: '', history, historyDigest: digestJson(history) }],
    objectLists: [],
  });
}

/** As a file, under the digest of what it says. */
export function sealed(content: object): string {
  return exportText({ ...content, digest: digestJson(JSON.parse(JSON.stringify(content))) });
}
