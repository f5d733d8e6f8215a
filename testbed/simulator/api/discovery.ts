import { RESOURCES, apiVersionOf, type ResourceKind } from '../store/resources.js';
import { json } from '../../base/http/answers.js';
import type { ServedAnswer } from '../../base/http/request.js';

const VERBS = [
  ...['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
];
const REVIEWS = 'authorization.k8s.io/v1';

/** Discovery paths, which a client may read before it knows the API; null for any other path. */
export function discover(path: string, gitVersion: string): ServedAnswer | null {
  switch (path) {
    case '/version':
      return json(200, versionOf(gitVersion));
    case '/readyz':
    case '/livez':
    case '/healthz':
      return { kind: 'text', code: 200, text: 'ok' };
    case '/api':
      return json(200, { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] });
    case '/apis':
      return json(200, { kind: 'APIGroupList', apiVersion: 'v1', groups: groups() });
    default:
      return resourceList(path);
  }
}

function versionOf(gitVersion: string): object {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return { major, minor, gitVersion, platform: 'linux/amd64', compiler: 'gc' };
}

function groupVersions(): readonly string[] {
  return [...new Set([...RESOURCES.map(apiVersionOf), REVIEWS])].filter((one) => one !== 'v1');
}

function groups(): readonly object[] {
  return groupVersions().map((groupVersion) => {
    const [name = '', version = ''] = groupVersion.split('/');
    return {
      name,
      versions: [{ groupVersion, version }],
      preferredVersion: { groupVersion, version },
    };
  });
}

function resourceList(path: string): ServedAnswer | null {
  const groupVersion = path.replace(/^\/apis?\//, '').replace(/\/$/, '');
  const isCore = path.startsWith('/api/') && groupVersion === 'v1';
  const isGroup = path.startsWith('/apis/') && groupVersions().includes(groupVersion);
  if (!isCore && !isGroup) return null;
  const served = RESOURCES.filter((entry) => apiVersionOf(entry) === groupVersion);
  const resources = served.flatMap(described);
  return json(200, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources });
}

function described(entry: ResourceKind): readonly object[] {
  const { resource: name, kind, namespaced } = entry;
  const own = { name, singularName: kind.toLowerCase(), namespaced, kind, verbs: VERBS };
  const status = {
    ...own,
    name: `${name}/status`,
    singularName: '',
    verbs: ['get', 'patch', 'update'],
  };
  const eviction = {
    name: 'pods/eviction',
    singularName: '',
    namespaced: true,
    group: 'policy',
    version: 'v1',
    kind: 'Eviction',
    verbs: ['create'],
  };
  return [own, ...(entry.status ? [status] : []), ...(name === 'pods' ? [eviction] : [])];
}
