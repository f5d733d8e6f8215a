import { z } from 'zod';
import type { CloudLists } from '../../ports.js';
import type { HttpClient } from '../http/http.js';
import { checkedAnswer } from '../machines/node-access-http.js';

/** Names and addresses without spaces, which people read on terminals: an ARN of a target has at most some hundred characters. */
const word = z.string().regex(/^[!-~]{1,512}$/);

const CloudBalancerAnswer = z.object({
  id: word,
  addresses: z.array(word).max(100),
  pools: z.array(word).max(1000),
});

/** Read whole or not at all: a page of a list would look like a loss. */
const CloudBalancersAnswer = z
  .object({
    items: z.array(CloudBalancerAnswer).max(20_000),
    pools: z.record(word, z.array(word).max(20_000)),
  })
  .refine(({ items }) => new Set(items.map(({ id }) => id)).size === items.length, {
    message: 'names one load balancer twice',
  })
  .refine(
    ({ items, pools }) =>
      items.every((each) => each.pools.every((name) => Object.hasOwn(pools, name))),
    { message: 'names a pool that is not there' },
  );

/** A cloud's own lists by docs/contracts/cloud-api.md. */
export function createCloudLists(http: HttpClient): CloudLists {
  return {
    loadBalancers: async (options) => {
      const what = 'list load balancers of the cloud';
      const path = '/v1/load-balancers';
      const { json } = await http.send(
        { what, method: 'GET', path, safe: true, answer: 'list' },
        options,
      );
      const { items: balancers, pools } = checkedAnswer(CloudBalancersAnswer, json, what);
      return { balancers, pools };
    },
  };
}
