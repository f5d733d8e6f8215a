import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keepLayout } from '../../../domain/yaml/keep-layout.js';
import { YamlEdit } from '../../../domain/yaml/yaml-edit.js';

/** Unusual layouts that people write, each a member of one map, and none of them the printer's own. */
const MEMBERS = [
  'endpoints: ["https://etcd.lab.invalid:2379"]',
  'padded: [ "a", { b: c } ]',
  'tight: {b: c,  d: e}',
  'text:   spaced     # far out',
  "quoted: 'single'",
  'flat:\n- one\n- two',
  'deep:\n    four:\n        - eight\n',
  'items:\n- name: a\n  args:\n    - x\n    - y\n\n',
  'flow: {\n  a: 1,\n  b: 2 }',
  '# a remark\nremarked:\n  # inside\n  a: 1',
  'script: |\n  one\n\n  two',
  'folded: >-\n  long text\n  that goes on',
  'empty:',
] as const;

const documents = fc.shuffledSubarray([...MEMBERS], { minLength: 1 }).map((members) => ({
  text: `${[...members, 'edited:', '  value: 1'].join('\n')}\nlast: {a: [1,2]}\n`,
  members,
}));

/** Lines of `text` that `other` lacks, in order, each as often as it is missing. */
function without(text: string, other: string): readonly string[] {
  const rest = other.split('\n');
  return text.split('\n').filter((line) => {
    const at = rest.indexOf(line);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

describe('an edit of a YAML document', () => {
  it('preserves the brackets of other fields', () => {
    const text = 'etcd:\n  endpoints: ["https://a:2379"]\nmounts:\n  - { name: a }\nargs: {}\n';
    const edit = new YamlEdit(text);
    edit.set(['args', 'x'], 'y');
    expect(edit.text()).toBe(text.replace('args: {}', 'args: { x: y }'));
  });

  it('changes only the lines of the edited field, whatever the layout of the others', () => {
    fc.assert(
      fc.property(documents, ({ text }) => {
        const edit = new YamlEdit(text);
        edit.set(['edited', 'value'], 2);
        edit.set(['edited', 'more'], 'new');
        expect(without(text, edit.text())).toEqual(['  value: 1']);
        expect(without(edit.text(), text)).toEqual(['  value: 2', '  more: new']);
      }),
    );
  });

  it('restores the original when its addition is removed', () => {
    fc.assert(
      fc.property(documents, ({ text }) => {
        const edit = new YamlEdit(text);
        edit.append(['edited', 'list'], { name: 'a', path: '/b' });
        const again = new YamlEdit(edit.text());
        again.remove(['edited', 'list', 0], 1);
        expect(again.text()).toBe(text);
      }),
    );
  });

  it.each([
    ['flat', 'a:\n- x\nb:\n    - y\n', 'a:\n- x\n- z\nb:\n    - y\n', 'a'],
    ['deep', 'a:\n- x\nb:\n    - y\n', 'a:\n- x\nb:\n    - y\n    - z\n', 'b'],
  ])('indents its additions like their siblings: %s', (_, text, after, list) => {
    const edit = new YamlEdit(text);
    edit.append([list], 'z');
    expect(edit.text()).toBe(after);
  });

  it('removes a line from a layout of several', () => {
    const edit = new YamlEdit('a: {\n  b: 1,\n  c: 2 }\nd: [1,2]\n');
    edit.remove(['a', 'b'], 0);
    expect(edit.text()).toBe('a: {c: 2}\nd: [1,2]\n');
  });

  it('writes a text block with blank lines correctly, at the price of the layout', () => {
    const edit = new YamlEdit('a: [1,2]\nb: |\n  one\n\n  two\n');
    edit.set(['b'], 'one\ntwo\n');
    expect(new YamlEdit(edit.text()).get(['b'])).toBe('one\ntwo\n');
    expect(new YamlEdit(edit.text()).get(['a'])).toEqual([1, 2]);
  });

  it('does not compare texts that are completely different', () => {
    const many = (word: string, count: number): string =>
      Array.from({ length: count }, (_, index) => `${word}${String(index)}`).join('\n');
    expect(keepLayout(many('a', 3000), many('b', 3001), many('b', 3001))).toBeNull();
    expect(keepLayout(many('a', 3000), many('a', 3000), many('b', 3000))).toBeNull();
  });

  it('keeps the layout around lines that the printer adds, moves or drops', () => {
    expect(keepLayout('a\nb', 'a\nb\nc', 'a\nb\nc\nd')).toBe('a\nb\nd');
    expect(keepLayout('a', 'a', 'a\nb')).toBe('a\nb');
    expect(keepLayout('b', 'b', 'a\nb')).toBe('a\nb');
    expect(keepLayout('x1\nx2\nx3', 'y1\ny2', 'y1\nz')).toBe('y1\nz');
    expect(keepLayout('a\n\nc', 'a\n\nc', 'a\n  b\n  b2\n\n  d\nc')).toBe('a\n  b\n  b2\n  d\n\nc');
  });
});
