import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formOf } from '../../../cli/audit/unsigned-results.js';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../../support/second-verifier.js';
import { CARRIED_NAMES } from './carried-forgeries.js';
import { openChecks, secondOpen } from './fleet/both-verifiers.js';
import { closedFleet, type OpenFleet } from './fleet/closed-fleet.js';
import { signedFleet } from './fleet/signed-fleet.js';
import { closed, type OpenExport, openExport } from './forged-exports.js';
import { OWN_CODE, signedExport, TRUST, TRUST_FILE } from './signed-export.js';

const GOOD = signedExport();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-carried-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What both verifiers do not believe after a change that was sealed as far as it goes without a key. */
async function failed(change: (open: OpenExport) => void): Promise<readonly string[]> {
  const open = openExport(GOOD);
  change(open);
  const text = closed(open, 'heads');
  const { checks } = await verifyExport(text, OWN_CODE, { trust: TRUST });
  const own = checks.filter(({ result }) => result === 'fail').map(({ check }) => check);
  const file = join(folder, 'one.json');
  await writeFile(file, text);
  const [second] = await secondVerdicts(TRUST_FILE, [file]);
  const theirs = Object.entries(second?.checks ?? {});
  const others = theirs.filter(([, { result }]) => result === 'fail').map(([check]) => check);
  return [own.join(), ...(second === undefined ? [] : [others.join()])];
}

/** A result that cannot be read at all fails where it is read first. */
const REFUSED = [/results|decisions/, ...(HAS_SECOND_VERIFIER ? [/results|activities|steps/] : [])];
const refused = REFUSED.map((each) => expect.stringMatching(each) as unknown);

function firstOf({ activities }: OpenExport, name: string) {
  const found = activities.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

describe('a result that is carried otherwise than workers write it', () => {
  it.each(CARRIED_NAMES)('is not believed, %s', async (how) => {
    expect(await failed((open) => (firstOf(open, 'executeStep').carried = how))).toEqual(refused);
  });

  it.each(CARRIED_NAMES)('is not believed of a fleet, %s', async (how) => {
    const open: OpenFleet = signedFleet();
    for (const { items } of open.executions)
      for (const item of items)
        if (item.kind === 'activity' && item.name === 'admitCommand') item.carried = how;
    const text = closedFleet(open);
    expect((await openChecks(text)).join()).toMatch(/results|plan/);
    const theirs = await secondOpen(text);
    if (theirs !== null) expect(theirs.join()).toMatch(/results|records/);
  });

  it.each(['startClusters', 'broadcast'])('is no list, of %s', async (name) => {
    const open: OpenFleet = signedFleet();
    for (const { items } of open.executions)
      for (const item of items)
        if (item.kind === 'activity' && item.name === name) item.result = { kind: 'forged' };
    const text = closedFleet(open);
    expect(await openChecks(text)).toContain('results');
    const theirs = await secondOpen(text);
    if (theirs !== null) expect(theirs).toContain('results');
  });

  it.each<[string, string, string]>([
    ['restFence', '', 'silent'],
    ['restFence', '[]', 'wrong'],
    ['windowOpenings', '[]', 'silent'],
    ['windowOpenings', ' []', 'wrong'],
    ['windowOpenings', '[', 'wrong'],
    ['windowOpenings', '', 'wrong'],
    ['observeCluster', '{}', 'object'],
    ['observeCluster', '', 'wrong'],
    ['constructor', '[]', 'wrong'],
  ])('of %s, as "%s", is %s', (activity, text, form) => {
    expect(formOf(activity, text).kind).toBe(form);
  });
});

describe('an activity', () => {
  it.each<[string, (open: OpenExport) => void]>([
    ['ends twice', (open) => (firstOf(open, 'executeStep').ended = 'twice')],
    ['ends well after it had failed', (open) => (firstOf(open, 'takeFence').ended = 'badlyFirst')],
  ])('is not believed where it %s', async (_how, change) => {
    expect(await failed(change)).toEqual(refused);
  });

  it.each<[string, boolean]>([
    ['999', true],
    ['999.5', false],
    ['0999', false],
    ['+999', false],
    ['1e9', false],
    ['\u0661\u0661\u0661\u0661\u0661', false],
    ['9'.repeat(16), false],
    ['9'.repeat(5000), false],
  ])('is not believed where its id is no whole number in plain digits: %s', async (id, isOne) => {
    const found = await failed(({ activities }) => {
      activities.push({ name: 'awaitChange', id, input: {}, result: null, ended: 'badly' });
    });
    expect(found).toEqual(isOne ? found.map(() => '') : refused);
  });
});
