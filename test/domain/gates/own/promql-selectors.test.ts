import { describe, expect, it } from '@jest/globals';
import { selectorsIn } from '../../../../domain/gates/own/promql-selectors.js';

describe('the series that an expression is calculated from', () => {
  it.each([
    ['a metric', 'up', ['up']],
    ['its labels', 'up{job="a",x=~"b{1,2}"}', ['up{job="a",x=~"b{1,2}"}']],
    ['no name', '{__name__="up"} offset 5m', ['{__name__="up"}']],
    ['brackets of its own', '(up)', ['up']],
    ['a range', 'rate(errors_total{code="500"}[5m])', ['errors_total{code="500"}']],
    ['a subquery', 'max_over_time(rate(a[1m])[10m:30s])', ['a']],
    ['a blank before the labels', 'up {a="b"}', ['up {a="b"}']],
    ['aggregations', 'sum by (job, up) (a) / SUM(b) without (c)', ['a', 'b']],
    ['labels on both sides', 'a / on (job) group_left (x) b', ['a', 'b']],
    ['ignored labels', 'a + ignoring(job) group_right() b', ['a', 'b']],
    ['words', 'a and b or c unless d > bool 1e5 atan2 inf', ['a', 'b', 'c', 'd']],
    ['the same twice', 'up / up', ['up']],
    ['a time', 'up @ 1609746000 + up @ start()', ['up']],
    ['names in texts', 'label_replace(up, "dst", `a(`, \'b{\', "c\\"[")', ['up']],
    ['a comment', 'up # of (all {jobs', ['up']],
    ['colons', 'job:errors:rate5m', ['job:errors:rate5m']],
    ['numbers alone', 'vector(1) + 0x1f', []],
    ['nothing', '', []],
  ])('are found beside %s', (_name, promql, selectors) => {
    expect(selectorsIn(promql)).toEqual({ kind: 'found', selectors });
  });

  it.each([
    ['an open bracket', 'sum(up', 'has brackets that do not match'],
    ['a bracket too many', 'up) or (up', 'has brackets that do not match'],
    ['crossed brackets', 'sum(up[5m)]', 'has brackets that do not match'],
    ['an open text', 'up{a="b}', 'has a text that does not end'],
  ])('are not told where there is %s', (_name, promql, why) => {
    expect(selectorsIn(promql)).toEqual({ kind: 'refused', why });
  });
});
