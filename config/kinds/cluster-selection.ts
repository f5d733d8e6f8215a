import { z } from 'zod';
import { labels, dnsName } from './envelope.js';

/** Clusters by name, by labels, or all of them. */
export function clusterSelection(purpose: string) {
  return z
    .strictObject({
      names: z
        .array(dnsName)
        .min(1)
        .optional()
        .meta({ description: 'Clusters by their names in the inventory.' }),
      labels: labels.optional().meta({
        description:
          'Labels that a cluster must have, all of them. The label region is the region of a cluster, unless it has a label of that name.',
      }),
    })
    .prefault({})
    .meta({ description: purpose });
}

export type ClusterSelection = z.output<ReturnType<typeof clusterSelection>>;
