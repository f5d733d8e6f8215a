import { z } from 'zod';
import { duration } from '../duration.js';
import { percent } from '../percent.js';
import { clusterSelection } from './cluster-selection.js';
import { dnsName } from './envelope.js';
import { maintenanceWindow } from './maintenance-window.js';

const MOST_CLUSTERS = 20_000;

const canary = z
  .strictObject({
    count: z.number().int().min(1).max(MOST_CLUSTERS).optional().meta({
      description:
        'How many: the first clusters of the wave in the order of the inventories. 1 unless names are given.',
    }),
    names: z
      .array(dnsName)
      .min(1)
      .optional()
      .meta({ description: 'Which clusters of the wave, instead of a count.' }),
    rehearseRollback: z.boolean().default(false).meta({
      description: 'Whether each canary is migrated, rolled back and migrated again.',
    }),
  })
  .meta({
    description:
      'Clusters that migrate first. The others of the wave wait until all canaries have ended and at least one of them is proven.',
  });

const done = z
  .strictObject({
    proven: percent('Share of the wave that must be proven; rounded down, at least one.').default(
      '95%',
    ),
    within: duration(
      '1m',
      '720h',
      'How long after its first start the wave waits for that share before it holds.',
    ).default('24h'),
  })
  .meta({
    description:
      'When the next wave may begin although some clusters have not ended: those move to a last pass. Without it every cluster must have ended.',
  });

const approvalDemand = z.enum(['required', 'notRequired']);

const approvals = z
  .strictObject({
    before: approvalDemand.default('required').meta({
      description: 'Whether people must approve before the first start of the wave.',
    }),
    after: approvalDemand.default('notRequired').meta({
      description:
        'Whether people must approve after the last end, before the next wave begins or the fleet ends.',
    }),
    quorum: z
      .number()
      .int()
      .min(1)
      .max(100)
      .default(1)
      .meta({ description: 'How many different people must approve, each time.' }),
    approvers: z.array(z.string().min(1).max(253)).max(1000).optional().meta({
      description:
        'Who may approve, as principals where an access policy is set; anyone when omitted. Who asked for the fleet cannot approve it.',
    }),
  })
  .meta({ description: 'Where the wave waits for people. Without it no one is asked.' });

/** Clusters of a fleet that migrate together, with what differs from the fleet. */
export const waveSpec = z.strictObject({
  name: dnsName.meta({ description: 'Unique in the fleet.' }),
  selector: clusterSelection(
    'Which clusters of the fleet the wave contains; all of them when omitted. A cluster is in one wave only.',
  ),
  canary: canary.optional(),
  soak: duration(
    '0s',
    '24h',
    'How long each completed migration of the wave is watched, instead of the soak of the policy.',
  ).optional(),
  soakLimit: duration(
    '1m',
    '720h',
    'Longest soak of one cluster, with its interruptions, before a person must judge it. No limit when omitted.',
  ).optional(),
  done: done.optional(),
  approvals: approvals.optional(),
  windows: z.array(maintenanceWindow).max(50).default([]).meta({
    description:
      'When clusters of the wave may start to change; at any time when empty. Overlapping windows are one.',
  }),
  excludedDates: z
    .array(z.iso.date('write a date as YYYY-MM-DD, for example 2026-12-24'))
    .max(1000)
    .default([])
    .meta({
      description:
        'Dates on which no cluster starts to change, from midnight to midnight in the time zone of each window; in UTC without windows.',
    }),
  policy: dnsName.optional().meta({
    description: 'metadata.name of a MigrationPolicy for this wave, instead of that of the fleet.',
  }),
});

export type WaveSpec = z.output<typeof waveSpec>;
