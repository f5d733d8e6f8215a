import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { withSignedWords } from '../../../cli/audit/signed-words.js';
import { recordedRun } from '../../../cli/audit/recorded-run.js';
import { pass } from '../../../cli/audit/audit-check.js';
import { wholeStatement } from '../../../domain/authority/statement.js';
import { secondVerdicts } from '../../support/second-verifier.js';
import { openChecks, secondOpen } from './fleet/both-verifiers.js';
import { closedFleet } from './fleet/closed-fleet.js';
import { signedFleet } from './fleet/signed-fleet.js';
import { closed, openExport } from './forged-exports.js';
import { BEN, OWN_CODE, signedExport, TRUST, TRUST_FILE } from './signed-export.js';
import { historyOf, payloads, recordedBy } from './written-run.js';
import { clusterOf, UNTOUCHED } from '../../support/cluster-builder.js';

type Members = { [name: string]: unknown };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-words-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Checks that do not pass, of both verifiers, after a change of what the run was started with. */
async function open(change: (started: Members) => void): Promise<readonly string[]> {
  const opened = openExport(signedExport());
  change(opened.started);
  const text = closed(opened, 'heads');
  const { checks } = await verifyExport(text, OWN_CODE, { trust: TRUST });
  const own = checks.filter(({ result }) => result !== 'pass').map(({ check }) => check);
  const file = join(folder, 'one.json');
  await writeFile(file, text);
  const [second] = await secondVerdicts(TRUST_FILE, [file]);
  const theirs = Object.entries(second?.checks ?? {}).filter(([, { result }]) => result !== 'pass');
  return [
    ...new Set([
      own.join(),
      second === undefined ? own.join() : theirs.map(([check]) => check).join(),
    ]),
  ];
}

function withInput(started: Members, change: (input: Members) => void): void {
  const { payloads: given } = started['input'] as { payloads: { data: string }[] };
  const input = JSON.parse(Buffer.from(given[0]?.data ?? '', 'base64').toString()) as Members;
  change(input);
  started['input'] = payloads(input);
}

function withMemo(started: Members, name: string): void {
  const { fields } = started['memo'] as { fields: { [name: string]: { data: string } } };
  const field = fields[name];
  if (field === undefined) throw new Error(`no ${name}`);
  field.data = Buffer.from('"forged"').toString('base64');
}

describe('the words of a run', () => {
  it('are not those of a run whose memo was taken away', async () => {
    const without = (started: Members): void => {
      delete started['memo'];
    };
    expect(await open(without)).toEqual(['signatures']);
  });

  it.each(['actor', 'reason', 'ticket', 'target'])(
    'are those that were signed: %s',
    async (name) => {
      const change = (input: Members) => (input[name] = 'forged');
      expect(await open((started) => withInput(started, change))).toEqual(['signatures']);
      const both = (started: Members): void => {
        withInput(started, change);
        withMemo(started, name);
      };
      expect(await open(both)).toEqual(['signatures']);
      expect(await open((started) => withMemo(started, name))).toEqual(['signatures']);
    },
  );

  it('are known, and rest on the request of its steps', async () => {
    expect(await open(() => undefined)).toEqual(['']);
    expect(await open((started) => delete started['input'])).toEqual(['signatures']);
    const without = (input: Members) => delete input['authority'];
    expect(await open((started) => withInput(started, without))).toEqual(['signatures']);
  });

  it.each(['actor', 'reason', 'ticket'])(
    'of a fleet are those that were signed: %s',
    async (name) => {
      const fleet = signedFleet();
      const [execution] = fleet.executions;
      if (execution !== undefined) execution.input[name] = 'forged';
      const text = closedFleet(fleet);
      expect(await openChecks(text)).toEqual(['signatures']);
      expect(await secondOpen(text)).toEqual(
        (await secondOpen(closedFleet(signedFleet()))) === null ? null : ['signatures'],
      );
    },
  );
});

const TIME = { notBefore: 1, notAfter: 2 };
const about = { workflowId: 'w', nonce: 'n', ...TIME, ticket: '' };
const START = wholeStatement({
  ...about,
  ...{ verb: 'apply', actor: 'ana', reason: 'CHG-1', target: 'ccm', turnsBack: 'byPolicy' },
});
const TURN = wholeStatement({ ...about, verb: 'rollBack', actor: 'ben', reason: 'load' });
const SKIP = wholeStatement({ ...about, verb: 'skip', actor: 'cy', reason: 'seen' });
const OF_FLEET = wholeStatement({ ...about, verb: 'rollBack', actor: 'cy', fleet: 'prod' });

describe('a step', () => {
  it.each<[string, Members, readonly (typeof START)[], boolean]>([
    ['of who started the run', { actor: 'ana', reason: 'CHG-1' }, [], true],
    ['with a note of its worker', { actor: 'ana', reason: 'CHG-1 [glass]' }, [SKIP], true],
    ['of another name', { actor: 'ben', reason: 'CHG-1' }, [SKIP], false],
    ['of another reason', { actor: 'ana', reason: 'CHG-2' }, [], false],
    ['of who turned the run', { actor: 'ben', reason: 'load' }, [TURN], true],
    ['of who started a run that was turned', { actor: 'ana', reason: 'CHG-1' }, [TURN], false],
    ['of one who turned nothing', { actor: 'cy', reason: 'seen' }, [TURN, SKIP], false],
    ['of the policy', { actor: 'policy onBreach', reason: 'x', decide: 'kcm' }, [], true],
    ['of the policy, forward', { actor: 'policy onBreach', reason: 'x' }, [], false],
    ['that a command to a fleet turned', { actor: 'cy', reason: 'x' }, [OF_FLEET], true],
  ])('%s', async (_of, { decide: target = 'ccm', ...said }, commands, isSaid) => {
    const start = BEN.sign(START);
    const authority = { start, commands: commands.map((each) => BEN.sign(each)) };
    const written = recordedBy('x', clusterOf(UNTOUCHED), 1).map((one) => {
      const input = one.input as { decide?: object };
      const decide = input.decide === undefined ? {} : { decide: { ...input.decide, target } };
      return { ...one, input: { ...input, ...said, ...decide, authority } };
    });
    const { actor, reason, ticket } = START;
    const input = { actor, reason, ticket, target: 'ccm', authority: { start } };
    const history = historyOf(written, { runId: 'r', first: 'r', previous: '', next: '', input });
    const converter = loadDataConverter();
    const run = await recordedRun([history], converter);
    const events = run.kind === 'read' ? run.events : [];
    const check = await withSignedWords(pass('signatures', ''), { events, history, converter });
    expect(check.result).toBe(isSaid ? 'pass' : 'fail');
  });
});
