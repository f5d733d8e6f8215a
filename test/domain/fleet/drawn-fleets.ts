import fc from 'fast-check';
import type { FleetOrder, FleetScope } from '../../../domain/fleet/fleet-command.js';
import { MINUTE } from './given-fleet.js';

/** So many runs: CCM_TEST_FLEET=full. */
export const RUNS = process.env['CCM_TEST_FLEET'] === 'full' ? 10_000 : 300;

const policies = fc.record({
  inFlight: fc.integer({ min: 1, max: 4 }),
  unproven: fc.integer({ min: 4, max: 8 }),
  caps: fc.constantFrom({}, { region: 1 }, { region: 2 }),
  budget: fc.record({
    clusters: fc.integer({ min: 1, max: 12 }),
    counts: fc.constantFrom('inFlight', 'untilProven'),
  }),
  slowStart: fc.integer({ min: 1, max: 5 }),
  onFailure: fc.constantFrom('hold', 'rollBack'),
  unreachable: fc.constantFrom('skip', 'wait', 'fail'),
  busy: fc.constantFrom('skip', 'wait', 'fail'),
});

const waves = fc.array(
  fc.record({
    done: fc.constantFrom(null, { provenPercent: 60, withinMs: 60 * MINUTE }),
    soakLimitMs: fc.constantFrom(null, 30 * MINUTE),
    rehearseRollback: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

const clusters = fc.array(
  fc.record({
    wave: fc.nat(2),
    canary: fc.boolean(),
    region: fc.nat(2),
    expectedMs: fc.integer({ min: 1, max: 9 }),
  }),
  { minLength: 1, maxLength: 10 },
);

/** What each member does when it is asked to do something, in turn. */
const LIVES = ['well', 'fails', 'stalls', 'turns', 'dies', 'unreachable', 'busy'] as const;
const lives = fc.constantFrom<(typeof LIVES)[number]>('well', 'well', ...LIVES);

const scopes = fc.oneof(
  fc.constant<FleetScope>({ kind: 'fleet' }),
  fc.nat(2).map((wave): FleetScope => ({ kind: 'wave', wave })),
  fc.nat(2).map((region): FleetScope => ({ kind: 'group', group: `region=r${region}` })),
  fc
    .array(fc.nat(9), { minLength: 1, maxLength: 2 })
    .map((rows): FleetScope => ({ kind: 'rows', rows })),
);

const orders = fc.constantFrom<FleetOrder>(
  { verb: 'pause' },
  { verb: 'resume' },
  { verb: 'skip' },
  { verb: 'open' },
  { verb: 'retry', only: { kind: 'all' } },
  { verb: 'retry', only: { kind: 'skipped' } },
  { verb: 'stop' },
  { verb: 'rollBack' },
  { verb: 'rollForward' },
  { verb: 'set', inFlight: 1, unproven: 2 },
);

/** What chance does before each event. */
const chances = fc.array(
  fc.record({
    life: lives,
    pick: fc.nat(1000),
    lost: fc.nat(5),
    repeated: fc.boolean(),
    /** A run obeys an order to park that it was sent before. */
    parks: fc.boolean(),
    restarted: fc.boolean(),
    /** Runs of others in the first region, as the server lists them now; null where no one asks. */
    others: fc.option(fc.nat(2), { nil: null }),
    command: fc.option(
      fc.record({
        order: orders,
        scope: scopes,
        actor: fc.constantFrom('bo', 'bo', 'automation/am'),
      }),
      { freq: 12, nil: null },
    ),
  }),
  { minLength: 5, maxLength: 60 },
);

export const fleets = fc.record({ policy: policies, waves, clusters, chances });

export type AnyFleet = typeof fleets extends fc.Arbitrary<infer Value> ? Value : never;
