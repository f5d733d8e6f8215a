import type { ClusterInventory } from '../kinds/cluster-inventory.js';
import type { ConfigProblem } from '../problems.js';
import type { ValidDocument } from '../validated-documents.js';
import { problemAt } from '../validated-documents.js';
import type { Complain, DocumentPath } from './complain.js';

/** A cluster is addressed by its name, so names must be unique across all inventories that are read together. */
export function repeatedNames(
  inventories: readonly ValidDocument<ClusterInventory>[],
): readonly ConfigProblem[] {
  const seen = new Map<string, ValidDocument<ClusterInventory>>();
  const problems: ConfigProblem[] = [];
  for (const inventory of inventories) {
    const { file, content, source } = inventory;
    content.spec.clusters.forEach(({ name }, index) => {
      const first = seen.get(name) ?? inventory;
      if (seen.has(name)) {
        const where = first === inventory ? '' : ` in inventory ${first.content.metadata.name}`;
        problems.push(
          problemAt(file, source, {
            path: ['spec', 'clusters', index, 'name'],
            about: 'value',
            message: `a cluster named "${name}" is already defined${where}`,
            code: 'CCM5009',
          }),
        );
      }
      seen.set(name, first);
    });
  }
  return problems;
}

/** Reports each text of a list that is in it before. */
export function repeatedInList(
  texts: readonly string[],
  path: DocumentPath,
  complain: Complain,
): void {
  const seen = new Set<string>();
  for (const [index, text] of texts.entries()) {
    if (seen.has(text)) {
      const message = `"${text}" is already in this list`;
      complain({ path: [...path, index], message, code: 'CCM5009' });
    }
    seen.add(text);
  }
}
