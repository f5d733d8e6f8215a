import { CLOUD_NODE, isEnabled } from '../managers/controller-names.js';
import { isLegacyProvider } from '../managers/in-tree-providers.js';
import { minorOf } from '../managers/minors.js';
import { listFlag, parseArguments } from '../managers/arguments.js';
import { readManagerManifest } from '../manifests/manifest.js';
import type { ControlPlaneNode } from '../observation/observation.js';
import type { Check, PreflightInput } from './preflight-check.js';
import { checkNodes, checkOf, found } from './preflight-check.js';

/** CCM12xx: nodes. */
export const NODE_CHECKS: readonly Check[] = [
  {
    name: 'nodes are Ready',
    codes: ['CCM1201'],
    inspect: ({ observation: { nodes, inventory } }) => {
      const { total, ready } = inventory.workers;
      return [
        ...nodes
          .filter((node) => node.ready !== 'yes')
          .flatMap(({ name, ready: state }) =>
            found('CCM1201', {
              subject: `node ${name}`,
              seen: state === 'no' ? 'not Ready' : 'unknown',
            }),
          ),
        ...(ready < total
          ? found('CCM1201', {
              subject: 'worker nodes',
              seen: `${total - ready} of ${total} not Ready`,
              severity: 'warning',
            })
          : []),
      ];
    },
  },
  checkOf('nodes have a providerID', 'CCM1202', 'nodes', ({ observation: { inventory } }) => {
    const without = inventory.nodes.withoutProviderId;
    const named = about(inventory.exceptions, 'providerID');
    return without === 0 ? null : [`${without} without`, ...named].join('; ');
  }),
  checkNodes('providerIDs are of this provider', 'CCM1203', ({ providerId }, input) => {
    if (providerId === null || isOwn(providerId, input)) return null;
    return providerId === '' ? 'empty' : providerId;
  }),
  checkNodes('hostnames are Node names', 'CCM1204', ({ name, hostname }) =>
    hostname === null || hostname === name ? null : `hostname ${hostname}`,
  ),
  checkOf('one writer of addresses', 'CCM1205', 'kubelets', ({ observation, extra, policy }) => {
    const { total, kubeletInTree, kubeletExternal } = observation.inventory.workers;
    const inTree = observation.nodes.filter(hasInTreeKubelet).length + kubeletInTree;
    const unread = total - kubeletInTree - kubeletExternal;
    if (inTree + unread === 0 || !runsCloudNode(extra.ccmManifest, policy.ccm.version)) return null;
    return `${inTree} with an in-tree provider${unread === 0 ? '' : `, ${unread} not asked`}`;
  }),
  checkNodes('nodes can be reached', 'CCM1207', hidden),
  checkOf(
    'hosts of the control plane are looked at',
    'CCM1210',
    'control-plane nodes',
    ({ extra: { notChecked = [] } }) =>
      notChecked.length === 0 ? null : `no node access; not inspected: ${notChecked.join('; ')}`,
  ),
  {
    ...checkOf(
      'the API has an address of its own',
      'CCM1208',
      'API endpoint',
      ({ extra: { apiEndpointNode = null }, observation: { nodes } }) =>
        apiEndpointNode === null || nodes.length < 2 ? null : `address of node ${apiEndpointNode}`,
    ),
    isSeen: ({ extra }) => extra.apiEndpointNode !== undefined,
  },
  checkOf('nodes are initialised', 'CCM1209', 'nodes', ({ observation: { inventory } }) => {
    const { uninitialized } = inventory.workers;
    return uninitialized === 0 ? null : `${uninitialized} with the uninitialized taint`;
  }),
];

export function about(exceptions: readonly string[], word: string): readonly string[] {
  return exceptions.filter((text) => text.includes(word));
}

/** `PROVIDER://...`; custom builds choose their own prefix, but one for all nodes. */
function isOwn(providerId: string, { policy: { source }, observation }: PreflightInput): boolean {
  const word = providerWord(providerId);
  if (word === null) return false;
  if (isLegacyProvider(source.cloudProvider)) return word === source.cloudProvider;
  const words = observation.nodes.map((node) => providerWord(node.providerId ?? ''));
  return word === words.find((one) => one !== null);
}

function providerWord(providerId: string): string | null {
  return /^([a-z][a-z0-9.+-]*):\/\/.+/.exec(providerId)?.[1] ?? null;
}

function hasInTreeKubelet({ kubeletCloudProvider }: ControlPlaneNode): boolean {
  return kubeletCloudProvider === 'inTree';
}

/** A missing or unreadable manifest counts as one with the default: the controller runs. */
function runsCloudNode(ccmManifest: string | undefined, version: string): boolean {
  const result = readManagerManifest(ccmManifest ?? '');
  if (result.kind === 'invalid') return true;
  const flag = listFlag(parseArguments(result.manifest.arguments), 'controllers');
  return isEnabled(flag, CLOUD_NODE, minorOf(version) ?? 0);
}

function hidden({ reachable, kcm, ccm }: ControlPlaneNode): string | null {
  if (!reachable) return 'files and processes cannot be read';
  const unknown = [kcm.manifest, ccm.manifest].filter((manifest) => manifest.state === 'unknown');
  return unknown.length === 0 ? null : unknown.map(({ why }) => why).join('; ');
}
