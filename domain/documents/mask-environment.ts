import type { Document } from 'yaml';
import { isMap, isNode, isScalar, isSeq, parseAllDocuments, visit } from 'yaml';

const MASK = '[redacted]';
/** `env` of containers; `extraEnvs` of kubeadm's ClusterConfiguration (v1beta4). */
const LISTS = ['env', 'extraEnvs'];

/**
 * A manifest for people: every value of an environment variable is masked, whatever its name, since nobody can
 * tell which of them are secret; all else stays to the letter. What cannot be read is not shown at all.
 */
export function maskEnvironment(text: string): string {
  const documents: readonly Document[] = [...parseAllDocuments(text, { schema: 'core' })];
  if (documents.some(({ errors }) => errors.length > 0)) return `# ${MASK}: not readable as YAML\n`;
  const ranges = documents.flatMap(valueRanges).sort(([one], [other]) => other - one);
  return ranges.reduce((masked, [start, end]) => {
    // A block scalar ends with the line break that the next line needs.
    const after = masked.slice(masked.slice(start, end).endsWith('\n') ? end - 1 : end);
    return `${masked.slice(0, start)}"${MASK}"${after}`;
  }, text);
}

type Range = readonly [start: number, end: number];

function valueRanges(document: Document): readonly Range[] {
  const ranges: Range[] = [];
  visit(document, {
    Pair(_index, { key, value }) {
      if (isScalar(key) && LISTS.includes(String(key.value)) && isSeq(value)) {
        ranges.push(...value.items.flatMap(valueOf));
      }
    },
  });
  return ranges;
}

function valueOf(item: unknown): readonly Range[] {
  if (!isMap(item)) return [];
  const pair = item.items.find(({ key }) => isScalar(key) && key.value === 'value');
  const node = pair?.value;
  const [start, end] = (isNode(node) ? node.range : null) ?? [0, 0];
  return end > start ? [[start, end]] : [];
}
