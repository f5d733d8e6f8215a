import type { Document } from 'yaml';
import { isMap, isNode, isScalar, isSeq, parseAllDocuments, visit } from 'yaml';
import { boundsProblem } from './bounds.js';
import { keysGivenTwice } from './parsed-documents.js';

const MASK = '[redacted]';
/** `env` of containers; `extraEnvs` of kubeadm's ClusterConfiguration (v1beta4). */
const LISTS = ['env', 'extraEnvs'];

/**
 * A manifest for display: every value of an environment variable is masked, whatever its name, because any of them may be
 * secret; everything else stays verbatim. What cannot be read is not shown at all.
 */
export function maskEnvironment(text: string): string {
  if (boundsProblem(text) !== null) return UNREADABLE;
  const documents: readonly Document[] = [
    ...parseAllDocuments(text, { schema: 'core', uniqueKeys: false }),
  ];
  if (documents.some((one) => one.errors.length + keysGivenTwice(one).length > 0))
    return UNREADABLE;
  const ranges = documents.flatMap(valueRanges).sort(([one], [other]) => one - other);
  const parts: string[] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    parts.push(text.slice(from, start), `"${MASK}"`);
    // A block scalar ends with the line break that the next line needs.
    from = text[end - 1] === '\n' ? end - 1 : end;
  }
  return [...parts, text.slice(from)].join('');
}

const UNREADABLE = `# ${MASK}: not readable as YAML\n`;

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
