import { apiReferences } from '../../domain/manifests/api-references.js';
import { parseYamlDocuments } from '../../domain/yaml/parsed-documents.js';
import { redact } from '../../domain/redaction.js';
import type { WrittenPolicy } from '../kinds/migration-policy.js';

type Ccm = Pick<WrittenPolicy['spec']['ccm'], 'deployAs' | 'image'>;

/** The problem of the CCM's manifest text, for the policy that names it; null when it is acceptable. */
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
  return (
    imageComplaint(document.value, wanted, ccm.image) ??
    (wanted === 'Pod' ? staticPodComplaint(text) : null) ??
    credentialComplaint(document.value, text)
  );
}

/** The kubelet runs a static pod from its file alone, without the API server: see `apiReferences`. */
function staticPodComplaint(text: string): string | null {
  const references = apiReferences(text);
  return references.length === 0
    ? null
    : `refers to ${references.join(', ')}, which no static pod can use: give it files of the node ` +
        '(hostPath; --kubeconfig for its identity), or use deployAs: daemonSet';
}

/** Variables that hold a secret themselves, and those that often name its file instead. */
const SECRET_VARIABLE = /SECRET|PASSWORD|PASSWD|TOKEN|KEY|(?:^|_)PASS(?:$|_)/i;
const SECRET_OR_FILE = /CREDENTIAL|(?:^|_)(?:CREDS?|AUTH)$/i;

/** The text becomes part of plans and histories, which others read. */
function credentialComplaint(document: unknown, text: string): string | null {
  const variable = secretsIn(document)[0];
  if (variable === undefined && redact(text) === text) return null;
  const what = variable === undefined ? 'what looks like a credential' : `a value for ${variable}`;
  return `holds ${what}, and would carry it into plans and histories: refer to a file or a Secret`;
}

/** Names of variables, wherever they stand and however they are written, that carry a secret as their value. */
function secretsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('{') ? secretsIn(parsedOrNull(value)) : [];
  if (typeof value !== 'object' || value === null) return [];
  const [name, given] = [member(value, 'name'), member(value, 'value')];
  const own = typeof name === 'string' && isSecret(name, given) ? [name] : [];
  return [...own, ...Object.values(value).flatMap(secretsIn)];
}

function isSecret(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (SECRET_VARIABLE.test(name)) return true;
  const isFile = typeof value === 'string' && value.startsWith('/');
  return SECRET_OR_FILE.test(name) && !isFile;
}

/** kubectl keeps what was applied as JSON in an annotation. */
function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
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
