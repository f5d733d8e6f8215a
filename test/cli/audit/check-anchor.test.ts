import { X509Certificate } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import { optionReader } from '../../../cli/cli.js';
import { openLog } from '../../../cli/transparency/anchor-log.js';
import { givenLog } from '../../../cli/transparency/given-log.js';
import { logStamper } from '../../../cli/transparency/stamped-log.js';
import { timestampQuery } from '../../../cli/transparency/timestamp-token.js';
import type { AccessLog } from '../../../domain/authority/access-policy.js';
import type { LogEntry } from '../../../domain/transparency/log-entry.js';
import {
  appendedTo,
  entryOfExport,
  logKey,
  ORIGIN,
  trustedLog,
  writtenLog,
} from '../../support/anchored-log.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../../support/second-verifier.js';
import { type TimestampAuthority, timestampAuthority } from '../../support/timestamp-authority.js';
import { OWN_CODE, signedExport, TRUST, TRUST_FILE } from './signed-export.js';

const EXPORT = signedExport({ steps: 3 });
/** Another past of the same run, signed with the keys of its people and its workers: they were stolen. */
const STOLEN = signedExport({ steps: 4 });
const QUIET: LogEntry = { kind: 'quiet', at: '2026-11-27T01:00:00.000Z' };
const OPERATORS = trustedLog(logKey(), { independent: false });

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ccm-migrate-anchor-'));
  folder = join(root, 'log');
});
afterEach(() => rm(root, { recursive: true }));

interface Given {
  readonly log?: string | null;
  readonly checkpoint?: readonly string[];
  readonly logs?: readonly AccessLog[];
}

/** What the verifier that shares no code makes of it. */
async function secondResult(text: string, { logs = [], ...given }: Given): Promise<string> {
  const file = join(root, 'export.json');
  await writeFile(file, text);
  const trusted = logs.map(({ origin, independent, keys, timestamps }) => ({
    ...{ origin, independent, ...writtenTimestamps(timestamps) },
    keys: keys.map(({ spki, revoked }) => ({ ed25519: spki, revoked })),
  }));
  const trust = JSON.parse(TRUST_FILE) as { readonly spec: object };
  const policy = JSON.stringify({ ...trust, spec: { ...trust.spec, logs: trusted } });
  const { log = folder, checkpoint = [] } = given;
  const kept = checkpoint.flatMap((each) => ['--checkpoint', each]);
  const words = [...(log === null ? [] : ['--log', log]), ...kept];
  const [verdict] = await secondVerdicts(policy, [file], words);
  return verdict?.checks['anchor']?.result ?? 'none';
}

function writtenTimestamps(trusted: AccessLog['timestamps']) {
  if (trusted === null) return {};
  const authorities = trusted.authorities.map((der) =>
    new X509Certificate(Buffer.from(der, 'base64')).toString(),
  );
  return { timestamps: { within: `${String(trusted.withinSeconds)}s`, authorities } };
}

/**
 * The check, as `audit verify --trust --log --checkpoint` makes it; whatever else is checked must pass, and the second verifier
 * must say the same.
 */
async function anchor(text: string, given: Given = {}) {
  const { log: path = folder, checkpoint = [], logs = [trustedLog(logKey())] } = given;
  const options = optionReader({ ...(path === null ? {} : { log: path }), checkpoint });
  const log = await givenLog({ options }, logs);
  const { checks } = await verifyExport(text, OWN_CODE, { trust: { ...TRUST, logs }, log });
  expect(checks.filter(({ check, result }) => check !== 'anchor' && result !== 'pass')).toEqual([]);
  const { result, detail } = checks.find(({ check }) => check === 'anchor') ?? NO_CHECK;
  if (HAS_SECOND_VERIFIER) expect(await secondResult(text, { ...given, logs })).toBe(result);
  return [result, detail] as const;
}
const NO_CHECK = { result: 'none', detail: '' };

const says = (result: string, words: string) => [result, expect.stringContaining(words)];

describe('an export held against a log', () => {
  it('is anchored where the log has seen it to its end', async () => {
    await writtenLog(folder, [[entryOfExport(EXPORT, 3)], [QUIET], [entryOfExport(EXPORT)]]);
    expect(await anchor(EXPORT)).toEqual(says('pass', 'were so by 2026-11-27T02:00:00.000Z'));
  });

  it('has no such check where no log is trusted or given', async () => {
    expect(await anchor(EXPORT, { log: null, logs: [] })).toEqual(['none', '']);
  });

  it('is unproven where a log is trusted, and none is given', async () => {
    expect(await anchor(EXPORT, { log: null })).toEqual(says('unproven', `names ${ORIGIN}: give`));
  });

  it('is unproven after the last event that the log has seen, or where it has not seen it', async () => {
    await writtenLog(folder, [[QUIET, entryOfExport(EXPORT, 3)]]);
    expect(await anchor(EXPORT)).toEqual(says('unproven', 'execution 1 3 of '));
    const other = signedExport({ steps: 3, runId: 'another-run' });
    expect(await anchor(other)).toEqual(says('unproven', 'is not in what is proven'));
  });

  it('of an operator proves what a checkpoint confirms that was kept elsewhere', async () => {
    const [first = '', second = ''] = await writtenLog(folder, [[QUIET], [entryOfExport(EXPORT)]]);
    const logs = [OPERATORS];
    expect(await anchor(EXPORT, { logs })).toEqual(says('unproven', 'is not in what is proven'));
    const early = { logs, checkpoint: [first] };
    expect(await anchor(EXPORT, early)).toEqual(says('unproven', 'is not in what is proven'));
    expect((await anchor(EXPORT, { logs, checkpoint: [first, second] }))[0]).toBe('pass');
  });
});

describe('a past that was rewritten with stolen keys', () => {
  it('passes every other check, and contradicts the log', async () => {
    expect(await anchor(STOLEN, { log: null, logs: [] })).toEqual(['none', '']);
    await writtenLog(folder, [[entryOfExport(EXPORT, 5)], [entryOfExport(EXPORT)]]);
    expect(await anchor(STOLEN)).toEqual(says('fail', 'are not what they were by'));
  });

  it('contradicts it where its end was cut off', async () => {
    const { events } = entryOfExport(EXPORT);
    await writtenLog(folder, [[{ ...entryOfExport(EXPORT), events: events + 2 }]]);
    expect(await anchor(EXPORT)).toEqual(says('fail', `and ends after ${String(events)}`));
  });

  it('contradicts an old checkpoint where the log was rewritten, too, with its key', async () => {
    const [kept = ''] = await writtenLog(folder, [[QUIET, entryOfExport(EXPORT)]]);
    const thiefs = join(root, 'rewritten');
    await writtenLog(thiefs, [[QUIET, entryOfExport(STOLEN)]]);
    expect((await anchor(STOLEN, { log: thiefs }))[0]).toBe('pass');
    const found = await anchor(STOLEN, { log: thiefs, checkpoint: [kept] });
    expect(found).toEqual(says('fail', `are not those of ${kept}: it was rewritten`));
  });

  it('contradicts a checkpoint that goes further than a log that was cut off', async () => {
    const [kept = ''] = await writtenLog(folder, [[QUIET, entryOfExport(EXPORT)]]);
    const thiefs = join(root, 'rewritten');
    await writtenLog(thiefs, [[QUIET]]);
    const found = await anchor(STOLEN, { log: thiefs, checkpoint: [kept] });
    expect(found).toEqual(says('fail', 'has 2 entries, the log 1'));
  });

  it.each<[string, readonly AccessLog[], string]>([
    ['signed with another key', [trustedLog(logKey('thief'))], 'signed with no key'],
    ['signed with a revoked key', [trustedLog(logKey(), { revoked: true })], 'signed with no key'],
    ['a log that no one trusts', [trustedLog(logKey(), { origin: 'other' })], 'names no log'],
  ])('is not proven by a log that is %s', async (_case, logs, words) => {
    await writtenLog(folder, [[entryOfExport(EXPORT)]]);
    expect(await anchor(EXPORT, { logs })).toEqual(says('fail', words));
  });

  it('is found by what a key signed before it was revoked', async () => {
    const [kept = ''] = await writtenLog(folder, [[entryOfExport(EXPORT)]]);
    const next = join(root, 'next');
    const key = logKey('next');
    await writtenLog(next, [[entryOfExport(EXPORT)], [QUIET]], { key });
    const [old] = trustedLog(logKey(), { revoked: true }).keys;
    const [own] = trustedLog(key).keys;
    const logs = [{ ...OPERATORS, keys: [own, old].flatMap((each) => each ?? []) }];
    const given = { log: next, logs, checkpoint: [kept] };
    expect((await anchor(EXPORT, given))[0]).toBe('pass');
    expect((await anchor(STOLEN, given))[0]).toBe('fail');
  });
});

describe('what is given of a log', () => {
  it('fails the check where it is damaged', async () => {
    await writtenLog(folder, [[entryOfExport(EXPORT)]]);
    await rm(join(folder, 'tile/entries'), { recursive: true });
    expect(await anchor(EXPORT)).toEqual(says('fail', 'is missing'));
    await rm(folder, { recursive: true });
    expect(await anchor(EXPORT)).toEqual(says('fail', 'no checkpoint can be read (ENOENT)'));
  });

  it('fails the check where a checkpoint is of another log', async () => {
    await writtenLog(folder, [[entryOfExport(EXPORT)]]);
    const [foreign = ''] = await writtenLog(join(root, 'foreign'), [[QUIET]], {
      origin: 'foreign',
    });
    const found = await anchor(EXPORT, { checkpoint: [foreign] });
    expect(found).toEqual(says('fail', `${foreign} is no checkpoint of log ${ORIGIN}`));
  });

  it('is a mistake of the command line where it is no file, no checkpoint or of no log', async () => {
    await writtenLog(folder, [[QUIET]]);
    const text = join(root, 'text');
    await writeFile(text, 'no checkpoint');
    await expect(anchor(EXPORT, { checkpoint: [text] })).rejects.toThrow(
      'is no checkpoint of a log',
    );
    const missing = [join(root, 'missing')];
    await expect(anchor(EXPORT, { checkpoint: missing })).rejects.toThrow('cannot be read');
    const alone = { log: null, checkpoint: missing };
    await expect(anchor(EXPORT, alone)).rejects.toThrow('needs the --log');
  });
});

describe('a log that an authority has stamped', () => {
  const YEARS = 1_000_000_000;
  let authority: TimestampAuthority;
  let other: TimestampAuthority;
  beforeAll(async () => {
    authority = await timestampAuthority(await mkdtemp(join(tmpdir(), 'ccm-migrate-tsa-')));
    other = await timestampAuthority(await mkdtemp(join(tmpdir(), 'ccm-migrate-tsa-')));
  });
  afterAll(() =>
    Promise.all([authority, other].map(({ folder }) => rm(folder, { recursive: true }))),
  );

  /** What an audit trusts whose log is the operators' own. `within`: seconds, of runs that were long ago. */
  function trusting(pem = authority.root, withinSeconds = YEARS): readonly AccessLog[] {
    const authorities = [new X509Certificate(pem).raw.toString('base64')];
    const timestamps = { authorities, withinSeconds };
    return [trustedLog(logKey(), { independent: false, timestamps })];
  }

  /** Has what the log says now stamped. */
  async function stamp(by = authority): Promise<void> {
    const { answer } = by;
    const ask = (text: string) => answer(timestampQuery(text).der);
    const stamped = logStamper({ ask, everyMs: 0, now: () => 0 });
    await stamped(folder, await openLog(folder, logKey()));
  }

  it('proves what was stamped soon after it happened', async () => {
    await writtenLog(folder, [[QUIET], [entryOfExport(EXPORT)]]);
    await stamp();
    const found = await anchor(EXPORT, { logs: trusting() });
    expect(found).toEqual(says('pass', 'events were so by 20'));
    expect((await anchor(EXPORT, { logs: trusting(authority.intermediate) }))[0]).toBe('pass');
  });

  it('proves nothing of what was stamped later: a thief can have a past stamped, too', async () => {
    await writtenLog(folder, [[QUIET, entryOfExport(STOLEN)]]);
    await stamp();
    const found = await anchor(STOLEN, { logs: trusting(authority.root, 3600) });
    expect(found).toEqual(says('unproven', 'stamped too long after they happened'));
  });

  it('proves nothing of what came after it', async () => {
    await writtenLog(folder, [[entryOfExport(EXPORT, 3)]]);
    await stamp();
    await appendedTo(folder, [entryOfExport(EXPORT)]);
    expect(await anchor(EXPORT, { logs: trusting() })).toEqual(says('unproven', '1 3 of '));
  });

  it('proves nothing to an audit that trusts no authority', async () => {
    await writtenLog(folder, [[entryOfExport(EXPORT)]]);
    await stamp();
    expect(await anchor(EXPORT, { logs: [OPERATORS] })).toEqual(says('unproven', 'is not in what'));
  });

  it.each<[string, () => readonly AccessLog[], () => Promise<void>, string]>([
    [
      'another authority stamped it',
      trusting,
      () => rm(stampFile('1')).then(() => stamp(other)),
      '1.tsr: its certificate leads to no authority',
    ],
    [
      'it was rewritten since, and the timestamp stayed',
      trusting,
      async () => {
        await rename(join(folder, 'timestamp'), join(root, 'kept'));
        await rm(folder, { recursive: true });
        await writtenLog(folder, [[entryOfExport(STOLEN)]]);
        await mkdir(join(folder, 'timestamp'));
        await copyFile(join(root, 'kept', '1.tsr'), stampFile('1'));
      },
      '1.tsr: it is of another checkpoint',
    ],
    [
      'a timestamp is none',
      trusting,
      () => writeFile(stampFile('1'), 'none'),
      '1.tsr: it is no answer of a timestamp authority',
    ],
    [
      'a timestamp is too large',
      trusting,
      () => writeFile(stampFile('1'), Buffer.alloc(70_000)),
      '1.tsr: it is larger than a timestamp',
    ],
    [
      'it was cut off since it was stamped',
      trusting,
      () => copyFile(stampFile('1'), stampFile('2')),
      'it had 2 entries when it was stamped, and has 1',
    ],
  ])('proves nothing, and is refused, where %s', async (_case, logs, spoil, words) => {
    await writtenLog(folder, [[entryOfExport(EXPORT)]]);
    await stamp();
    await spoil();
    const text = words.includes('another checkpoint') ? STOLEN : EXPORT;
    expect(await anchor(text, { logs: logs() })).toEqual(says('fail', words));
  });

  it('is stamped once while it does not grow, and not before its time', async () => {
    const asked: string[] = [];
    let now = 0;
    const ask = (text: string) => {
      asked.push(text.split('\n')[1] ?? '');
      return now === 30
        ? Promise.reject(new Error('away'))
        : Promise.resolve(Buffer.from('answer'));
    };
    const stamped = logStamper({ ask, everyMs: 20, now: () => now });
    const pass = async (at: number) => {
      now = at;
      await stamped(folder, await openLog(folder, logKey()));
    };
    await writtenLog(folder, []);
    await pass(0);
    await appendedTo(folder, [QUIET]);
    await pass(1);
    await pass(21);
    await appendedTo(folder, [QUIET]);
    await pass(20);
    await appendedTo(folder, [QUIET]);
    await expect(pass(30)).rejects.toThrow('away');
    await pass(31);
    expect(asked).toEqual(['1', '3', '3']);
  });

  const stampFile = (size: string) => join(folder, 'timestamp', `${size}.tsr`);
});
