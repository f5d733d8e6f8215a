import { CLOUD_NODE, isEnabled } from '../managers/controller-names.js';
import { isLegacyProvider } from '../managers/in-tree-providers.js';
import { minorOf } from '../managers/minors.js';
import { listFlag, parseArguments } from '../managers/arguments.js';
import { readManagerManifest } from '../manifests/manifest.js';
import type { ControlPlaneNode } from '../observation/observation.js';
import type { Check, PreflightInput } from './check.js';
import { found, NO_FINDINGS } from './check.js';

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
  {
    name: 'nodes have a providerID',
    codes: ['CCM1202'],
    inspect: ({ observation: { inventory } }) =>
      inventory.nodes.withoutProviderId === 0
        ? NO_FINDINGS
        : found('CCM1202', {
            subject: 'nodes',
            seen: [
              `${inventory.nodes.withoutProviderId} without`,
              ...about(inventory.exceptions, 'providerID'),
            ].join('; '),
          }),
  },
  {
    name: 'providerIDs are of this provider',
    codes: ['CCM1203'],
    inspect: (input) =>
      input.observation.nodes.flatMap(({ name, providerId }) =>
        providerId === null || isOwn(providerId, input)
          ? []
          : found('CCM1203', {
              subject: `node ${name}`,
              seen: providerId === '' ? 'empty' : providerId,
            }),
      ),
  },
  {
    name: 'hostnames are Node names',
    codes: ['CCM1204'],
    inspect: ({ observation: { nodes } }) =>
      nodes.flatMap(({ name, hostname }) =>
        hostname === null || hostname === name
          ? []
          : found('CCM1204', { subject: `node ${name}`, seen: `hostname ${hostname}` }),
      ),
  },
  {
    name: 'one writer of addresses',
    codes: ['CCM1205'],
    inspect: ({ observation: { nodes, inventory }, extra, policy: { ccm } }) => {
      const { total, kubeletInTree, kubeletExternal } = inventory.workers;
      const inTree = nodes.filter(hasInTreeKubelet).length + kubeletInTree;
      const unread = total - kubeletInTree - kubeletExternal;
      if (inTree + unread === 0 || !runsCloudNode(extra.ccmManifest, ccm.version)) {
        return NO_FINDINGS;
      }
      const seen = `${inTree} with an in-tree provider${unread === 0 ? '' : `, ${unread} not asked`}`;
      return found('CCM1205', { subject: 'kubelets', seen });
    },
  },
  {
    name: 'nodes can be reached',
    codes: ['CCM1207'],
    inspect: ({ observation: { nodes } }) =>
      nodes.flatMap((node) => {
        const seen = hidden(node);
        return seen === null ? [] : found('CCM1207', { subject: `node ${node.name}`, seen });
      }),
  },
  {
    name: 'hosts of the control plane are looked at',
    codes: ['CCM1210'],
    inspect: ({ extra: { notChecked = [] } }) =>
      notChecked.length === 0
        ? NO_FINDINGS
        : found('CCM1210', {
            subject: 'control-plane nodes',
            seen: `no node access; not inspected: ${notChecked.join('; ')}`,
          }),
  },
  {
    name: 'the API has an address of its own',
    codes: ['CCM1208'],
    isSeen: ({ extra }) => extra.apiEndpointNode !== undefined,
    inspect: ({ extra: { apiEndpointNode = null }, observation: { nodes } }) =>
      apiEndpointNode === null || nodes.length < 2
        ? NO_FINDINGS
        : found('CCM1208', { subject: 'API endpoint', seen: `address of node ${apiEndpointNode}` }),
  },
  {
    name: 'nodes are initialised',
    codes: ['CCM1209'],
    inspect: ({ observation: { inventory } }) =>
      inventory.workers.uninitialized === 0
        ? NO_FINDINGS
        : found('CCM1209', {
            subject: 'nodes',
            seen: `${inventory.workers.uninitialized} with the uninitialized taint`,
          }),
  },
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
