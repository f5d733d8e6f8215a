import { z } from 'zod';
import { kindSchema, labels, dnsName } from './envelope.js';

const spec = z.strictObject({
  inventory: dnsName.meta({
    description: 'metadata.name of a ClusterInventory among the files given.',
  }),
  policy: dnsName.meta({
    description: 'metadata.name of a MigrationPolicy among the files given.',
  }),
  clusters: z
    .strictObject({
      names: z.array(dnsName).min(1).optional(),
      labels: labels.optional(),
    })
    .prefault({})
    .meta({
      description:
        'Which clusters of the inventory take part: by name, by labels (all must match), or all of them.',
    }),
});

/** Which clusters migrate, by which policy. One cluster is a fleet of one. */
export const FleetMigration = kindSchema('FleetMigration', spec).meta({
  title: 'FleetMigration',
  description: 'Which clusters migrate, and by which policy. One cluster is a fleet of one.',
});

export type FleetMigration = z.output<typeof FleetMigration>;
