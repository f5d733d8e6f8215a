import { describe, expect, it } from '@jest/globals';
import { createCloudLists } from '../../../../activities/adapters/cloud/cloud-http.js';
import type { HttpClient } from '../../../../activities/adapters/http/http.js';
import { failureTypeOf } from '../../../../activities/failures.js';

const BALANCER = { id: 'a1', addresses: ['198.18.0.1'], pools: ['all'] };
const POOLS = { all: ['worker-1'] };

function answering(json: Readonly<Record<string, unknown>>): ReturnType<typeof createCloudLists> {
  const send: HttpClient['send'] = () =>
    Promise.resolve({ status: 200, json, text: '', serverTimeMs: null });
  return createCloudLists({ send } as HttpClient);
}

describe("a cloud's answer", () => {
  it('is its load balancers, whatever else it says of them', async () => {
    const cloud = answering({ items: [{ ...BALANCER, region: 'eu' }], pools: POOLS, next: '' });
    expect(await cloud.loadBalancers()).toEqual({ balancers: [BALANCER], pools: POOLS });
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['no list', { pools: POOLS }],
    ['no pools', { items: [] }],
    ['a load balancer twice', { items: [BALANCER, BALANCER], pools: POOLS }],
    ['a pool that is not there', { items: [BALANCER], pools: {} }],
    ['no backends', { items: [{ ...BALANCER, pools: undefined }], pools: POOLS }],
    ['no name', { items: [{ ...BALANCER, id: '' }], pools: POOLS }],
    [
      'a name that writes to terminals',
      { items: [{ ...BALANCER, id: 'a\u001b[2J' }], pools: POOLS },
    ],
    ['a backend of two words', { items: [BALANCER], pools: { all: ['a b'] } }],
    ['an address that is no text', { items: [{ ...BALANCER, addresses: [1] }], pools: POOLS }],
    ['a name without end', { items: [{ ...BALANCER, id: 'x'.repeat(513) }], pools: POOLS }],
  ])('with %s is none', async (_name, json) => {
    const read = answering(json).loadBalancers();
    expect(await read.then(String, failureTypeOf)).toBe('Unavailable');
  });
});
