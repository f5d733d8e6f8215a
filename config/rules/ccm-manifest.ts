import { parseYamlDocuments } from '../../domain/documents/parsed-documents.js';
import type { MigrationPolicy } from '../kinds/migration-policy.js';

type Ccm = MigrationPolicy['spec']['ccm'];

/** What is wrong with the CCM's manifest text, for the policy that names it; null when it will do. */
export function manifestComplaint(text: string, ccm: Ccm): string | null {
  const { documents, problems } = parseYamlDocuments(text);
  const [first] = problems;
  if (first !== undefined) {
    return `is not valid YAML at ${String(first.line)}:${String(first.column)}: ${first.message}`;
  }
  const [document, ...others] = documents;
  if (document === undefined || others.length > 0) {
    return `must hold exactly one document, found ${String(documents.length)}`;
  }
  const wanted = ccm.deployAs === 'staticPod' ? 'Pod' : 'DaemonSet';
  const kind = member(document.value, 'kind');
  if (kind !== wanted)
    return `must be a ${wanted} for deployAs: ${ccm.deployAs}, found ${String(kind)}`;
  return imageComplaint(document.value, wanted, ccm.image);
}

function imageComplaint(
  manifest: unknown,
  kind: 'Pod' | 'DaemonSet',
  image: string,
): string | null {
  const spec = member(manifest, 'spec');
  const podSpec = kind === 'Pod' ? spec : member(member(spec, 'template'), 'spec');
  const containers = member(podSpec, 'containers');
  const images = Array.isArray(containers) ? containers.map((one) => member(one, 'image')) : [];
  if (images.length !== 1) return `must have exactly one container, found ${String(images.length)}`;
  return images[0] === image ? null : `runs image "${String(images[0])}", ccm.image is "${image}"`;
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
