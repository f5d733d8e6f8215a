import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { loadFleets } from '../../config/fleet.js';
import { metricGates } from '../../config/kinds/metric-gates.js';
import { unstatedMetricGates } from '../../config/normalised-policy.js';
import { plannedPolicy } from '../../config/outputs/planned-policy.js';
import { CCM_POD, FLEET, INVENTORY, POLICY, withFiles } from './given-files.js';

const WRITTEN = {
  ...{ name: 'ingressErrors', kind: 'gauge', promql: 'max by (cluster) (errors:ratio)' },
  limit: { above: 0.02 },
};

const RATIO = {
  ...{ name: 'ingressErrors', kind: 'ratio', limit: 0.02 },
  ...{ bad: 'requests_total{code=~"5.."}', total: 'requests_total' },
};
const QUANTILE = {
  ...{ name: 'ingressLatency', kind: 'quantile', limit: 0.5 },
  ...{ histogram: 'request_seconds{class="public"}', quantile: 0.99 },
};

function problemsOf(...own: readonly object[]): string {
  const read = metricGates.safeParse({ own: own.map((change) => ({ ...WRITTEN, ...change })) });
  return read.success ? '' : JSON.stringify(read.error.issues);
}

describe("an operator's own gate, as written", () => {
  it.each([
    ['is a gauge with a limit', {}],
    ['may have the least that is good', { limit: { below: -3 } }],
  ])('%s', (_name, change) => {
    expect(problemsOf(change)).toBe('');
  });

  it.each([
    ['no limit', { limit: undefined }, '"limit"'],
    ['an empty limit', { limit: {} }, '"above"'],
    ['two limits', { limit: { above: 1, below: 0 } }, '"below"'],
    ['NaN as limit', { limit: { above: Number.NaN } }, 'NaN'],
    ['an infinite limit', { limit: { below: Infinity } }, 'Infinity'],
    ['another kind', { kind: 'histogram' }, '"kind"'],
    ['a name of the catalogue', { name: 'nodeSyncErrors' }, 'a gate of this tool'],
    ['a name of the gates on objects', { name: 'cloudSight' }, 'a gate of this tool'],
    ['a name of the hard gates', { name: 'oneOwner' }, 'a gate of this tool'],
    ['a name that a line of the fence could not carry', { name: 'a: b' }, 'letters and digits'],
    ['a bracket that closes ours', { promql: 'up) or (up' }, 'brackets that do not match'],
    ['a text that does not end', { promql: 'up{a="}' }, 'text that does not end'],
    ['no series', { promql: 'vector(1)' }, 'nothing shows how old'],
    [
      'too many series',
      { promql: 'a+b+c+d+e+f+g+h+i' },
      'names 9 series, of at most 8: record it as a rule',
    ],
    ['an unknown member', { every: '5s' }, 'every'],
  ])('is refused with %s', (_name, change, words) => {
    expect(problemsOf(change)).toContain(words);
  });

  it.each<[string, object]>([
    ['bad events of all', RATIO],
    ['bad events of a metric of their own', { ...RATIO, bad: 'errors_total' }],
    ['slow events', QUANTILE],
  ])('may count %s', (_name, gate) => {
    expect(metricGates.safeParse({ own: [gate] }).error).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['no limit', { ...RATIO, limit: undefined }, '"limit"'],
    ['NaN as limit', { ...RATIO, limit: Number.NaN }, 'NaN'],
    ['a limit that lets nothing pass', { ...RATIO, limit: 0 }, '"limit"'],
    ['a limit that lets all pass', { ...RATIO, limit: 1 }, '"limit"'],
    ['a limit in percent', { ...RATIO, limit: 2 }, '"limit"'],
    ['a rate', { ...RATIO, bad: 'rate(errors_total[5m])' }, 'is no selector'],
    ['a range', { ...RATIO, total: 'requests_total[5m]' }, 'is no selector'],
    ['the same events twice', { ...RATIO, bad: 'requests_total' }, 'the same events as total'],
    ['an expression', { ...RATIO, promql: 'up' }, 'promql'],
    ['all events at most slow', { ...QUANTILE, quantile: 1 }, '"quantile"'],
    ['an edge that no bucket can have', { ...QUANTILE, limit: 0 }, '"limit"'],
    ['a bucket', { ...QUANTILE, histogram: 'a_bucket{le=}' }, 'cannot be read'],
  ])('that counts is refused with %s', (_name, gate, words) => {
    const read = metricGates.safeParse({ own: [gate] });
    expect(JSON.stringify(read.error?.issues ?? '')).toContain(words);
  });

  it('is part of the policy that a plan carries, and absent from one without', async () => {
    const own = `  gates: { metrics: { own: ${JSON.stringify([WRITTEN, { ...RATIO, name: 'errors' }, QUANTILE])} } }\n`;
    const metrics =
      "      metrics: { prometheus: { url: 'https://prom', match: { cluster: a } } }\n";
    const files = {
      ...{ 'fleet.yaml': FLEET, 'ccm.yaml': CCM_POD },
      ...{ 'policy.yaml': `${POLICY}${own}`, 'inventory.yaml': `${INVENTORY}${metrics}` },
    };
    const [fleet] = await withFiles(files, (folder) =>
      loadFleets(['fleet.yaml', 'policy.yaml', 'inventory.yaml'].map((name) => join(folder, name))),
    );
    expect(fleet?.policy.metricGates?.own).toEqual([
      WRITTEN,
      { ...RATIO, name: 'errors' },
      QUANTILE,
    ]);
    expect(plannedPolicy.parse(fleet?.policy)).toEqual(fleet?.policy);
    expect(unstatedMetricGates()).not.toHaveProperty('own');
  });

  it('has a name of its own', () => {
    expect(problemsOf({}, { name: 'other' })).toBe('');
    expect(problemsOf({}, {})).toContain('another gate of this list');
  });
});
