import type { ClusterInventory } from '../kinds/cluster-inventory.js';
import type { ConfigProblem } from '../problems.js';
import type { ValidDocument } from '../validated-documents.js';
import { problemAt } from '../validated-documents.js';

/** A cluster is addressed by its name, so names must be unique across all inventories that are read together. */
export function repeatedNames(
  inventories: readonly ValidDocument<ClusterInventory>[],
): readonly ConfigProblem[] {
  const seen = new Set<string>();
  const problems: ConfigProblem[] = [];
  for (const { file, content, source } of inventories) {
    content.spec.clusters.forEach(({ name }, index) => {
      if (seen.has(name)) {
        problems.push(
          problemAt(file, source, {
            path: ['spec', 'clusters', index, 'name'],
            about: 'value',
            message: `a cluster named "${name}" is already defined`,
            code: 'CCM5009',
          }),
        );
      }
      seen.add(name);
    });
  }
  return problems;
}
