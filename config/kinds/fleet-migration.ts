import { z } from 'zod';
import { clusterSelection } from './cluster-selection.js';
import { kindSchema, dnsName } from './envelope.js';
import { rollout } from './rollout.js';
import { waveSpec } from './wave.js';

const spec = z.strictObject({
  inventory: dnsName.optional().meta({
    description: 'metadata.name of a ClusterInventory among the files given.',
  }),
  inventories: z.array(dnsName).min(1).max(100).optional().meta({
    description: 'Names of several ClusterInventory documents, instead of inventory.',
  }),
  policy: dnsName.meta({
    description: 'metadata.name of a MigrationPolicy among the files given.',
  }),
  clusters: clusterSelection(
    'Which clusters of the inventories take part: by name, by labels (all must match), or all of them.',
  ),
  waves: z
    .array(waveSpec)
    .min(1)
    .max(200)
    .prefault([{ name: 'all' }])
    .meta({
      description:
        'In which order the clusters migrate: a wave begins when the one before it is done. One wave with all clusters when omitted.',
    }),
  rest: z.enum(['refuse', 'skip']).default('refuse').meta({
    description: 'What a cluster in no wave means: a mistake, or that it is left out.',
  }),
  rollout: rollout.prefault({}).meta({
    description: 'What limits how the fleet moves: docs/fleets.md.',
  }),
});

/** Which clusters migrate, in which order and by which policy. One cluster is a fleet of one. */
export const FleetMigration = kindSchema('FleetMigration', spec).meta({
  title: 'FleetMigration',
  description:
    'Which clusters migrate, in which order and by which policy. One cluster is a fleet of one.',
});

export type FleetMigration = z.output<typeof FleetMigration>;
