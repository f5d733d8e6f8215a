import { expect, it } from '@jest/globals';
import { API_FAULTS, strikeRun, type ApiFault } from './matrix.js';
import { strikeAll } from './strike-all.js';

/** `npm run test:faults`: every request of forward and rollback on one node, and some of those on three. */
const ALL = process.env['CCM_TEST_FAULTS'] === 'all';
/** Which part of all, to run several processes in parallel: `1/2`. */
const [PART, PARTS] = (process.env['CCM_TEST_FAULTS_PART'] ?? '1/1').split('/').map(Number);
const HOURS = 4 * 3600 * 1000;

/** Runs that together strike every request: few enough to be affordable, so many that most attempts of a step get through. */
const ON_ONE_NODE = 50;
/** Three nodes make more requests per attempt; 65 runs cost least, and a quarter of an hour has room for some of them. */
const ON_THREE_NODES = { runs: 65, some: [8, 29, 50] };
/**
 * What `npm test` takes: one run on one node for each kind of fault: refused, applied but not acknowledged, never answered, answered
 * wrongly.
 */
const SAMPLE = 7;
const SAMPLED: readonly ApiFault[] = ['conflict', 'resetAfter', 'hang', 'staleRead'];

const MINE = API_FAULTS.filter((_, nth) => nth % (PARTS ?? 1) === (PART ?? 1) - 1);
const inAll = ALL ? it : it.skip;

inAll.each(MINE)(
  '%s at any request on one node: ends right or waits with a reason, and no promise is broken',
  async (fault: ApiFault) => {
    const seen = await strikeAll({ fault, runs: ON_ONE_NODE, nodes: 1 });
    expect(seen.complaints).toEqual([]);
    expect(seen.struck).toBeGreaterThan(ON_ONE_NODE);
    expect(seen.missed).toEqual([]);
  },
  HOURS,
);

inAll.each(MINE)(
  '%s at some requests on three nodes',
  async (fault: ApiFault) => {
    const { runs, some } = ON_THREE_NODES;
    const seen = await strikeAll({ fault, runs, nodes: 3 }, some);
    expect(seen.complaints).toEqual([]);
  },
  HOURS,
);

it.each(SAMPLED)('a run with some requests hit by %s on one node ends correctly', async (fault) => {
  const seen = await strikeRun({ fault, nodes: 1, run: SAMPLE, runs: ON_ONE_NODE });
  expect(seen.complaints).toEqual([]);
  expect(seen.indexes.length).toBeGreaterThan(5);
});

it('a run without faults never holds and breaks no invariant', async () => {
  const golden = await strikeRun(null);
  expect(golden).toMatchObject({ indexes: [], holds: 0, complaints: [] });
});
