import { MESSAGES } from '../../../config/names.js';
import type { AccountAnswer, AccountRequest } from '../../../config/outputs/account-document.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import type { EvidenceAuthority } from '../../../domain/evidence/record.js';
import { member } from '../../read-json.js';
import { textIn } from '../history-facts.js';
import { UNANSWERED } from './command-answers.js';
import type { DecodedRun, DecodedSignal } from './decoded-run.js';
import { knownSender, signedAs } from './known-sender.js';

/** A request before it is known whose it is. */
interface Asked extends Omit<AccountRequest, 'known' | 'verdict' | 'detail' | 'answer'> {
  readonly server: string;
  readonly client: string;
  readonly envelope: unknown;
  /** Names a command, as its admission does; empty otherwise. */
  readonly id: string;
}

/** What an account of requests rests on. */
export interface RequestSources {
  readonly run: DecodedRun;
  readonly authorities: readonly EvidenceAuthority[];
  readonly trust: AccessPolicy | null;
  /** What the run says that became of commands, by their ids. */
  readonly answers: ReadonlyMap<string, AccountAnswer>;
}

/**
 * Everything that was asked of a run: its start, commands, orders of its fleet, and what ended it from outside. What the evidence
 * says of a request is joined to it; what it says of one that the history does not have stands by itself.
 */
export function accountRequests({
  run,
  authorities,
  trust,
  answers,
}: RequestSources): readonly AccountRequest[] {
  const ledger = new Ledger(authorities);
  const admissions = admissionsIn(run);
  const sent = [startOf(run), ...run.signals.flatMap((signal) => askedBy(signal))];
  const asked = [
    ...sent,
    ...carriedBeside(run, sent),
    ...run.outsideEnds.map((end) => ({ ...end, ...NOTHING_ELSE })),
  ];
  const known = asked.map((each) => {
    const refusal = admissions.get(each.id) ?? '';
    const record = ledger.take(each, refusal);
    const detail = record?.detail ?? refusal;
    const verdict =
      record?.verdict ?? (refusal === '' ? ('unsaid' as const) : ('refused' as const));
    const { at, verb, subject, actor, reason, ticket } = each;
    return {
      ...{ at, verb, subject, actor, reason, ticket, verdict, detail },
      known: knownSender(each, record, trust),
      answer: answers.get(each.id) ?? UNANSWERED,
    };
  });
  return [...known, ...ledger.rest().map(unsentOf)];
}

const NOTHING_ELSE = { subject: '', actor: '', ticket: '', envelope: undefined, id: '' } as const;

function startOf({ started: { at, input, server, client } }: DecodedRun): Asked {
  return {
    ...{ at, server, client, verb: 'apply', subject: '', id: '' },
    ...{
      actor: textIn(input, 'actor'),
      reason: textIn(input, 'reason'),
      ticket: textIn(input, 'ticket'),
    },
    envelope: member(member(input, 'authority'), 'start'),
  };
}

function askedBy({ at, name, input, server, client }: DecodedSignal): readonly Asked[] {
  const sent = { at, server, client };
  if (name === MESSAGES.command) {
    const subject = textIn(member(input, 'arguments'), 'code');
    const said = { verb: textIn(input, 'verb'), actor: textIn(input, 'actor') };
    const why = { reason: textIn(input, 'reason'), ticket: textIn(input, 'ticket') };
    const id = textIn(input, 'commandId');
    return [{ ...sent, subject, ...said, ...why, id, envelope: member(input, 'signed') }];
  }
  if (name !== MESSAGES.order) return [];
  const order = member(input, 'order');
  const by = member(order, 'by');
  const said = { verb: `fleet ${textIn(order, 'kind')}`, actor: textIn(by, 'actor') };
  const why = { reason: textIn(by, 'reason'), ticket: '' };
  return [
    {
      ...sent,
      subject: textIn(order, 'target'),
      ...said,
      ...why,
      id: '',
      envelope: member(order, 'signed'),
    },
  ];
}

/** Commands to a fleet reach its members as envelopes that come with what they are given, and as no message. */
function carriedBeside({ activities }: DecodedRun, sent: readonly Asked[]): readonly Asked[] {
  const known = new Set(sent.map(({ envelope }) => textIn(envelope, 'payload')));
  return activities.flatMap(({ at, input }) => {
    const carried = member(member(input, 'authority'), 'commands');
    return (Array.isArray(carried) ? carried : []).flatMap((envelope: unknown) => {
      const payload = textIn(envelope, 'payload');
      if (known.has(payload)) return [];
      known.add(payload);
      const statement = signedAs(envelope)?.statement;
      const { verb = '', subject = '', actor = '', reason = '', ticket = '' } = statement ?? {};
      return [
        { at, verb, subject, actor, reason, ticket, envelope, id: '', server: '', client: '' },
      ];
    });
  });
}

/** Why a worker refused a command, by its id. */
function admissionsIn({ activities }: DecodedRun): ReadonlyMap<string, string> {
  return new Map(
    activities.flatMap(({ name, input, result }) =>
      name === 'admitCommand' && textIn(result, 'kind') === 'refused'
        ? [[textIn(member(input, 'command'), 'commandId'), textIn(result, 'why')] as const]
        : [],
    ),
  );
}

/** The records of who was allowed what, each of which belongs to one request at most. */
class Ledger {
  readonly #byStatement: ReadonlyMap<string, readonly EvidenceAuthority[]>;
  /** What was refused because it is signed by no one has no statement. */
  readonly #unsigned: ReadonlyMap<string, EvidenceAuthority[]>;
  readonly #taken = new Set<EvidenceAuthority>();
  readonly #all: readonly EvidenceAuthority[];

  constructor(all: readonly EvidenceAuthority[]) {
    this.#all = all;
    const isSigned = ({ statement }: EvidenceAuthority): boolean => statement !== '';
    this.#byStatement = grouped(all.filter(isSigned), ({ statement }) => statement);
    const unsigned = all.filter((each) => !isSigned(each));
    this.#unsigned = grouped(unsigned, (each) => refusalKey(each, each.detail));
  }

  /** A statement may be on record more than once, for example again after a restart: all of it is of one request. */
  take(asked: Asked, refusal: string): EvidenceAuthority | null {
    const statement = signedAs(asked.envelope)?.digest ?? '';
    const signed = this.#byStatement.get(statement);
    const unsigned =
      signed === undefined ? this.#unsigned.get(refusalKey(asked, refusal)) : undefined;
    const found = signed ?? unsigned?.splice(0, 1) ?? [];
    for (const each of found) this.#taken.add(each);
    return found.find(({ verdict }) => verdict === 'refused') ?? found[0] ?? null;
  }

  rest(): readonly EvidenceAuthority[] {
    return this.#all.filter((each) => !this.#taken.has(each));
  }
}

function grouped(
  all: readonly EvidenceAuthority[],
  keyOf: (each: EvidenceAuthority) => string,
): ReadonlyMap<string, EvidenceAuthority[]> {
  const groups = new Map<string, EvidenceAuthority[]>();
  for (const each of all) {
    const group = groups.get(keyOf(each));
    if (group === undefined) groups.set(keyOf(each), [each]);
    else group.push(each);
  }
  return groups;
}

function refusalKey({ verb, actor }: { verb: string; actor: string }, why: string): string {
  return JSON.stringify([verb, actor, why]);
}

/** In the evidence, and by nothing in the history. */
function unsentOf({
  at,
  verb,
  actor,
  principal,
  role,
  verdict,
  detail,
}: EvidenceAuthority): AccountRequest {
  const doubt =
    verdict === 'accepted' ? 'only the evidence says so: the history has no such request' : '';
  const known = {
    how: 'claimed' as const,
    principal,
    role,
    key: '',
    server: '',
    client: '',
    doubt,
  };
  const asked = { at, verb, subject: '', actor, known, reason: '', ticket: '' };
  return { ...asked, verdict, detail, answer: UNANSWERED };
}
