import { openEnvelope } from '../../../activities/authority/signed-statement.js';
import { fleetWorkflowId } from '../../../config/names.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import {
  authoriseCommand,
  type GivenCommand,
  type SignedStatement,
} from '../../../domain/authority/authorise.js';
import { treeAsSigned } from '../../../domain/authority/member-leaves.js';
import { membersRoot } from '../../../domain/authority/member-tree.js';
import { type Envelope, readEnvelope } from '../../../domain/authority/signed-envelope.js';
import type { Statement } from '../../../domain/authority/statement.js';
import { canonicalJson, digestJson } from '../../../domain/digest.js';
import type { FleetCommand } from '../../../domain/fleet/fleet-command.js';
import { readFleetCommand } from '../../../domain/fleet/read-fleet-command.js';
import { member } from '../../read-json.js';
import { textIn } from '../history-facts.js';
import type { FleetBegin } from './fleet-begin.js';
import type { RecordedFleetEvent } from './recorded-fleet.js';
import type { SentPlan } from './sent-plan.js';

export interface FleetRun {
  readonly workflowId: string;
  /** Of its first execution. */
  readonly runId: string;
  readonly fleet: string;
}

type Admission = Extract<RecordedFleetEvent, { readonly kind: 'admission' }>;

/** Follows the records of a fleet in their order, and says of each what is not as it was signed. */
export class SignedFleetRun {
  readonly #access: AccessPolicy;
  readonly #run: FleetRun;
  /** What the fleet rests on now: of the whole fleet, and of its last plan. */
  #rests: SignedStatement | null = null;
  #payload = '';
  /** Of the execution at hand. */
  #sentCommands = new Set<string>();
  #sentPlans = new Map<string, SentPlan>();
  #nextPayloads = new Set<string>();
  /** Payloads of commands that were let pass. */
  readonly #passed = new Set<string>();
  readonly #signers = new Set<string>();

  constructor(access: AccessPolicy, run: FleetRun) {
    this.#access = access;
    this.#run = run;
  }

  /** Who signed what, for people. */
  signers(): string {
    return [...this.#signers].sort().join(', ');
  }

  wrongIn(record: RecordedFleetEvent): string | null {
    switch (record.kind) {
      case 'begins':
        return this.#begin(record.begin);
      case 'command':
        return this.#noteCommand(record.sent);
      case 'plan':
        this.#sentPlans.set(record.sent.commandId, record.sent);
        return null;
      case 'admission':
        return record.of === 'command' ? this.#command(record) : this.#plan(record);
      case 'starts':
        return this.#restsOn([...record.starts.map(({ signed }) => signed), ...record.approvals]);
      case 'orders':
        return this.#restsOn(record.signed);
    }
  }

  #begin(begin: FleetBegin): string | null {
    const allowed = this.#nextPayloads;
    const isFirst = this.#payload === '';
    this.#sentCommands = new Set();
    this.#sentPlans = new Map();
    this.#nextPayloads = new Set();
    if (begin.authority === null) return 'it goes on with nothing that is signed';
    const { payload } = begin.authority;
    const follows = isFirst || payload === this.#payload || allowed.has(payload);
    const opened = openEnvelope(this.#access, begin.authority);
    if (opened.kind === 'refused') return opened.why;
    this.#payload = payload;
    this.#rests = opened;
    this.#signers.add(`${opened.by.name} (${opened.statement.verb})`);
    if (!follows) return 'it goes on by what no one was asked about';
    return this.#otherThanSigned(begin, opened) ?? this.#carriedOn(begin, isFirst);
  }

  #otherThanSigned(begin: FleetBegin, { statement }: SignedStatement): string | null {
    const { fleet, workflowId } = this.#run;
    const { planDigest, carried } = begin;
    const verbs = carried === null ? ['apply'] : ['apply', 'revise'];
    const is: Readonly<Record<string, boolean>> = {
      fleet: statement.fleet === fleet && begin.fleet === fleet,
      workflowId: statement.workflowId === workflowId && workflowId === fleetWorkflowId(fleet),
      verb: verbs.includes(statement.verb),
      plan: statement.plan === planDigest,
      members: statement.members === rootOf(begin, statement),
      ...(carried === null ? this.#saidAs(begin, statement) : {}),
    };
    const other = Object.entries(is).find(([, isSigned]) => !isSigned);
    return other === undefined ? null : `its ${other[0]} is not what was signed`;
  }

  /** Who opens a fleet again, and why, is not in what was signed for it. */
  #saidAs({ asked }: FleetBegin, statement: Statement): Readonly<Record<string, boolean>> {
    return {
      actor: asked.actor === statement.actor,
      reason: asked.reason === statement.reason,
      ticket: asked.ticket === statement.ticket,
    };
  }

  /** Commands that were given to a fleet that was opened again are in the export of that one. */
  #carriedOn({ carried }: FleetBegin, isFirst: boolean): string | null {
    const signed = carried?.signed ?? [];
    if (isFirst) for (const payload of signed) this.#passed.add(payload);
    return this.#restsOn(signed);
  }

  #restsOn(payloads: readonly string[]): string | null {
    if (this.#rests === null) return null;
    const other = payloads.find((payload) => payload !== '' && !this.#passed.has(payload));
    return other === undefined ? null : 'it rests on a command that no worker let pass';
  }

  #noteCommand(sent: unknown): null {
    const read = readFleetCommand(sent);
    if (read.kind === 'command') this.#sentCommands.add(canonicalJson(read.command));
    return null;
  }

  #command({ asked, principal, isAdmitted }: Admission): string | null {
    const command = member(asked, 'command');
    const read = readFleetCommand(command);
    if (read.kind !== 'command' || !this.#sentCommands.has(canonicalJson(command)))
      return 'no such command was sent';
    if (!isAdmitted) return null;
    const given = { ...givenBy(read.command), workflowId: this.#run.workflowId };
    const found = this.#signedBy(read.command.signed ?? null, given, principal);
    if (found.kind === 'signed') this.#passed.add(found.payload);
    return found.kind === 'signed' ? null : found.why;
  }

  #plan({ asked, principal, isAdmitted }: Admission): string | null {
    const [nonce, plan] = [textIn(asked, 'commandId'), textIn(asked, 'planDigest')];
    const sent = this.#sentPlans.get(nonce);
    const signed = member(asked, 'signed');
    const statement = readEnvelope(member(signed, 'statement'));
    const isSent = sent?.plan?.planDigest === plan && sent.signed?.payload === statement?.payload;
    if (!isSent) return 'no such plan was sent';
    if (!isAdmitted) return null;
    const { workflowId, runId } = this.#run;
    const given = { verb: 'revise', nonce, plan, subject: textIn(signed, 'members') } as const;
    const found = this.#signedBy(statement, { ...given, workflowId, runId }, principal);
    if (found.kind === 'signed') this.#nextPayloads.add(found.payload);
    return found.kind === 'signed' ? null : found.why;
  }

  #signedBy(envelope: Envelope | null, given: GivenCommand, principal: string): Signed {
    if (envelope === null) return wrong(`a worker let ${given.verb} pass, which no one signed`);
    const opened = openEnvelope(this.#access, envelope);
    if (opened.kind === 'refused') return wrong(`${given.verb}: ${opened.why}`);
    const subject = { cluster: null, fleet: this.#run.fleet };
    const requester = this.#rests?.by.name ?? null;
    const judged = authoriseCommand(opened, given, { subject, requester });
    if (judged.kind === 'refused') return wrong(`${given.verb}: ${judged.why}`);
    if (opened.statement.fleet !== this.#run.fleet) return wrong('a command to another fleet');
    const { name } = opened.by;
    if (principal !== name)
      return wrong(`the worker says that ${principal} gave the ${given.verb} that ${name} signed`);
    this.#signers.add(`${name} (${given.verb})`);
    return { kind: 'signed', payload: envelope.payload };
  }
}

/** Over the members, in the form in which the statement has it. */
function rootOf({ settings, waveOf, waves, revision }: FleetBegin, { members }: Statement): string {
  const demanding = waves.map(({ before, ...wave }) => ({ ...wave, approvals: { before } }));
  const plan = { rows: waveOf.map((wave) => ({ wave })), waves: demanding, revision };
  return membersRoot(treeAsSigned(settings, plan, members).levels);
}

type Signed =
  | { readonly kind: 'signed'; readonly payload: string }
  | { readonly kind: 'wrong'; readonly why: string };

function wrong(why: string): Signed {
  return { kind: 'wrong', why };
}

function givenBy({ order, scope, commandId, fleetRun }: FleetCommand) {
  const subject = digestJson({ scope, order });
  return { verb: order.verb, runId: fleetRun ?? '', nonce: commandId, subject };
}
