import { openEnvelope } from '../../../activities/authority/signed-statement.js';
import { nativeDigest } from '../../../activities/native-digest.js';
import type { AccountKnown } from '../../../config/outputs/account-document.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import { type Envelope, readEnvelope } from '../../../domain/authority/signed-envelope.js';
import { readStatement, type Statement } from '../../../domain/authority/statement.js';
import type { EvidenceAuthority } from '../../../domain/evidence/record.js';
import type { HistorySender } from './decoded-run.js';

/** A request as it was sent, with the envelope that came with it, if any. */
export interface SentRequest extends HistorySender {
  readonly envelope: unknown;
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
  readonly verb: string;
}

/** What a request was signed as; null where nothing that can be read was signed. */
export interface SignedAs {
  readonly envelope: Envelope;
  /** Digest of the key that is said to have signed. */
  readonly key: string;
  /** Names the statement in the evidence. */
  readonly digest: string;
  readonly statement: Statement | null;
}

export function signedAs(value: unknown): SignedAs | null {
  const envelope = readEnvelope(value);
  if (envelope === null) return null;
  const text = Buffer.from(envelope.payload, 'base64').toString('utf8');
  const key = envelope.signatures[0]?.keyid ?? '';
  return { envelope, key, digest: nativeDigest(text), statement: readStatement(text) };
}

/**
 * How it is known who asked. A signature is worth what the trust of the audit says of its key; without one it is a claim, unless
 * the server has stamped who sent it. What the evidence says of it is only compared: it proves no person.
 */
export function knownSender(
  sent: SentRequest,
  record: Pick<EvidenceAuthority, 'principal' | 'role'> | null,
  trust: AccessPolicy | null,
): AccountKnown {
  const { server, client } = sent;
  const about = { role: record?.role ?? '', server, client };
  const named = record?.principal ?? '';
  const signed = signedAs(sent.envelope);
  if (signed === null) {
    const how = server === '' ? 'claimed' : 'stamped';
    // The record names a signer, and there is no signature: it is worth nothing.
    const doubt = named === '' ? '' : `the evidence names ${named}, and nothing is signed`;
    return { how, principal: '', key: '', ...about, doubt };
  }
  const { key } = signed;
  if (trust === null) return { how: 'unchecked', principal: named, key, ...about, doubt: '' };
  const opened = openEnvelope(trust, signed.envelope);
  if (opened.kind === 'refused') {
    return { how: 'forged', principal: '', key, ...about, doubt: opened.why };
  }
  const { by, statement } = opened;
  const doubt = doubtOf(sent, by.name, named, statement);
  return { how: 'signed', principal: by.name, key, ...about, doubt };
}

/** What a request says for people. */
const WORDS = ['actor', 'reason', 'ticket'] as const;

function doubtOf(
  sent: SentRequest,
  principal: string,
  named: string,
  statement: Statement,
): string {
  if (named !== '' && named !== principal) return `the evidence says that ${named} signed`;
  if (!isSameVerb(sent.verb, statement)) return `signed for ${statement.verb}`;
  const other = WORDS.find((word) => !isSameWord(word, sent, statement));
  if (other === undefined) return '';
  return `signed with another ${other}: ${statement[other] === '' ? 'none' : statement[other]}`;
}

/** A statement may be without name and reason; commands to a fleet have no ticket, and bring none to its members. */
function isSameWord(word: Word, sent: SentRequest, statement: Statement): boolean {
  if (sent[word] === statement[word]) return true;
  if (word !== 'ticket') return statement[word] === '';
  return statement.fleet !== '' && sent.ticket === '';
}

type Word = (typeof WORDS)[number];

/** The run of a fleet's member rests on what was signed for the fleet, as do the fleet's orders. */
function isSameVerb(verb: string, { verb: signed, fleet }: Statement): boolean {
  return signed === verb || fleet !== '';
}
