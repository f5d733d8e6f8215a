import { describe, expect, it } from '@jest/globals';
import { createPrometheusSource } from '../../activities/adapters/metrics/prometheus.js';
import { prometheusSettings, writtenMetricSources } from '../../config/kinds/metric-sources.js';

const WRITTEN = { url: 'https://prometheus.example/tenant', match: { cluster: 'prod-1' } };

function problemsOf(change: object): readonly string[] {
  const read = writtenMetricSources.safeParse({ prometheus: { ...WRITTEN, ...change } });
  return read.success ? [] : read.error.issues.map(({ message }) => message);
}

describe('sources of metrics', () => {
  it('have their defaults written out, and paths from the folder of their file', () => {
    const written = { ...WRITTEN, caFile: 'ca.pem', tokenFile: '/run/token' };
    const sources = writtenMetricSources.parse({ prometheus: written });
    expect(prometheusSettings(sources, '/etc/fleet/policy.yaml')).toEqual({
      url: WRITTEN.url,
      caFile: '/etc/fleet/ca.pem',
      tokenFile: '/run/token',
      match: { cluster: 'prod-1' },
      staleAfterMs: 120_000,
    });
  });

  it('name no files that are not written, and no server at all without one', () => {
    const settings = prometheusSettings(writtenMetricSources.parse({ prometheus: WRITTEN }), 'p');
    expect(settings).toMatchObject({ caFile: null, tokenFile: null });
    expect(prometheusSettings(writtenMetricSources.parse({}), 'p')).toBeNull();
  });

  it.each([
    ['plain http', { url: 'http://prometheus.example' }, 'must be https://: a forged answer'],
    ['a name that begins like loopback', { url: 'http://127.0.0.1.example' }, 'must be https://'],
    ['a user', { url: 'https://me@prometheus.example' }, 'without user, query or fragment'],
    ['a query', { url: 'https://prometheus.example?a' }, 'without user, query or fragment'],
    ['no address', { url: 'prometheus' }, 'must be an address such as'],
    ['no labels', { match: {} }, 'name a label that tells this cluster from others'],
    ['an empty label', { match: { cluster: '' } }, 'matches series without the label'],
    ['a label of Prometheus', { match: { __name__: 'up' } }, 'of Prometheus itself'],
    ['a label that is an expression', { match: { 'a=~"': 'b' } }, 'Invalid key'],
    ['a scrape that is never stale', { staleAfter: '1h' }, 'between 15s and 10m'],
    ['a duration without unit', { staleAfter: '120' }, 'with its unit'],
    ['an unknown member', { token: 'secret' }, 'Unrecognized key'],
  ])('are refused with %s, in words that teach', (_name, change, words) => {
    expect(problemsOf(change).join('\n')).toContain(words);
  });

  it.each(['http://127.0.0.1:9090', 'http://[::1]:9090/', 'https://10.0.0.1/prom'])(
    'accept the address that the adapter accepts: %s',
    async (url) => {
      expect(problemsOf({ url })).toEqual([]);
      await createPrometheusSource({ url, caFile: null, tokenFile: null }).close();
    },
  );
});
