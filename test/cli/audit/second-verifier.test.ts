import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import type { CarriedMember } from '../../../activities/contract.js';
import type { Envelope } from '../../../domain/authority/signed-envelope.js';
import type { Statement } from '../../../domain/authority/statement.js';
import { canonicalJson } from '../../../domain/digest.js';
import { clusterOf, UNTOUCHED } from '../../support/cluster-builder.js';
import { signedByFile, tappedEnvelope } from '../../support/signing.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../../support/second-verifier.js';
import { anySeal, closed, diceOf, forge, type OpenExport, openExport } from './forged-exports.js';
import {
  BEN,
  OWN_CODE,
  signedExport,
  TRUST,
  TRUST_FILE,
  trustFile,
  type WrittenRun,
} from './signed-export.js';

/** Thousands take minutes: CCM_TEST_FORGERIES=10000 CCM_TEST_SEED=2. */
const FORGERIES = Number(process.env['CCM_TEST_FORGERIES'] ?? 400);
const SEED = Number(process.env['CCM_TEST_SEED'] ?? 1);
const STORY_MS = 20 * 60_000;

type Members = { [name: string]: unknown };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-audit-'));
  await mkdir(join(folder, 'forged'));
});
afterAll(() => rm(folder, { recursive: true }));

async function first(text: string) {
  const { checks } = await verifyExport(text, OWN_CODE, { trust: TRUST });
  return {
    accepted: checks.every(({ result }) => result === 'pass'),
    open: checks.filter(({ result }) => result !== 'pass').map(({ check }) => check),
  };
}

async function writtenTo(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** The handover is approved by these of the two who approve what a fleet does. */
function approveHandover(input: unknown, by: readonly string[]): void {
  const { authority, decide } = input as {
    authority: { commands: Envelope[] };
    decide?: { approvals: string[] };
  };
  const [ofBen, ofCho] = authority.commands;
  if (ofBen === undefined || ofCho === undefined) throw new Error('no approvals');
  authority.commands.splice(0, 2, ...by.map((name) => (name === 'ben' ? ofBen : ofCho)));
  decide?.approvals.push('handover');
}

const together = HAS_SECOND_VERIFIER ? describe : describe.skip;

together('two verifiers that share no code (need python3 and OpenSSL 3)', () => {
  it('accept a run whose request and results are signed', async () => {
    const text = signedExport();
    expect(await first(text)).toEqual({ accepted: true, open: [] });
    const [verdict] = await secondVerdicts(TRUST_FILE, [await writtenTo('good.json', text)]);
    expect(verdict?.checks).toMatchObject({ results: { result: 'pass' } });
    expect(verdict?.accepted).toBe(true);
  });

  it.each<[string, (open: OpenExport) => void, boolean]>([
    ['accept a run that was refused before its first change', () => undefined, true],
    [
      'do not accept one that ended without a word of its changes',
      ({ records }) => {
        records.push(...openExport(signedExport({ steps: 0 })).records);
      },
      false,
    ],
    ['do not accept one that has not ended', (open) => (open.isOpen = true), false],
  ])('%s', async (_case, change, isAccepted) => {
    const open = openExport(signedExport({ steps: 0 }));
    open.activities.splice(0);
    open.records.splice(0);
    open.outcome['kind'] = 'refused';
    open.outcome['evidence'] = null;
    change(open);
    const text = closed(open, 'chain');
    expect((await first(text)).accepted).toBe(isAccepted);
    const [verdict] = await secondVerdicts(TRUST_FILE, [await writtenTo('refused.json', text)]);
    expect(verdict?.accepted).toBe(isAccepted);
  });

  it.each<[string, WrittenRun, string]>([
    ['that an older build began', { unsignedRecords: 2 }, 'pass'],
    ['to which someone added a record', { isPlanted: true }, 'fail'],
  ])('hold the records of a run against the keys of workers: one %s', async (...row) => {
    const [, written, result] = row;
    const text = signedExport({ steps: 3, ...written });
    expect((await first(text)).open).toEqual(result === 'pass' ? [] : ['results']);
    const [verdict] = await secondVerdicts(TRUST_FILE, [await writtenTo('records.json', text)]);
    expect(verdict?.checks['results']?.result).toBe(result);
    expect(verdict?.accepted).toBe(result === 'pass');
  });

  it('accept a run that a command turned during its soaks', async () => {
    const text = signedExport({ isTurned: true });
    expect(await first(text)).toEqual({ accepted: true, open: [] });
    const [verdict] = await secondVerdicts(TRUST_FILE, [await writtenTo('turned.json', text)]);
    expect(verdict?.checks).toMatchObject({
      steps: { result: 'pass' },
      outcome: { result: 'pass' },
    });
    expect(verdict?.accepted).toBe(true);
  });

  it('accept a run of a fleet, and refuse it on another cluster', async () => {
    const text = signedExport({ isOfFleet: true, steps: 3 });
    expect(await first(text)).toEqual({ accepted: true, open: [] });
    const good = await writtenTo('fleet.json', text);
    const open = openExport(text);
    for (const { input } of open.activities) {
      const { authority } = input as { authority: { member: { proof: Members } } };
      authority.member.proof['index'] = 0;
    }
    const other = closed(open, 'heads');
    expect((await first(other)).open).toContain('signatures');
    const verdicts = await secondVerdicts(TRUST_FILE, [good, await writtenTo('other.json', other)]);
    expect(verdicts.map(({ checks }) => checks['signatures']?.result)).toEqual(['pass', 'fail']);
    expect(verdicts.map(({ accepted }) => accepted)).toEqual([true, false]);
  });

  it.each([
    [{ notBefore: -59, notAfter: -59 }, 'pass'],
    [{ notBefore: -59, notAfter: -60 }, 'fail'],
  ])('hold approvals of the time %j against that of the plan', async (approvalTime, result) => {
    const text = signedExport({ isOfFleet: true, steps: 3, approvalTime });
    expect((await first(text)).open).toEqual(result === 'pass' ? [] : ['signatures']);
    const [verdict] = await secondVerdicts(TRUST_FILE, [await writtenTo('late.json', text)]);
    expect(verdict?.checks['signatures']?.result).toBe(result);
  });

  it.each<[string, (member: CarriedMember) => object]>([
    ['one approval is gone', ({ approvals = [] }) => ({ approvals: approvals.slice(1) })],
    ['one counts twice', ({ approvals: [one] = [] }) => ({ approvals: [one, one] })],
    ['its wave demands no one', ({ wave }) => ({ wave: { ...wave, before: 0 }, approvals: [] })],
    ['its wave is not told', () => ({ wave: undefined, approvals: undefined })],
    ['an approval is none', ({ approvals = [] }) => ({ approvals: [...approvals, {}] })],
  ])('refuse a run of a fleet that changes its cluster when %s', async (_case, change) => {
    const open = openExport(signedExport({ isOfFleet: true, steps: 3 }));
    for (const { input } of open.activities) {
      const { authority } = input as unknown as { authority: { member: CarriedMember } };
      Object.assign(authority.member, change(authority.member));
    }
    const text = closed(open, 'heads');
    expect((await first(text)).open).toContain('signatures');
    const [verdict] = await secondVerdicts(TRUST_FILE, [await writtenTo('wave.json', text)]);
    expect(verdict?.checks['signatures']?.result).toBe('fail');
  });

  it.each<[string, (open: OpenExport) => void]>([
    [
      'the actor, in evidence and history alike',
      ({ activities, records }) => {
        for (const { input } of activities) (input as Members)['actor'] = 'ben';
        for (const record of records) {
          const { intent } = (record as { entry: { intent?: Members } }).entry;
          if (intent !== undefined) intent['actor'] = 'ben';
        }
      },
    ],
    [
      'the changes of one step, left out',
      ({ records }) => {
        const stepOf = (record: unknown): unknown =>
          (record as { entry: { intent?: Members } }).entry.intent?.['step'];
        const at = records.findIndex(
          (each) => !['takeFence', undefined].includes(stepOf(each) as string),
        );
        records.splice(at, 2);
      },
    ],
    [
      'a run that has not ended, without a record',
      ({ activities, records }) => {
        activities.splice(-2);
        records.splice(0);
      },
    ],
    [
      'the records of another run',
      ({ records }) => {
        records.splice(0, records.length, ...openExport(signedExport({ runId: 'run-2' })).records);
      },
    ],
    ['the workflow on the cover', ({ content }) => (content['workflowId'] = 'cluster-migration/x')],
    ['the run on the cover', ({ content }) => (content['runId'] = 'run-2')],
    ['the cluster on the cover', ({ content }) => (content['cluster'] = 'c2')],
    [
      'the build',
      ({ content }) =>
        (((content['executions'] as Members[])[0] as Members)['buildId'] = 'sdk@1+abc'),
    ],
    [
      'a run that is cut and said to have failed',
      ({ activities, records, outcome }) => {
        activities.splice(5);
        records.splice(9);
        outcome['kind'] = 'failed';
      },
    ],
  ])('refuse a forgery of the first review: %s', async (_case, forged) => {
    const open = openExport(signedExport());
    forged(open);
    const text = closed(open, 'heads');
    expect((await first(text)).accepted).toBe(false);
    const [verdict] = await secondVerdicts(TRUST_FILE, [await writtenTo('review.json', text)]);
    expect(verdict?.accepted).toBe(false);
  });

  it.each<[number, string[], string]>([
    [2, ['ben', 'cho'], 'pass'],
    [2, ['ben'], 'fail'],
    [2, ['ben', 'ben'], 'fail'],
    [3, ['ben', 'cho'], 'fail'],
    [1, ['cho'], 'pass'],
  ])('a handover that %i must approve, approved by %j: %s', async (quorum, by, result) => {
    const open = openExport(signedExport({ isOfFleet: true, steps: 3 }));
    for (const { input } of open.activities) approveHandover(input, by);
    const text = closed(open, 'heads');
    const trust = { ...TRUST, handoverQuorum: quorum };
    const { checks } = await verifyExport(text, OWN_CODE, { trust });
    expect(checks.find(({ check }) => check === 'signatures')?.result).toBe(result);
    const file = await writtenTo(`quorum-${String(quorum)}-${by.join('-')}.json`, text);
    const [verdict] = await secondVerdicts(trustFile(trust), [file]);
    expect(verdict?.checks['signatures']?.result).toBe(result);
  });

  it.each<[string, (statement: Statement) => Envelope]>([
    ['no one touched', (statement) => tappedEnvelope(BEN, statement, { flags: 0 })],
    ['was for a web site', (statement) => tappedEnvelope(BEN, statement, { application: 'web' })],
    ['signed as if it were a file', (statement) => signedByFile(BEN, statement)],
  ])('refuse a command whose FIDO key %s', async (_how, sign) => {
    const open = openExport(signedExport());
    for (const { input } of open.activities) {
      const { authority } = input as { authority?: { commands: Envelope[] } };
      authority?.commands.forEach(({ payload }, place, commands) => {
        const text = Buffer.from(payload, 'base64').toString('utf8');
        commands[place] = sign(JSON.parse(text) as Statement);
      });
    }
    const text = closed(open, 'heads');
    expect((await first(text)).open).toContain('signatures');
    const [verdict] = await secondVerdicts(TRUST_FILE, [await writtenTo('fido.json', text)]);
    expect(verdict?.checks['signatures']?.result).toBe('fail');
  });

  it(
    `refuse every one of ${String(FORGERIES)} forgeries, whatever is computed again (seed ${String(SEED)})`,
    async () => {
      const dice = diceOf(SEED);
      const start = clusterOf({ ...UNTOUCHED, nodes: UNTOUCHED.nodes.slice(0, 1) });
      const small = { start, steps: 3 };
      const bases = [small, { ...small, isOfFleet: true }].map((one) => signedExport(one));
      const other = signedExport({ ...small, runId: 'run-2' });
      const said = new Map<string, string>();
      for (let made = 0; made < FORGERIES;) {
        const base = bases[dice(bases.length)] ?? '';
        const open = openExport(base);
        const what = forge(open, openExport(other), dice);
        const seal = anySeal(dice);
        if (what === null) continue;
        const text = closed(open, seal);
        // Another order of the members says the same.
        if (canonicalJson(JSON.parse(text)) === canonicalJson(JSON.parse(base))) continue;
        const name = `forged-${String(made).padStart(6, '0')}.json`;
        await writtenTo(join('forged', name), text);
        said.set(name, `${what}; computed again: ${seal}`);
        const verdict = await first(text);
        if (verdict.accepted) throw new Error(`accepted: ${String(said.get(name))}`);
        made += 1;
      }
      const verdicts = await secondVerdicts(TRUST_FILE, [join(folder, 'forged')]);
      expect(verdicts).toHaveLength(FORGERIES);
      const wrong = verdicts.filter(({ accepted }) => accepted);
      expect(wrong.map(({ file }) => said.get(file.split('/').at(-1) ?? ''))).toEqual([]);
    },
    STORY_MS,
  );
});
