import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { jsonSchemaOf } from '../../../../config/json-schemas.js';
import { fakeTerminal, ran, type Ran } from '../../fake-terminal.js';
import { sealed, signedExport, TRUST_FILE } from '../signed-export.js';
import { payloads } from '../written-run.js';
import {
  authorityEntry,
  commandEvent,
  intentEntry,
  outcomeEntry,
  stepActivity,
  writtenExport,
} from './told-account.js';

let folder: string;
const at = (name: string): string => join(folder, name);
const show = (...words: readonly string[]): Promise<Ran> =>
  ran(['audit', 'show', ...words, '--no-replay']);

const WHOLE = signedExport({ steps: 3 });
const TICKET = payloads('CHG-1') as { payloads: readonly [object] };

/** The same run at another time, under another name, with a ticket. */
function another(runId: string, eventTime: string, uid = 'uid-1'): string {
  const text = writtenExport({ started: { memo: { fields: { ticket: TICKET.payloads[0] } } } });
  const { digest: _, ...content } = JSON.parse(text);
  content.executions[0].history.events[0].eventTime = eventTime;
  content.executions[0].runId = runId;
  return sealed({ ...content, runId, workflowId: `cluster-migration/${uid}` });
}

function forged(): string {
  const { digest: _, ...content } = JSON.parse(WHOLE);
  const { authority } = content.records[0].entry;
  authority.principal = 'boss';
  return sealed(content);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-show-'));
  await mkdir(at('exports'));
  await Promise.all([
    writeFile(at('trust.yaml'), TRUST_FILE),
    writeFile(at('whole.json'), WHOLE),
    writeFile(at('forged.json'), forged()),
    writeFile(at('torn.json'), WHOLE.slice(0, 5_000)),
    writeFile(at('exports/a.json'), another('run-back', '2026-11-22T09:00:00Z')),
    writeFile(at('exports/b.json'), another('run-forth', '2026-11-20T09:00:00Z')),
    writeFile(at('exports/c.json'), signedExport({ steps: 1, runId: 'run-3' })),
  ]);
});
afterAll(() => rm(folder, { recursive: true }));

describe('audit show', () => {
  it('tells who asked and how that is known, what was changed and why, and what is proven', async () => {
    const { exit, stdout, stderr } = await show(at('whole.json'), '--trust', at('trust.yaml'));
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toMatch(/^c1 {2}॥ stopped, begun toward CCM · 2026-11-21 10:00:00Z/);
    expect(stdout).toMatch(/^Proof {5}✔ all of \d+ checks pass$/m);
    expect(stdout).toMatch(/^Known {5}signed by ana with key [0-9a-f]{12}; allowed as requester$/m);
    expect(stdout).toMatch(
      /^10:00:00 {2}• skip CCM3001 by ana\n +signed by ben with key [0-9a-f]{12}; allowed as operator$/m,
    );
    expect(stdout).toMatch(
      /^10:00:00 {2}✔ takeFence, epoch 1: .+\n +update {2}Lease kube-system\/takeFence {2}1 → 2$/m,
    );
    expect(stdout).toMatch(
      /^10:00:00 {2}✔ prepareCcm: \S.+\n +update {2}Lease kube-system\/prepareCcm {2}1 → 2$/m,
    );
    expect(stdout).toMatch(/\nChecks\n✔ pass {5}bytes: as written\n/);
  });

  it.each([
    ['whole.json', ['--trust', 'trust.yaml'], 0],
    ['whole.json', [], 8],
    ['whole.json', ['--allow', 'signatures', 'results'], 0],
    ['whole.json', ['--allow', 'signatures'], 8],
    ['forged.json', ['--trust', 'trust.yaml'], 3],
    ['torn.json', [], 3],
    ['exports/a.json', ['--trust', 'trust.yaml'], 3],
  ])(
    'of %s %j it makes the checks of `audit verify` and ends as it does',
    async (file, flags, exit) => {
      const words = [
        at(file),
        ...flags.map((each) => (each === 'trust.yaml' ? at(each) : each)),
        '-o',
        'json',
      ];
      const shown = await show(...words);
      const verified = await ran(['audit', 'verify', ...words, '--no-replay']);
      const { checks, passed } = JSON.parse(verified.stdout);
      expect(JSON.parse(shown.stdout).runs).toMatchObject([{ file: at(file), checks, passed }]);
      expect([shown.exit, verified.exit]).toEqual([exit, exit]);
    },
  );

  it('says first that a forged export is not to be believed, and what contradicts it', async () => {
    const { stdout, stderr } = await show(at('forged.json'), '--trust', at('trust.yaml'));
    expect(stdout).toMatch(
      /^Proof {5}✖ \d+ of \d+ checks fail: .*signatures.*\. Believe nothing below$/m,
    );
    expect(stdout).toContain('signed by ana with key');
    expect(stdout).toContain('; BUT the evidence says that boss signed');
    expect(stderr).toContain('CCM4019');
  });

  it('without trust it says what is not checked', async () => {
    const { stdout, stderr } = await show(at('whole.json'));
    expect(stderr).toBe(
      'not proven: signatures, results; give --trust FILE with the keys to believe, or accept it with --allow signatures results\n',
    );
    expect(stdout).toMatch(/^Proof {5}• 2 of \d+ checks prove nothing: signatures, results$/m);
    expect(stdout).toMatch(
      /^Known {5}signed with key .*, not checked without --trust; by the evidence of ana/m,
    );
  });

  it('its document is what its schema says', async () => {
    const { stdout } = await show(
      at('whole.json'),
      at('torn.json'),
      '--trust',
      at('trust.yaml'),
      '-o',
      'json',
    );
    const document = JSON.parse(stdout);
    expect(new Ajv({ strict: false }).compile(jsonSchemaOf('AuditAccount'))(document)).toBe(true);
    expect(document).toMatchObject({ kind: 'AuditAccount', trust: 'test version 1' });
    expect(document.runs.map(({ account }: { account: unknown }) => account === null)).toEqual([
      true,
      false,
    ]);
  });
});

describe('what a change wrote', () => {
  const CHANGE =
    '@@ -8,3 +8,3 @@\n   - --v=2\n-  - --leader-elect=true\n+  - --leader-elect=false\n';
  const WHOLE_FILE = `@@ -0,0 +1,9 @@\n${'+kind: Pod\n'.repeat(9)}`;
  const entries = [
    intentEntry('a', { object: 'cp-1:/m.yaml', diff: CHANGE }),
    intentEntry('b', { object: 'cp-2:/m.yaml', diff: CHANGE }),
    intentEntry('c', { object: 'cp-1:/whole.yaml', diff: WHOLE_FILE }),
    intentEntry('d', { object: 'Role r', diff: '@@ -0,0 +1 @@\n+verbs: [get]\n' }),
    intentEntry('e', { object: 'cp-1:/copy.yaml' }),
  ];
  const lines = async (...flags: readonly string[]): Promise<readonly string[]> => {
    await writeFile(at('diffs.json'), writtenExport({ entries }));
    const { stdout } = await show(at('diffs.json'), ...flags);
    const all = stdout.split('\n');
    const from = all.findIndex((line) => line.includes('cp-1:/m.yaml'));
    return all.slice(from, all.indexOf('Checks')).filter((line) => line !== '');
  };

  it('is shown once, without the lines around it; whole texts are counted', async () => {
    expect(await lines()).toEqual([
      'update  cp-1:/m.yaml      1 → 2  OUTCOME UNKNOWN',
      '  @@ -8,3 +8,3 @@',
      '  -  - --leader-elect=true',
      '  +  - --leader-elect=false',
      'update  cp-2:/m.yaml      1 → 2  OUTCOME UNKNOWN',
      '  the same change as in cp-1:/m.yaml',
      'update  cp-1:/whole.yaml  1 → 2  OUTCOME UNKNOWN',
      '  9 lines; --full shows them',
      'update  Role r            1 → 2  OUTCOME UNKNOWN',
      '  @@ -0,0 +1 @@',
      '  +verbs: [get]',
      'update  cp-1:/copy.yaml   1 → 2  OUTCOME UNKNOWN',
    ]);
  });

  it('with --full each is shown whole', async () => {
    expect(await lines('--full')).toEqual([
      'update  cp-1:/m.yaml      1 → 2  OUTCOME UNKNOWN',
      '  @@ -8,3 +8,3 @@',
      '     - --v=2',
      '  -  - --leader-elect=true',
      '  +  - --leader-elect=false',
      'update  cp-2:/m.yaml      1 → 2  OUTCOME UNKNOWN',
      '  @@ -8,3 +8,3 @@',
      '     - --v=2',
      '  -  - --leader-elect=true',
      '  +  - --leader-elect=false',
      'update  cp-1:/whole.yaml  1 → 2  OUTCOME UNKNOWN',
      '  @@ -0,0 +1,9 @@',
      '  +kind: Pod',
      '  +kind: Pod',
      '  +kind: Pod',
      '  +kind: Pod',
      '  +kind: Pod',
      '  +kind: Pod',
      '  +kind: Pod',
      '  +kind: Pod',
      '  +kind: Pod',
      'update  Role r            1 → 2  OUTCOME UNKNOWN',
      '  @@ -0,0 +1 @@',
      '  +verbs: [get]',
      'update  cp-1:/copy.yaml   1 → 2  OUTCOME UNKNOWN',
    ]);
  });

  it('its document has them as they are', async () => {
    const { stdout } = await show(at('diffs.json'), '-o', 'json');
    const { unplaced } = JSON.parse(stdout).runs[0].account;
    expect(unplaced.map(({ diff }: { diff: string }) => diff)).toEqual([
      ...[CHANGE, CHANGE, WHOLE_FILE],
      ...['@@ -0,0 +1 @@\n+verbs: [get]\n', ''],
    ]);
  });
});

describe('which runs it shows', () => {
  const runs = async (...words: readonly string[]): Promise<unknown> => {
    const { stdout, exit } = await show(...words, '-o', 'json');
    const shown = JSON.parse(stdout).runs ?? [];
    return [
      exit === 64 || exit === 1 ? exit : 'shown',
      ...shown.map((each: { account: { runId: string } }) => each.account.runId),
    ];
  };
  const BOTH = ['shown', 'run-forth', 'run-back'];

  it.each<[string, readonly string[], readonly unknown[]]>([
    ['a ticket, both directions, oldest first', ['--ticket', 'CHG-1'], BOTH],
    ['a run by its id', ['run-back'], ['shown', 'run-back']],
    ['a cluster', ['c1'], ['shown', 'run-forth', 'run-3', 'run-back']],
    ['a UID', ['uid-1'], ['shown', 'run-forth', 'run-3', 'run-back']],
    ['a workflow and a ticket', ['cluster-migration/uid-1', '--ticket', 'CHG-1'], BOTH],
    ['a run twice', ['run-3', 'run-3'], ['shown', 'run-3']],
    ['another run', ['run-9'], [1]],
    ['another ticket', ['--ticket', 'CHG-9'], [1]],
    ['one of several', [], [64]],
  ])('by %s', async (_, words, expected) => {
    expect(await runs(...words, '--exports', at('exports'))).toEqual(expected);
  });

  it('files may be given, and only those of a ticket meant', async () => {
    expect(await runs(at('exports/a.json'), at('exports/b.json'))).toEqual(BOTH);
    expect(await runs(at('exports/a.json'), at('exports/c.json'), '--ticket', 'CHG-1')).toEqual([
      'shown',
      'run-back',
    ]);
    expect(await runs(at('none.json'))).toEqual([64]);
  });

  it('suggests the cluster that was meant', async () => {
    const { stderr } = await show('c2', '--exports', at('exports'));
    expect(stderr).toContain('no export of a run c2, did you mean "c1"?');
  });
});

describe('foreign text', () => {
  const HOSTILE =
    'ok\u001b[2J\u001b[32m\n07:00:00  ✔ approve by boss\r\u202e\u009b' + 'x'.repeat(5_000);

  it.each([
    [
      'a reason',
      () =>
        writtenExport({ written: [commandEvent('pause', { reason: HOSTILE, actor: HOSTILE })] }),
    ],
    [
      'an object and a proof',
      () =>
        writtenExport({
          written: [stepActivity('startCcm', { from: 0, to: 2, node: HOSTILE })],
          entries: [
            intentEntry('a', {
              object: HOSTILE,
              proof: HOSTILE,
              before: HOSTILE,
              diff: `@@ -1 +1 @@\n-${HOSTILE}\n+07:00:00  ✔ approve by boss\n07:00:00  ✔ approve by boss\n`,
              verb: HOSTILE as 'patch',
            }),
            outcomeEntry('a', 'refused', HOSTILE),
          ],
        }),
    ],
    [
      'what the evidence alone says',
      () =>
        writtenExport({
          entries: [
            authorityEntry({ detail: HOSTILE, principal: HOSTILE, verdict: 'refused' }),
            intentEntry('b', { object: HOSTILE }),
          ],
        }),
    ],
    [
      'a start',
      () =>
        writtenExport({
          started: {
            identity: HOSTILE,
            input: payloads({
              actor: HOSTILE,
              reason: HOSTILE,
              fleet: HOSTILE,
              planDigest: HOSTILE,
              target: HOSTILE,
              cluster: HOSTILE,
            }),
          },
        }),
    ],
  ])('in %s can neither move the cursor nor pass for a line of ours', async (_, text) => {
    await writeFile(at('hostile.json'), text());
    const terminal = fakeTerminal({ screen: true, width: 1_000_000 });
    const { stdout } = await ran(
      ['audit', 'show', at('hostile.json'), '--no-replay', '--color', 'never'],
      { terminal },
    );
    expect(stdout).toContain('ok');
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(stdout).not.toMatch(/^07:00:00/m);
    expect(stdout.includes('x'.repeat(1_001))).toBe(false);
  });
});
