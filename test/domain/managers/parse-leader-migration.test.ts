import { describe, expect, it } from '@jest/globals';
import type { Strictness } from '../../../domain/managers/parse-leader-migration.js';
import { parseLeaderMigration } from '../../../domain/managers/parse-leader-migration.js';

const GROUP = 'controllermanager.config.k8s.io';
const head = (version: string): string =>
  `apiVersion: ${GROUP}/${version}\nkind: LeaderMigrationConfiguration\n`;

function problemsOf(text: string, minor: number, strictness?: Strictness): readonly string[] {
  const parsed = parseLeaderMigration(text, minor, strictness);
  if (parsed.kind === 'parsed') return [];
  return parsed.problems.map((p) => `${p.line} ${p.path}: ${p.message}`);
}

describe('parseLeaderMigration', () => {
  it('returns what the binary will use', () => {
    const text = `${head('v1beta1')}leaderName: x\nresourceLock: leases\ncontrollerLeaders:\n- {name: a, component: b}\n`;
    expect(parseLeaderMigration(text, 30)).toEqual({
      kind: 'parsed',
      file: { fileVersion: 'v1beta1', leaderName: 'x', entries: [{ name: 'a', component: 'b' }] },
    });
  });

  it('does not even search for the first document of a text that is too long', () => {
    const text = `${head('v1beta1')}leaderName: x\n---\n${'#'.repeat(64 * 1024)}`;
    expect(problemsOf(text, 30)).toEqual([expect.stringContaining('at most 65536 are read')]);
  });

  it.each([
    ['v1alpha1', 20, 'apiVersion: v1alpha1 is read from 1.21, not by 1.20'],
    ['v1beta1', 21, 'apiVersion: v1beta1 is read from 1.22, not by 1.21'],
    ['v1', 23, 'apiVersion: v1 is read from 1.24, not by 1.23'],
    [
      'v2',
      30,
      `apiVersion: must be ${GROUP}/ with one of v1alpha1, v1beta1, v1, not "${GROUP}/v2"`,
    ],
  ])('refuses API version %s at 1.%i', (version, minor, problem) => {
    expect(problemsOf(`${head(version)}leaderName: x\n`, minor)).toEqual([`1 ${problem}`]);
  });

  it.each([
    [
      'a list instead of a map',
      '- a\n',
      ['1 kind: must be LeaderMigrationConfiguration, not empty'],
    ],
    ['another kind', 'kind: Pod\n', ['1 kind: must be LeaderMigrationConfiguration, not "Pod"']],
    [
      'another group',
      'kind: LeaderMigrationConfiguration\napiVersion: apps/v1\n',
      [`1 apiVersion: must be ${GROUP}/ with one of v1alpha1, v1beta1, v1, not "apps/v1"`],
    ],
    [
      'a broken document',
      'a: [\n',
      ['2 : Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    ['no leaderName', head('v1'), ['1 leaderName: must not be empty']],
    ['an empty leaderName', `${head('v1')}leaderName:\n`, ['3 leaderName: must not be empty']],
    ['a number as leaderName', `${head('v1')}leaderName: 7\n`, ['3 leaderName: must be text']],
    ['a YAML 1.1 boolean', `${head('v1')}leaderName: yes\n`, ['3 leaderName: must be text']],
    [
      'a tab in the indentation of a comment',
      `${head('v1')}leaderName: x\n \t# leaders\n`,
      ['4 : a tab is not valid indentation in YAML, and the manager does not start: use spaces'],
    ],
    [
      'no resourceLock in v1beta1',
      `${head('v1beta1')}leaderName: x\n`,
      ['1 resourceLock: must not be empty'],
    ],
    [
      'an endpoints lock',
      `${head('v1beta1')}leaderName: x\nresourceLock: endpoints\n`,
      ['4 resourceLock: must be leases: an endpoints lock is not shared with a Lease'],
    ],
    [
      'another lock',
      `${head('v1alpha1')}leaderName: x\nresourceLock: configmaps\n`,
      ['4 resourceLock: must be leases: is "configmaps"'],
    ],
    [
      'leaders that are not a list',
      `${head('v1')}leaderName: x\ncontrollerLeaders: {}\n`,
      ['4 controllerLeaders: must be a list'],
    ],
    [
      'all problems at once',
      `${head('v1')}controllerLeaders:\n- component: "*"\n- 5\n- name: route\n`,
      [
        '1 leaderName: must not be empty',
        '4 controllerLeaders[0].name: must not be empty',
        '5 controllerLeaders[1]: must be a map of fields',
        '5 controllerLeaders[1].name: must not be empty',
        '5 controllerLeaders[1].component: must not be empty',
        '6 controllerLeaders[2].component: must not be empty',
      ],
    ],
  ])('refuses a file with %s', (_, text, problems) => {
    expect(problemsOf(text, 30)).toEqual(problems);
  });

  it.each([
    ['no leaders', `${head('v1')}leaderName: x\n`],
    ['null leaders', `${head('v1')}leaderName: x\ncontrollerLeaders:\n`],
  ])('accepts a file with %s, as upstream does', (_, text) => {
    expect(problemsOf(text, 36)).toEqual([]);
  });

  const whole = `${head('v1')}leaderName: x\ncontrollerLeaders:\n- {name: a, component: b}\n`;

  // Each verified with the real readers of 1.21, 1.30 and 1.36.
  it.each([
    ['an empty last document', `${whole}---\n`],
    ['a last line without its end', `${whole}---`],
    ['empty documents with remarks', `${whole}# a\n--- # b\n# c\n---\n`],
    ['an end of document', `${whole}...\n`],
    ['another document', `${whole}---\nkind: Other\n`],
    ['text after the dashes on their line', `${whole}--- x\n`],
    ['a document that is no YAML', `${whole}---\na: [\n`],
    ['a tab behind the dashes', `${whole}---\n\t# c\n`],
    ['text behind the end', `${whole}...\na: b: c\n`],
    ['Windows lines', `${whole.replaceAll('\n', '\r\n')}---\r\nkind: Other\r\n`],
    ['dashes in front too', `# a\n---\n${whole}---\n`],
    ['a directive in front', `%YAML 1.1\n---\n${whole}`],
  ])('reads the same first document with %s', (_, text) => {
    const expected = parseLeaderMigration(whole, 30);
    expect(expected.kind).toBe('parsed');
    expect(parseLeaderMigration(text, 30)).toEqual(expected);
  });

  it.each([
    ['an empty first document', `---\n---\n${whole}`, '1 : the document is empty'],
    ['nothing but ends', '...\n...\n', '1 : the document is empty'],
    ['null as the first document', `null\n---\n${whole}`, '1 : the document is empty'],
  ])('refuses %s, as upstream does', (_, text, problem) => {
    expect(problemsOf(text, 30)).toEqual([problem]);
  });

  it('bounds what it reads whatever precedes it', () => {
    expect(problemsOf(`${'['.repeat(101)}\n---\n${whole}`, 30)).toEqual([
      '1 : the document is nested deeper than 100 levels',
    ]);
  });

  it('allows only one document in strict mode', () => {
    expect(problemsOf(`${whole}---\nkind: Other\n`, 30, 'strict')).toEqual([
      '6 : only one document is allowed',
    ]);
  });

  const sloppy = `${head('v1')}leaderName: old\nleaderName: x\nleaders: []\ncontrollerLeaders:\n- {name: a, component: b, extra: c}\n`;
  const refused = [
    '4 leaderName: is given twice',
    '5 leaders: is not a known field',
    '7 controllerLeaders[0].extra: is not a known field',
  ];

  it.each([
    [31, 'asReader', []],
    [32, 'asReader', refused],
    [24, 'strict', refused],
  ] as const)(
    'judges unknown and repeated fields as 1.%i does: %s',
    (minor, strictness, problems) => {
      expect(problemsOf(sloppy, minor, strictness)).toEqual(problems);
    },
  );

  it('uses the last of a repeated field where that is accepted', () => {
    const parsed = parseLeaderMigration(sloppy, 31);
    expect(parsed.kind === 'parsed' && parsed.file.leaderName).toBe('x');
  });
});
