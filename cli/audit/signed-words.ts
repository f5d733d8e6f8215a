import type { LoadedDataConverter } from '@temporalio/common';
import { readEnvelope } from '../../domain/authority/signed-envelope.js';
import { readStatement, type Statement } from '../../domain/authority/statement.js';
import { digestJson } from '../../domain/digest.js';
import { member } from '../read-json.js';
import { type AuditCheck, judged } from './audit-check.js';
import { decoded, firstPayload, startAttributes, textIn } from './history-facts.js';
import type { RecordedEvent } from './recorded-run.js';

type Step = Extract<RecordedEvent, { readonly kind: 'step' }>;

/** What a request says for people, in its statement and in what the run is started with. */
const WORDS = ['actor', 'reason', 'ticket', 'target'] as const;

/** Steps and messages of an export, with the history of its first execution. */
export interface SaidRun {
  readonly events: readonly RecordedEvent[];
  readonly history: unknown;
  readonly converter: LoadedDataConverter;
}

/**
 * The check of signatures, which fails as well where the words of a run are not those that people signed: who asked, why, under
 * which ticket and toward what. Workers sign what they were given; no one but the requester signs what a run is started with.
 */
export async function withSignedWords(check: AuditCheck, run: SaidRun): Promise<AuditCheck> {
  const steps = run.events.filter((event) => event.kind === 'step');
  const [first] = steps;
  if (check.result !== 'pass' || first === undefined) return check;
  const faults = [...(await startFaults(run, first)), ...steps.flatMap(stepFault)];
  return faults.length === 0 ? check : judged(check.check, faults, '');
}

async function startFaults(
  { history, converter }: SaidRun,
  first: Step,
): Promise<readonly string[]> {
  const { input, memo } = await startedWith(history, converter);
  const { authority } = first.asked;
  const start = authority?.start;
  if (digestJson(member(member(input, 'authority'), 'start') ?? null) !== digestJson(start ?? null))
    return ['the run was started with another request than its steps rest on'];
  const said = statementOf(start);
  // What a fleet starts its members with is in what it was asked, in the fleet's own export.
  const signed = said === null || authority?.member !== undefined ? null : said;
  return [...otherWords(input, signed), ...otherMemo(memo, input)];
}

/** What the first execution of a run or fleet was started with; undefined where it cannot be read. */
export async function startedWith(
  history: unknown,
  converter: LoadedDataConverter,
): Promise<{ readonly input: unknown; readonly memo: ReadonlyMap<string, unknown> }> {
  const attributes = startAttributes(history);
  const input = await decoded(firstPayload(member(attributes, 'input')), converter);
  const fields = member(member(attributes, 'memo'), 'fields');
  const memo = new Map<string, unknown>();
  for (const name of WORDS) {
    const field = member(fields, name);
    if (field !== undefined) memo.set(name, (await decoded(field, converter))?.value);
  }
  return { input: input?.value, memo };
}

/** Words of what was started that are not those of the statement. */
function otherWords(
  input: unknown,
  signed: Statement | null,
  words: readonly (typeof WORDS)[number][] = WORDS,
): readonly string[] {
  if (signed === null) return [];
  return words
    .filter((name) => textIn(input, name) !== signed[name])
    .map((name) => `it was started with another ${name} than was signed`);
}

/** Lists show the memo, which the server keeps of a run; without a ticket there, a list shows a run that no one gave one. */
export function otherMemo(memo: ReadonlyMap<string, unknown>, input: unknown): readonly string[] {
  return WORDS.filter((name) => (memo.get(name) ?? '') !== textIn(input, name)).map(
    (name) => `its memo has another ${name} than it was started with`,
  );
}

const TURNS: readonly string[] = ['rollBack', 'rollForward'];
/** Who turns a run back because its policy says so: domain/run/breach-rules.ts. */
const POLICY = 'policy onBreach';

/** A step is asked for in the name of who turned the run last, or else of who started it. */
function stepFault({ where, asked }: Step): readonly string[] {
  const { authority, actor, reason } = asked;
  if (authority === undefined || authority.member !== undefined) return [];
  const start = statementOf(authority.start);
  const commands = authority.commands.flatMap((each) => statementOf(each) ?? []);
  const isTurnedByFleet = commands.some(({ fleet }) => fleet !== '');
  if (start === null || isTurnedByFleet || isByPolicy(asked, start)) return [];
  const by = commands.findLast(({ verb }) => TURNS.includes(verb)) ?? start;
  if (actor === by.actor && isReason(reason, by.reason)) return [];
  return [`${where}: it is asked for by ${actor}, in other words than ${by.actor} signed`];
}

function isByPolicy({ actor, decide }: Step['asked'], { turnsBack }: Statement): boolean {
  return actor === POLICY && turnsBack === 'byPolicy' && decide.target === 'kcm';
}

/** A worker may have noted behind it what people must know, such as broken glass. */
function isReason(given: string, signed: string): boolean {
  return given === signed || (given.startsWith(`${signed} [`) && given.endsWith(']'));
}

function statementOf(envelope: unknown): Statement | null {
  const read = readEnvelope(envelope);
  return read === null ? null : readStatement(Buffer.from(read.payload, 'base64').toString('utf8'));
}
