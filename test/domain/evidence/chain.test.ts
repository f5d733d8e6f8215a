import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  continuesFrom,
  EMPTY_CHAIN,
  nextRecord,
  verifyChain,
  verifyNext,
} from '../../../domain/evidence/chain.js';
import {
  evidenceLine,
  isEvidenceRecord,
  parseEvidenceLines,
} from '../../../domain/evidence/lines.js';
import type {
  EvidenceAuthority,
  EvidenceIntent,
  EvidenceRecord,
} from '../../../domain/evidence/record.js';

function intent(id: string, over: Partial<EvidenceIntent> = {}): EvidenceIntent {
  return {
    id,
    runId: 'run-1',
    workflowId: 'cluster-migration/uid-1',
    cluster: 'alpha',
    epoch: 3,
    step: 'grantLeaseAccess',
    actor: 'ana',
    reason: 'CHG-1 “naïve”',
    planDigest: 'sha256:00',
    at: '2026-11-21T10:00:00.000Z',
    verb: 'create',
    object: 'Role kube-system/ccm-migrate-leader-migration',
    before: '',
    after: 'sha256:11',
    proof: '',
    ...over,
  };
}

type Entry = EvidenceRecord['entry'];
const began = (id: string, over?: Partial<EvidenceIntent>): Entry => ({
  kind: 'intent',
  intent: intent(id, over),
});
const ended = (intentId: string, detail = ''): Entry => ({
  kind: 'outcome',
  intentId,
  outcome: { kind: 'applied', at: '2026-11-21T10:00:01.000Z', detail },
});

const allowed = (over: Partial<EvidenceAuthority> = {}): Entry => ({
  kind: 'authority',
  authority: {
    ...{ runId: 'run-1', workflowId: 'cluster-migration/uid-1', cluster: 'alpha' },
    ...{ at: '2026-11-21T09:59:00.000Z', verdict: 'accepted', verb: 'apply', actor: 'ana' },
    ...{ principal: 'ana', role: 'requester', statement: 'sha256:22', detail: '' },
    ...over,
  },
});

const SIGNATURE = { keyid: `sha256:${'1'.repeat(64)}`, sig: `${'A'.repeat(86)}==` };

/** Every second record is of a worker with a key. */
function chain(...entries: readonly Entry[]): EvidenceRecord[] {
  let head = EMPTY_CHAIN;
  return entries.map((entry, at) => {
    const record = nextRecord(head, entry, at % 2 === 1 ? () => SIGNATURE : null);
    head = { records: head.records + 1, hash: record.hash };
    return record;
  });
}

const WHOLE = chain(began('a'), ended('a'), began('b'), began('c'), ended('c'), ended('b'));
const HEAD = { records: WHOLE.length, hash: WHOLE.at(-1)?.hash ?? '' };
const TEXT = WHOLE.map(evidenceLine).join('');

const SHORT = WHOLE.slice(0, 3);
const SHORT_TEXT = SHORT.map(evidenceLine).join('');

function verdictOfText(text: string): ReturnType<typeof verifyChain> {
  const parsed = parseEvidenceLines(text);
  if (parsed.kind === 'broken') return parsed;
  return parsed.torn === ''
    ? verifyChain(parsed.records, { records: 3, hash: SHORT.at(-1)?.hash ?? '' })
    : { kind: 'broken', at: parsed.records.length, why: 'torn' };
}

describe('verifyChain', () => {
  it('verifyChain accepts a chain as it was written, against the head that the run recorded', () => {
    expect(verifyChain(WHOLE, HEAD)).toEqual({ kind: 'intact', records: 6, head: HEAD.hash });
    expect(verifyChain(JSON.parse(JSON.stringify(WHOLE)) as unknown[], HEAD).kind).toBe('intact');
    expect(verifyChain([])).toEqual({ kind: 'intact', records: 0, head: EMPTY_CHAIN.hash });
  });

  it.each<[string, readonly unknown[], number, RegExp]>([
    ['a dropped first record', WHOLE.slice(1), 0, /sequence is 1, expected 0/],
    ['a dropped record', WHOLE.filter((_, at) => at !== 2), 2, /sequence/],
    ['two swapped records', WHOLE.with(2, at(3)).with(3, at(2)), 2, /sequence/],
    ['a doubled record', [...WHOLE, at(5)], 6, /sequence/],
    ['another content', WHOLE.with(1, { ...at(1), entry: ended('a', 'x') }), 1, /hash/],
    ['another content with its hash', WHOLE.with(1, forged()), 2, /does not follow/],
    ['an added member', WHOLE.with(1, { ...at(1), note: 1 } as EvidenceRecord), 1, /members/],
    ['no record at all', WHOLE.with(1, null as unknown as EvidenceRecord), 1, /members/],
    ['a repeated intent', chain(began('a'), began('a')), 1, /recorded before/],
    ['an outcome before its intent', chain(ended('a')), 0, /without its intent/],
    ['two outcomes of one intent', chain(began('a'), ended('a'), ended('a')), 2, /second outcome/],
    ['another run', chain(began('a'), began('b', { runId: 'run-2' })), 1, /another run/],
    ['another workflow', chain(began('a'), began('b', { workflowId: 'w' })), 1, /another run/],
  ])('verifyChain finds %s', (_name, records, broken, why) => {
    expect(verifyChain(records)).toEqual({
      kind: 'broken',
      at: broken,
      why: expect.stringMatching(why),
    });
  });

  it.each<[string, readonly EvidenceRecord[], number, RegExp]>([
    ['a cut-off end', WHOLE.slice(0, 4), 4, /the end is missing: 4 of 6/],
    ['an empty chain', [], 0, /the end is missing: 0 of 6/],
    [
      'records after the end',
      chain(...WHOLE.map((r) => r.entry), began('d')),
      6,
      /continues after/,
    ],
    ['a fork of the same length', fork(), 6, /fork/],
  ])('verifyChain finds %s by the recorded head', (_name, records, broken, why) => {
    expect(verifyChain(records).kind).toBe('intact');
    expect(verifyChain(records, HEAD)).toEqual({
      kind: 'broken',
      at: broken,
      why: expect.stringMatching(why),
    });
  });
});

describe('one flipped bit in a file', () => {
  it('any flipped bit in a file is found', () => {
    const bytes = Buffer.from(SHORT_TEXT);
    expect(verdictOfText(bytes.toString()).kind).toBe('intact');
    const flips = Array.from({ length: bytes.length * 8 }, (_, bit) => bit);
    const unseen = flips.filter((bit) => {
      const copy = Buffer.from(bytes);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return verdictOfText(copy.toString('utf8')).kind === 'intact';
    });
    expect(unseen).toEqual([]);
  });

  it('any flipped bit in a parsed export is found too, in every text and number', () => {
    fc.assert(
      fc.property(fc.nat(WHOLE.length - 1), fc.nat(), fc.nat(6), (index, place, bit) => {
        const text = JSON.stringify(at(index));
        const position = place % text.length;
        const flipped = String.fromCharCode(text.charCodeAt(position) ^ (1 << bit));
        const other = text.slice(0, position) + flipped + text.slice(position + 1);
        const parsed = parsedOrNull(other);
        return parsed === null || verifyChain(WHOLE.with(index, parsed), HEAD).kind === 'broken';
      }),
      { numRuns: 2000 },
    );
  });
});

describe('parseEvidenceLines', () => {
  it('parseEvidenceLines returns what was written', () => {
    expect(parseEvidenceLines(TEXT)).toEqual({ kind: 'records', records: WHOLE, torn: '' });
    expect(parseEvidenceLines('')).toEqual({ kind: 'records', records: [], torn: '' });
  });

  it('parseEvidenceLines sets an unfinished last line aside, also a complete record without its newline', () => {
    const cut = parseEvidenceLines(TEXT.slice(0, -1));
    expect(cut.kind === 'records' && cut.records).toEqual(WHOLE.slice(0, -1));
    expect(cut.kind === 'records' && cut.torn).toBe(evidenceLine(at(5)).slice(0, -1));
  });

  it.each([
    ['no JSON', 'x\n', /not readable/],
    ['no object', 'null\n', /not readable/],
    ['another shape', '{"sequence":0}\n', /not readable/],
    ['other spacing', evidenceLine(at(0)).replace('{', '{ '), /rewritten/],
  ])('parseEvidenceLines refuses %s', (_name, text, why) => {
    expect(parseEvidenceLines(text)).toEqual({
      kind: 'broken',
      at: 0,
      why: expect.stringMatching(why),
    });
  });
});

describe('records that follow a verified part', () => {
  const whole = chain(began('a'), ended('a'), began('b'), ended('b'));
  const before = {
    head: { records: 2, hash: whole[1]?.hash ?? '' },
    run: { workflowId: 'cluster-migration/uid-1', runId: 'run-1' },
    intents: ['a'],
    outcomes: ['a'],
  };

  it('are judged as if the whole chain were, and counted from its start', () => {
    expect(verifyNext(before, whole.slice(2))).toEqual(verifyChain(whole));
    expect(verifyNext(before, [])).toMatchObject({ kind: 'intact', records: 2 });
  });

  it.each<readonly [string, readonly EvidenceRecord[], Partial<typeof before>, string]>([
    ['one that is left out', whole.slice(3), {}, 'its sequence is 3, expected 2'],
    ['one that is there twice', whole.slice(1), {}, 'its sequence is 1, expected 2'],
    ['an intent that was begun before', whole.slice(2), { intents: ['a', 'b'] }, 'recorded before'],
    [
      'an outcome that was there before',
      whole.slice(2),
      { outcomes: ['a', 'b'] },
      'second outcome',
    ],
    [
      'a chain of another run',
      whole.slice(2),
      { run: { workflowId: 'cluster-migration/uid-1', runId: 'run-2' } },
      'another run, run-1',
    ],
  ])('%s breaks the chain', (_name, records, part, why) => {
    expect(verifyNext({ ...before, ...part }, records)).toMatchObject({
      kind: 'broken',
      why: expect.stringContaining(why),
    });
  });
});

describe('isEvidenceRecord', () => {
  it.each<[string, unknown]>([
    ['sequence as text', { ...at(0), sequence: '0' }],
    ['previous as number', { ...at(0), previous: 0 }],
    ['hash as number', { ...at(0), hash: 0 }],
    ['entry of unknown kind', { ...at(0), entry: { kind: 'x', intent: intent('a') } }],
    ['intent with a missing member', { ...at(0), entry: { kind: 'intent', intent: {} } }],
    ['intent with epoch as text', { ...at(0), entry: began('a', { epoch: '3' as never }) }],
    ['intent that is nothing', { ...at(0), entry: { kind: 'intent', intent: null } }],
    ['intent that is a text', { ...at(0), entry: { kind: 'intent', intent: 'a' } }],
    ['intent with a number as its step', { ...at(0), entry: began('a', { due: 3 as never }) }],
    ['intent with a number as its diff', { ...at(0), entry: began('a', { diff: 3 as never }) }],
    ['intent with a number as text', { ...at(0), entry: began('a', { actor: 3 as never }) }],
    ['entry without members', { ...at(0), entry: {} }],
    ['outcome of another kind', { ...at(0), entry: { ...ended('a'), kind: 'x' } }],
    ['outcome of no intent', { ...at(0), entry: { ...ended('a'), intentId: 1 } }],
    ['outcome with other members', { ...at(0), entry: { ...ended('a'), outcome: {} } }],
    ['outcome with a number', { ...at(0), entry: ended('a', 1 as never) }],
  ])('isEvidenceRecord refuses %s', (_name, value) => {
    expect(isEvidenceRecord(value)).toBe(false);
  });

  it.each([{ due: 'sha256:1' }, { diff: '@@ -1 +1 @@\n-a\n+b\n' }, { due: 'sha256:1', diff: '' }])(
    'an intent may say which step was due, and what it writes: %j',
    (more) => {
      expect(isEvidenceRecord({ ...at(0), entry: began('a', more) })).toBe(true);
    },
  );
});

function at(index: number): EvidenceRecord {
  const record = WHOLE[index];
  if (record === undefined) throw new Error(`no record ${String(index)}`);
  return record;
}

describe('continuesFrom', () => {
  it.each([
    ['nothing was known', EMPTY_CHAIN, [], true],
    ['all is there', { records: 2, hash: 'b' }, ['a', 'b'], true],
    ['more is there', { records: 1, hash: 'a' }, ['a', 'b'], true],
    ['the end is missing', { records: 2, hash: 'b' }, ['a'], false],
    ['all is missing', { records: 2, hash: 'b' }, [], false],
    ['it was replaced', { records: 1, hash: 'a' }, ['z', 'b'], false],
  ])('%s', (_case, known, hashes, holds) => {
    expect(continuesFrom(known, hashes)).toBe(holds);
  });
});

function forged(): EvidenceRecord {
  return nextRecord({ records: 1, hash: at(0).hash }, ended('a', 'forged'));
}

function fork(): EvidenceRecord[] {
  const entries = WHOLE.map((record) => record.entry);
  return chain(...entries.slice(0, 5), ended('b', 'another end'));
}

function parsedOrNull(text: string): EvidenceRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return canonicallySame(value, text) ? (value as EvidenceRecord) : null;
  } catch {
    return null;
  }
}

/** Flips that change no value (the case of a hex digit in an escape) do not change the export. */
function canonicallySame(value: unknown, text: string): boolean {
  return JSON.stringify(value) === text;
}

describe('who was allowed what', () => {
  it('is a record of the chain', () => {
    const records = chain(allowed(), began('a'), ended('a'), allowed({ verb: 'approve' }));
    expect(verifyChain(records)).toMatchObject({ kind: 'intact', records: 4 });
    const text = records.map(evidenceLine).join('');
    expect(parseEvidenceLines(text)).toEqual({ kind: 'records', records, torn: '' });
  });

  it('is of the run of the chain', () => {
    const foreign = chain(began('a'), allowed({ runId: 'run-2' }));
    expect(verifyChain(foreign)).toMatchObject({ kind: 'broken', at: 1 });
  });

  it.each<[string, unknown]>([
    ['a member more', { ...allowed(), more: '' }],
    ['another kind', { ...allowed(), kind: 'intent' }],
    ['a detail that is no text', allowed({ detail: 1 as unknown as string })],
    ['no principal', { kind: 'authority', authority: { verb: 'apply' } }],
  ])('is not read with %s', (_, entry) => {
    const [record] = chain(allowed());
    expect(isEvidenceRecord({ ...record, entry })).toBe(false);
  });
});
