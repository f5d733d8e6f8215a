import { nativeDigest } from '../../../activities/native-digest.js';
import type { Envelope } from '../../../domain/authority/signed-envelope.js';
import type { Statement } from '../../../domain/authority/statement.js';
import type { WaivedKey } from '../../../domain/policy.js';
import type { Target } from '../../../domain/vocabulary.js';
import type { Signatory } from '../../support/signing.js';
import { closed, openExport } from './forged-exports.js';
import { signedExport } from './signed-export.js';
import { memoOf, payloads } from './written-run.js';

type Said = readonly [by: Signatory, statement: Partial<Statement>];

/** What a run of its own rests on in place of its own request and command. */
export interface RestsOn {
  readonly start: Said;
  readonly commands?: readonly Said[];
  readonly target?: Target;
  readonly waivedGates?: readonly WaivedKey[];
}

interface Given {
  authority: { start: Envelope; commands: Envelope[] };
  decide?: { target: Target; waivedGates?: readonly WaivedKey[] };
}

/** The export of a run that people sign in another way: its signatures prove it, its results and decisions no longer do. */
export function exportResting({ start, commands = [], target, waivedGates }: RestsOn): string {
  const open = openExport(signedExport({ steps: 2 }));
  const inputs = open.activities.map(({ input }) => input as unknown as Given);
  const [first] = inputs;
  if (first === undefined) throw new Error('no activity');
  const [asked, sent] = [
    statementIn(first.authority.start),
    statementIn(first.authority.commands[0]),
  ];
  const authority = {
    start: signedBy(start, asked),
    commands: commands.map((each) => signedBy(each, { ...sent, ...words(asked) })),
  };
  for (const input of inputs) {
    input.authority = authority;
    if (target !== undefined && input.decide !== undefined) input.decide.target = target;
    if (waivedGates !== undefined && input.decide !== undefined) {
      input.decide.waivedGates = waivedGates;
    }
  }
  const { actor, reason, ticket } = asked;
  const wanted = start[1].target ?? asked.target;
  const input = { actor, reason, ticket, target: wanted, authority: { start: authority.start } };
  Object.assign(open.started, { input: payloads(input), memo: memoOf(input) });
  const by = [start, ...commands].map(([{ name }]) => name);
  const envelopes = [authority.start, ...authority.commands];
  const accepted = open.records.find((record) => kindOf(record) === 'authority');
  const others = open.records.filter((record) => kindOf(record) !== 'authority');
  const records = envelopes.map(({ payload }, at) => {
    const record = structuredClone(accepted) as unknown as {
      entry: { authority: Record<string, string> };
    };
    const statement = nativeDigest(Buffer.from(payload, 'base64').toString('utf8'));
    Object.assign(record.entry.authority, { principal: by[at], statement });
    return record as never;
  });
  open.records.splice(0, open.records.length, ...records, ...others);
  return closed(open, 'heads');
}

function signedBy([by, changes]: Said, usual: Statement): Envelope {
  return by.sign({ ...usual, ...changes });
}

function words({ actor, reason, ticket }: Statement): Partial<Statement> {
  return { actor, reason, ticket };
}

function statementIn(envelope: Envelope | undefined): Statement {
  return JSON.parse(Buffer.from(envelope?.payload ?? '', 'base64').toString('utf8')) as Statement;
}

function kindOf(record: unknown): string {
  return (record as { entry: { kind: string } }).entry.kind;
}
