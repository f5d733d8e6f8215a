import { describe, expect, it } from '@jest/globals';
import { check } from 'prettier';
import { alignedTable } from '../../../testbed/bench/markdown-table.js';
import { pageWith } from '../../../testbed/bench/page-section.js';
import { section } from '../../../testbed/bench/on-lab/docs-page.js';
import { ROWS } from '../../../testbed/bench/on-lab/rows.js';
import { summaries } from '../../../testbed/bench/on-lab/summary.js';
import { figuresTable } from '../../../testbed/bench/on-lab/figures-table.js';
import { verdictOn } from '../../../testbed/bench/on-lab/verdict.js';
import { direction, loop, run } from './given.js';

/** Three seconds in each direction against thirty. */
const OURS = run('ours', [1, 2]);
const GUIDE = run('guide', [10, 20]);
const OF_NAMES = { order: ['cp-1', 'cp-2', 'cp-3'] };

describe('a summary', () => {
  it('a summary covers the completed runs of a row, each direction separately', () => {
    const failed = run('ours', [99], { failed: 'gone' });
    const [forward, back, ...others] = summaries(ROWS, [OURS, run('ours', [5]), failed]);
    expect(others).toEqual([]);
    expect([forward?.direction, back?.direction]).toEqual(['forward', 'back']);
    expect(forward).toMatchObject({ runs: 2, moves: 1.5, requests: 20, writes: 2 });
    expect(forward?.orphans['route']).toEqual({ count: 2, mean: 4, p50: 3, p99: 5, max: 5 });
    // Three controllers, each with the gaps of both runs.
    expect(forward?.gaps).toMatchObject({ count: 9, mean: 8 / 3, max: 5 });
    expect(forward?.kcm.mean).toBe(1);
  });

  it('a summary is printed as a table', () => {
    const overlap = direction('forward', loop([], { overlapSeconds: 12.5, moves: 3 }));
    const records = [GUIDE, run('literal', [], { directions: [overlap] })];
    expect(figuresTable(summaries(ROWS, records)).split('\n')).toEqual([
      expect.stringMatching(/^\| row +\| direction \| runs \| service +\| route +\|/),
      expect.stringMatching(/^\| -+ \| -+ \|/),
      expect.stringMatching(/^\| guide, name order \| forward +\| 1 +\| 30\.0 \/ 30\.0 \/ 30\.0/),
      expect.stringMatching(/^\| guide, name order \| back /),
      expect.stringMatching(/^\| guide, literal +\| forward .* 12\.5 \(most 12\.5\) \| 20 +\| 2 /),
    ]);
  });

  it('a table keeps columns as wide as their widest cell, and never narrower than a rule', () => {
    expect(alignedTable([['a', 'long'], ['1']])).toBe(
      ['| a   | long |', '| --- | ---- |', '| 1   |      |'].join('\n'),
    );
  });
});

describe('the verdict', () => {
  const verdict = (...records: Parameters<typeof verdictOn>[0]) => verdictOn(records).kind;
  const twoOwners = { directions: [direction('forward', loop([1], { overlapSeconds: 0.1 }))] };

  it('the verdict holds when ours never overlaps and the guide is at least five times as long without an owner', () => {
    expect(verdictOn([OURS, GUIDE])).toEqual({
      kind: 'holds',
      said: [
        'Ours: never two owners, in 2 directions.',
        'Ratio 10.0: 30.0 s without owner per direction with the guide, 3.0 s with ours (means).',
        'guide, name order: ratio 10.0.',
      ],
    });
    expect(verdict(OURS, run('guide', [15]))).toBe('holds');
  });

  it('the verdict judges all node orders of the guide together', () => {
    expect(verdict(OURS, run('guide', [12]), run('guide-a', [20]))).toBe('holds');
    expect(verdict(OURS, run('guide', [12]), run('guide-a', [16]))).toBe('fails');
  });

  it.each<[string, Parameters<typeof verdictOn>[0]]>([
    ['the ratio is less', [OURS, run('guide', [14.9])]],
    ['ours had two owners', [OURS, GUIDE, run('ours', [1], twoOwners)]],
    ['ours had two owners on one node', [OURS, GUIDE, run('one-ours', [1], twoOwners)]],
    ['a run of ours failed', [OURS, GUIDE, run('ours', [], { failed: 'exit 5' })]],
    ['a run of the guide failed', [OURS, GUIDE, run('guide-b', [], { failed: 'not Ready' })]],
    [
      'the sources of a run of ours differ',
      [
        OURS,
        GUIDE,
        run('ours', [1], { directions: [direction('back', loop([1]), { contradictions: ['x'] })] }),
      ],
    ],
  ])('the verdict fails when %s', (_case, records) => {
    expect(verdictOn(records).kind).toBe('fails');
  });

  it('the verdict reports the literal guide without judging by it', () => {
    const literal = run('literal', [1], { ...twoOwners, failed: 'not Ready' });
    const { kind, said } = verdictOn([OURS, GUIDE, literal]);
    expect(kind).toBe('holds');
    expect(said).toContain('literal, run 1 failed: not Ready');
  });

  it.each<[string, Parameters<typeof verdictOn>[0]]>([
    ['nothing was run', []],
    ['the guide was not run', [OURS]],
    ['ours was not run', [GUIDE]],
    ['ours was run on one node only', [run('one-ours', [1]), GUIDE]],
  ])('the verdict is open while %s', (_case, records) => {
    expect(verdictOn(records).kind).toBe('open');
  });
});

describe('the page', () => {
  const text = section([OURS, { ...GUIDE, ...OF_NAMES }]);

  it('the page names machine, command and node orders', () => {
    expect(text).toContain('Machine: 2 cores, 24 GiB of memory, Linux 6.1.');
    expect(text).toContain('npm run bench -- handover --lab --runs 10 --write-docs');
    expect(text).toContain('- guide, name order: cp-1, cp-2, cp-3');
    expect(text).toContain('- Ratio 10.0:');
  });

  it('the page is replaced in its section, and other text remains', () => {
    const first = pageWith('# Benchmarks\n', 'handover', text);
    const more = `${first}\n## Another one\n`;
    expect(pageWith(more, 'handover', text)).toBe(more);
    expect(pageWith(more, 'handover', 'new')).not.toContain('Ratio');
    expect(pageWith(more, 'handover', 'new')).toContain('## Another one');
    expect(pageWith(more, 'fleet', 'new')).toContain('Ratio');
  });

  it('the page is formatted as prettier formats it', async () => {
    const page = pageWith('# Benchmarks\n', 'handover', text);
    expect(await check(page, { parser: 'markdown', printWidth: 100 })).toBe(true);
  });
});
