import { afterEach, describe, expect, it } from '@jest/globals';
import {
  borrowMetricServer,
  closeTransports,
} from '../../../../activities/adapters/shared-transports.js';
import type { PrometheusSettings } from '../../../../domain/policy.js';

const SETTINGS: PrometheusSettings = {
  ...{ url: 'https://prometheus.invalid', caFile: null, tokenFile: null },
  ...{ match: { cluster: 'a' }, staleAfterMs: 120_000 },
};

describe('a Prometheus of several clusters', () => {
  afterEach(closeTransports);

  const batcherOf = (change: Partial<PrometheusSettings> = {}): unknown =>
    borrowMetricServer({ ...SETTINGS, ...change }).value.batcher;

  it('has one queue for all of them, so that its limit of queries holds', () => {
    expect(batcherOf({ match: { cluster: 'b' } })).toBe(batcherOf());
  });

  it.each([
    ['address', { url: 'https://other.invalid' }],
    ['token', { tokenFile: '/run/token' }],
    ['authority', { caFile: '/run/ca.pem' }],
  ])('of another %s is another one', (_name, change) => {
    expect(batcherOf(change)).not.toBe(batcherOf());
  });
});
