import { describe, expect, it } from '@jest/globals';
import {
  matchersOf,
  narrowed,
  selectorFrom,
  selectorText,
} from '../../../../domain/gates/own/series-selector.js';

describe('a selector of series', () => {
  it.each([
    ['requests_total', 'requests_total'],
    [' a:b { } ', 'a:b'],
    ['a{b="c",}', 'a{b="c"}'],
    ['a { b =~ "5..", c!="}\\"" , d!~`x"` }', 'a{b=~"5..",c!="}\\"",d!~`x"`}'],
    ["a{b='\\''}", "a{b='\\''}"],
  ])('is read from %s', (text, written) => {
    const found = selectorFrom(text);
    expect(found.kind === 'measured' && selectorText(found.value)).toBe(written);
  });

  it.each([
    ['', 'is no selector'],
    ['sum(a)', 'is no selector'],
    ['a[5m]', 'is no selector'],
    ['a offset 5m', 'is no selector'],
    ['{a="b"}', 'is no selector'],
    ['a{b="c"', 'is no selector'],
    ['a{b}', 'labels that cannot be read'],
    ['a{b="c" d="e"}', 'labels that cannot be read'],
    ['a{b="c"} or up{x="y"}', 'labels that cannot be read'],
    ['a{b="\n"}', 'labels that cannot be read'],
    ['a{,}', 'labels that cannot be read'],
    ['a{__name__="b"}', 'names its metric twice'],
  ])('is not read from %j', (text, why) => {
    expect(selectorFrom(text)).toEqual({
      ...{ kind: 'unmeasured', why: expect.stringContaining(why) },
    });
  });

  it('is narrowed to clusters, each of their values taken literally', () => {
    const others = matchersOf([{ cluster: 'a.b"\n', zone: 'x' }, { cluster: 'c|d' }]);
    const selector = narrowed(
      { name: 'a', matchers: [{ label: 'b', operator: '=', value: '"c"' }] },
      others,
    );
    expect(selectorText(selector)).toBe(String.raw`a{b="c",cluster=~"a\\.b\"\n|c\\|d",zone=~"|x"}`);
  });
});
