import { z } from 'zod';
import { duration } from '../duration.js';
import { percent } from '../percent.js';

const MOST_CLUSTERS = 20_000;

function clusterCount() {
  return z.number().int().min(1).max(MOST_CLUSTERS);
}

function instant() {
  return z.iso.datetime({
    offset: true,
    error: 'write date, time and offset, for example 2026-12-01T20:00:00+01:00',
  });
}

const startPolicy = z.enum(['skip', 'wait', 'fail']);

const failureBudget = z
  .strictObject({
    clusters: clusterCount().optional().meta({ description: 'How many clusters may fail.' }),
    percent: percent(
      'Share of the fleet that may fail, instead of a number; rounded down, at least one. 10% unless either is given.',
    ).optional(),
    counts: z.enum(['inFlight', 'untilProven']).default('inFlight').meta({
      description:
        'Which clusters reserve a place in the budget: those that change now, or also those that soak. The second is strict and slow.',
    }),
  })
  .meta({
    description:
      'How many clusters may fail. None starts while those that failed and those that still may fail use it up.',
  });

const correlated = z
  .strictObject({
    failures: clusterCount()
      .default(3)
      .meta({ description: 'How many clusters of a group fail with one cause.' }),
    share: percent('Share of the group that they are, of those that passed or failed.').default(
      '25%',
    ),
  })
  .meta({
    description:
      'When failures with one cause stop the narrowest group of clusters (those that share a label) that explains them.',
  });

/** What limits how a fleet moves. */
export const rollout = z.strictObject({
  inFlight: clusterCount()
    .default(10)
    .meta({ description: 'Most clusters that change at the same time.' }),
  unproven: clusterCount().optional().meta({
    description:
      'Most clusters that change, soak or are held; not below inFlight. Four times inFlight when omitted.',
  }),
  caps: z
    .record(
      z
        .string()
        .min(1)
        .max(317)
        .regex(/^[^=]+$/, 'a label cannot contain "="'),
      clusterCount(),
    )
    .default({})
    .meta({
      description:
        'For a label, most clusters with the same value of it that change at the same time, for example region: 8.',
    }),
  failureBudget: failureBudget.prefault({}),
  slowStart: clusterCount().default(4).meta({
    description: 'Most clusters that change at first; one more for each that passed.',
  }),
  correlated: correlated.prefault({}),
  stalledFor: duration(
    '10s',
    '24h',
    'How long a cluster that waits for something to heal keeps its place among those in flight.',
  ).default('10m'),
  onFailure: z.enum(['hold', 'rollBack']).default('hold').meta({
    description: 'What becomes of a cluster that fails: held for a person, or rolled back.',
  }),
  unreachable: startPolicy.default('skip').meta({
    description: 'What becomes of a cluster that cannot be reached when its turn comes.',
  }),
  busy: startPolicy.default('wait').meta({
    description: 'What becomes of a cluster that another run migrates when its turn comes.',
  }),
  drifted: startPolicy.default('skip').meta({
    description: 'What becomes of a cluster that no longer is as it was planned.',
  }),
  retryAfter: duration(
    '1s',
    '24h',
    'Pause before a start that found no worker, no cluster or another run is tried again.',
  ).default('5m'),
  approvalExpiry: duration('1m', '720h', 'How long an approval is valid.').default('24h'),
  startAt: instant()
    .optional()
    .meta({ description: 'No cluster starts earlier. ISO 8601 with an offset.' }),
  deadline: instant()
    .optional()
    .meta({ description: 'No cluster starts from then on. ISO 8601 with an offset.' }),
});

export type Rollout = z.output<typeof rollout>;
