import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  configurationFile,
  GUIDE_FILE,
  guideManifests,
} from '../../../testbed/bench/on-lab/guide-files.js';
import { readOptions } from '../../../testbed/bench/on-lab/bench-options.js';
import { orderOf } from '../../../testbed/bench/on-lab/orders.js';
import { appendRecord, readRecords } from '../../../testbed/bench/on-lab/records.js';
import { rowNamed, ROWS, SEEDS } from '../../../testbed/bench/on-lab/rows.js';
import { firstLeader, scheduleOf } from '../../../testbed/bench/on-lab/schedule.js';
import { run } from './given.js';

describe('orders of nodes', () => {
  const nodes = ['cp-10', 'cp-2', 'cp-1'];

  it('node order by name compares numbers as numbers', () => {
    expect(orderOf(nodes, 'names')).toEqual(['cp-1', 'cp-2', 'cp-10']);
  });

  it('node order from a seed is the same each time, whatever order the nodes came in', () => {
    const order = orderOf(nodes, { seed: 1 });
    expect(orderOf(nodes.toReversed(), { seed: 1 })).toEqual(order);
    expect(order.toSorted()).toEqual(nodes.toSorted());
  });

  it('the three rows of the guide use three node orders', () => {
    const three = ['cp-1', 'cp-2', 'cp-3'];
    const orders = ['names' as const, { seed: SEEDS.a }, { seed: SEEDS.b }];
    const texts = orders.map((order) => orderOf(three, order).join(' '));
    expect(texts).toEqual(['cp-1 cp-2 cp-3', 'cp-3 cp-2 cp-1', 'cp-2 cp-1 cp-3']);
  });
});

describe('the schedule', () => {
  const names = (plans: ReturnType<typeof scheduleOf>) =>
    plans.map(({ nodes, turns }) => [
      nodes,
      turns.map(({ row, run: number }) => `${row.name} ${number}`),
    ]);
  const rows = ['ours', 'guide', 'one-ours', 'ours-replaced'].map(rowNamed);

  it('rows of one lab take turns, and each run that leaves other machines gets its own lab', () => {
    expect(names(scheduleOf(rows, 2, () => 0))).toEqual([
      [3, ['ours 1', 'guide 1', 'ours 2', 'guide 2']],
      [1, ['one-ours 1', 'one-ours 2']],
      [3, ['ours-replaced 1']],
      [3, ['ours-replaced 2']],
    ]);
  });

  it('a new lab opens before the evidence of one grows too large', () => {
    const plans = scheduleOf(rows.slice(0, 2), 11, () => 0);
    expect(plans.map(({ turns }) => turns.length)).toEqual([20, 2]);
    expect(plans[1]?.turns[0]).toEqual({ row: rows[0], run: 11 });
  });

  it('numbering continues where a row was left', () => {
    const plans = scheduleOf(rows.slice(0, 2), 1, ({ name }) => (name === 'guide' ? 4 : 0));
    expect(names(plans)).toEqual([[3, ['ours 1', 'guide 5']]]);
  });

  it('no lab opens without a run', () => {
    expect(scheduleOf(rows, 0, () => 0)).toEqual([]);
  });

  it('each node leads in its turn, the same one for all rows of a number', () => {
    const nodes = ['cp-1', 'cp-2', 'cp-3'];
    expect([1, 2, 3, 4].map((number) => firstLeader(nodes, number))).toEqual([...nodes, 'cp-1']);
  });
});

describe('the command line', () => {
  it('by default every row that shares a lab runs ten times', () => {
    const { runs, rows, append, docs } = readOptions(['--lab']);
    expect({ runs, append, docs }).toEqual({ runs: 10, append: false, docs: null });
    expect(rows).toEqual(ROWS.filter(({ lab }) => lab === 'kept'));
  });

  it('the command line selects rows, and a page to write', () => {
    const options = readOptions(['--lab', '--rows', 'literal,ours', '--write-docs', '--runs', '0']);
    expect(options.rows.map(({ name }) => name)).toEqual(['literal', 'ours']);
    expect(options).toMatchObject({ runs: 0, docs: 'docs/benchmarks.md' });
  });

  it.each([
    [['--rows', 'mine'], 'there is no row "mine"; choose from ours, guide,'],
    [['--runs', '-1'], 'argument is ambiguous'],
    [['--runs', 'many'], '--runs must be a whole number, not "many"'],
    [['--speed', '2'], "Unknown option '--speed'"],
  ])('the command line %j is refused', (words, reason) => {
    expect(() => readOptions(words)).toThrow(reason);
  });
});

describe('the file of results', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-bench-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('the file of results reads back what was written, in order', () => {
    const file = join(folder, 'new/results.jsonl');
    expect(readRecords(file)).toEqual([]);
    const records = [run('ours', [1]), run('guide', [2], { failed: 'the API server is gone' })];
    for (const record of records) appendRecord(file, record);
    expect(readRecords(file)).toEqual(records);
  });

  it.each(['{"kind":"DemoReport"}', '{"kind":"HandoverRun","row":'])(
    'the file of results is rejected with the line %s',
    (line) => {
      const file = join(folder, 'other.jsonl');
      writeFileSync(file, `${line}\n`);
      expect(() => readRecords(file)).toThrow(`${file}:1: not a result of this benchmark`);
    },
  );
});

describe('the files that the guide prescribes', () => {
  it('name controllers as they were before 1.28, for the manager of that side', () => {
    expect(configurationFile('literal', 'kcm')).toContain(
      '  - name: route\n    component: kube-controller-manager\n',
    );
    expect(configurationFile('literal', 'ccm')).toContain(
      '  - name: service\n    component: cloud-controller-manager\n',
    );
  });

  it('use, once corrected, the names that 1.29 and 1.30 register, and are the same for both sides', () => {
    const file = configurationFile('corrected', 'kcm');
    expect(configurationFile('corrected', 'ccm')).toBe(file);
    for (const name of ['service-lb', 'node-route', 'cloud-node-lifecycle'])
      expect(file).toContain(`  - name: ${name}-controller\n    component: "*"\n`);
  });

  it('enable Leader Migration in the KCM of N and the CCM, and not in the KCM of N+1', () => {
    const { kcmOfN, kcmOfNext, ccmOfNext } = guideManifests('guide 1');
    for (const manifest of [kcmOfN, ccmOfNext]) {
      expect(manifest).toContain('    - --enable-leader-migration=true\n');
      expect(manifest).toContain(`    - --leader-migration-config=${GUIDE_FILE}\n`);
      expect(manifest).toContain('    - --cloud-provider=labcloud\n');
    }
    expect(kcmOfNext).not.toContain('migration');
    expect(kcmOfNext).toContain('    - --cloud-provider=external\n');
    expect(kcmOfN).toContain(':v1.29.15\n');
    expect(kcmOfNext).toContain(':v1.30.14\n');
  });

  it('differ in each run, so that no kubelet has cached them', () => {
    const texts = ['guide 1', 'guide 2'].flatMap((run) => Object.values(guideManifests(run)));
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts)
      expect(text).toMatch(/^ {2}annotations:\n {4}bench\.ccm-migrate\.dev\/run: "guide \d"\n/mu);
  });
});
