import { describe, expect, it } from '@jest/globals';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import { closed, type OpenExport, openExport, type Seal } from './forged-exports.js';
import { OWN_CODE, signedExport, TRUST } from './signed-export.js';

const GOOD = signedExport();
type Members = { [name: string]: unknown };

/** The checks that do not pass, with what they say, after a change that was sealed as far as it goes without a key. */
async function found(
  change: (open: OpenExport) => void,
  seal: Seal = 'heads',
  trust: AccessPolicy | null = TRUST,
): Promise<Readonly<Record<string, string>>> {
  const open = openExport(GOOD);
  change(open);
  const { checks } = await verifyExport(closed(open, seal), OWN_CODE, { trust });
  const wrong = checks.filter(({ result }) => result !== 'pass');
  return Object.fromEntries(
    wrong.map(({ check, result, detail }) => [check, `${result}: ${detail}`]),
  );
}

const member = (value: unknown, name: string): Members => (value as Members)[name] as Members;
const steps = ({ activities }: OpenExport) =>
  activities.filter(({ name }) => name === 'executeStep');
const intents = ({ records }: OpenExport) =>
  records.flatMap((record) => member(record, 'entry')['intent'] ?? []) as Members[];
const unsign = (result: unknown): void => {
  delete (result as Members)['signature'];
};
const other = (trust: AccessPolicy, changes: Partial<AccessPolicy>): AccessPolicy => ({
  ...trust,
  ...changes,
});

describe('what an audit believes of a run', () => {
  it('is all of it, where request, results and evidence go together', async () => {
    expect(await found(() => undefined)).toEqual({});
  });

  it.each<[string, (open: OpenExport) => void, string, string]>([
    [
      'a result that was changed',
      (open) => (member(steps(open)[1]?.result, 'summary')['requests'] = 7),
      'results',
      'fail: .*what executeStep was given or returned is not what workers signed',
    ],
    [
      'another input',
      (open) => ((steps(open)[1]?.input as Members)['firstSeen'] = ['x']),
      'results',
      'fail: .*what executeStep was given',
    ],
    [
      'a key of no worker',
      (open) => (member(steps(open)[1]?.result, 'signature')['keyid'] = `sha256:${'1'.repeat(64)}`),
      'results',
      'fail: .*no worker of the access policy has the key sha256:1',
    ],
    [
      'a result without its signature',
      (open) => unsign(steps(open)[1]?.result),
      'results',
      'unproven: 1 of .*no worker signed what executeStep returned',
    ],
    [
      'an activity in another order',
      ({ activities }) => activities.reverse(),
      'results',
      'fail: .*is out of order',
    ],
    [
      'the last step, told as a failure',
      (open) => {
        const last = steps(open).at(-1);
        if (last !== undefined) last.ended = 'badly';
      },
      'heads',
      'fail: .*knew record .* which nothing before it had reported',
    ],
    [
      'evidence in another name',
      (open) => intents(open).forEach((intent) => (intent['actor'] = 'ben')),
      'intents',
      'fail: the history asks for no takeFence by ben',
    ],
    [
      'evidence of another reason',
      (open) => intents(open).forEach((intent) => (intent['reason'] = 'CHG-2')),
      'intents',
      'fail: the history asks for no takeFence by ana',
    ],
    [
      'evidence of another epoch',
      (open) => intents(open).forEach((intent) => (intent['epoch'] = 2)),
      'intents',
      'fail: the history asks for no ',
    ],
    [
      'an outcome that took no effect',
      ({ records }) => {
        for (const record of records) {
          const entry = member(record, 'entry');
          if (entry['kind'] === 'outcome') member(entry, 'outcome')['kind'] = 'refused';
        }
      },
      'intents',
      'fail: .* in epoch 1 reported 1 changes, the evidence has 0',
    ],
    [
      'another cluster on the cover',
      ({ content }) => (content['cluster'] = 'c2'),
      'intents',
      'fail: .*is of cluster c1 and workflow cluster-migration/uid-1',
    ],
    [
      'another end than it was closed with',
      ({ outcome }) => (outcome['kind'] = 'rolledBack'),
      'outcome',
      'fail: the run ended as rolledBack, but was closed as stopped',
    ],
    [
      'a target that was not reached',
      ({ activities, outcome }) => {
        (activities.at(-1)?.input as Members)['outcome'] = 'done';
        outcome['kind'] = 'done';
      },
      'outcome',
      'fail: the run ended as done, but the last decision was step',
    ],
    [
      'no close',
      ({ activities }) => activities.pop(),
      'heads',
      'fail: the run reported its end, but no worker closed it',
    ],
    [
      'a close with less evidence',
      ({ activities, records }) => {
        const report = member(activities.at(-1), 'result');
        report['evidenceRecords'] = 3;
        report['evidenceHead'] = member(records, '2')['hash'];
      },
      'heads',
      'fail: .*reported record 3 as .*, after record ',
    ],
  ])('is not %s', async (_case, change, check, words) => {
    const seal = words.includes('after record') ? 'history' : 'heads';
    expect((await found(change, seal))[check]).toMatch(new RegExp(`^${words}`));
  });

  it('stays unproven without the keys of workers', async () => {
    const untouched = (): void => undefined;
    expect((await found(untouched, 'heads', null))['results']).toContain('--trust FILE');
    const nameless = other(TRUST, { workers: [] });
    expect(await found(untouched, 'heads', nameless)).toEqual({
      results: expect.stringMatching(/^unproven: .*the access policy names no workers$/),
    });
  });

  it('still counts a key that was revoked since', async () => {
    const workers = TRUST.workers.map(({ name, keys }) => ({
      ...{ name, keys: keys.map((key) => ({ ...key, revoked: true })) },
    }));
    expect(await found(() => undefined, 'heads', other(TRUST, { workers }))).toEqual({});
  });
});
