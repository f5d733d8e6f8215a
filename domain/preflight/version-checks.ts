import { APISERVER_CLOUD_FLAGS_REMOVED_IN } from '../managers/feature-gates.js';
import { hasCloudLoops } from '../managers/in-tree-providers.js';
import { kcmSettings, type DroppedSetting } from '../managers/kcm-settings.js';
import { compareVersions, isSupportedMinor, minorOf } from '../managers/minors.js';
import { RENAMED_IN_MINOR } from '../managers/controller-names.js';
import { parseArguments } from '../managers/arguments.js';
import { readManagerManifest } from '../manifests/manifest.js';
import type { ManagerConfig } from '../observation/observation.js';
import type { MigrationPolicy } from '../policy.js';
import type { Check, PreflightInput } from './preflight-check.js';
import {
  checkManagers,
  checkOf,
  forEach,
  found,
  foundAt,
  inTreeKcms,
  NO_FINDINGS,
} from './preflight-check.js';

/** CCM11xx: versions and providers. */
export const VERSION_CHECKS: readonly Check[] = [
  checkOf('the source version has cloud loops', 'CCM1101', 'policy.source', ({ policy }) => {
    const { cloudProvider, version } = policy.source;
    if (hasCloudLoops(cloudProvider, minorOf(version) ?? 0)) return null;
    return `--cloud-provider=${cloudProvider} at ${version}`;
  }),
  {
    name: 'no manager newer than its API server',
    codes: ['CCM1102'],
    inspect: (input) => {
      const [oldest = ''] = input.observation.apiServers.versions;
      const newer = (version: string): string | null =>
        isNewer(version, oldest) ? `${version} with an API server of ${oldest}` : null;
      return [
        ...forEach(input.managers, 'CCM1102', ({ version }) => newer(version)),
        ...planned(input).flatMap(([subject, version]) =>
          foundAt('CCM1102', subject, newer(version)),
        ),
      ];
    },
  },
  {
    name: 'API servers without cloud flags',
    codes: ['CCM1103'],
    // One that could not be read may have any flag.
    isSeen: ({ extra: { apiServerArguments = {} }, observation: { nodes } }) =>
      nodes.length > 0 && nodes.every(({ name }) => Object.hasOwn(apiServerArguments, name)),
    inspect: ({ extra: { apiServerArguments = {} }, policy: { target } }) => {
      const gone = (minorOf(target.version) ?? 0) >= APISERVER_CLOUD_FLAGS_REMOVED_IN;
      return Object.entries(apiServerArguments).flatMap(([node, words]) => {
        const names = parseArguments(words).map(({ name }) => name);
        const flags = names.filter((name) => name === 'cloud-provider' || name === 'cloud-config');
        const seen = flags.map((flag) => `--${flag}`).join(' ');
        const subject = `node ${node} kube-apiserver`;
        const severity = gone ? 'error' : 'warning';
        return seen === '' ? [] : found('CCM1103', { subject, seen, severity });
      });
    },
  },
  {
    name: 'known versions',
    codes: ['CCM1104'],
    inspect: ({ policy }) =>
      versionsOf(policy).flatMap(([subject, version]) =>
        isSupportedMinor(minorOf(version) ?? 0)
          ? NO_FINDINGS
          : foundAt('CCM1104', subject, version === '' ? 'no version' : version),
      ),
  },
  checkOf('no downgrade', 'CCM1105', 'policy.target', ({ policy: { source, target } }) =>
    compareVersions(target.version, source.version) < 0
      ? `${source.version} → ${target.version}`
      : null,
  ),
  {
    name: 'no manager older than the skew policy allows',
    codes: ['CCM1106'],
    inspect: ({ observation, policy }) => {
      const newest = observation.apiServers.versions.at(-1) ?? '';
      return versionsOf(policy).flatMap(([subject, version]) => {
        const behind = (minorOf(newest) ?? 0) - (minorOf(version) ?? Number.POSITIVE_INFINITY);
        const seen = behind > 1 ? `${version} with an API server of ${newest}` : null;
        return foundAt('CCM1106', subject, seen);
      });
    },
  },
  checkManagers('the source is what runs', 'CCM1107', inTreeKcms, otherSource),
  checkOf('both sides spell controller names alike', 'CCM1108', 'policy', ({ policy }) => {
    const { source, ccm } = policy;
    const long = [source, ccm].map(({ version }) => (minorOf(version) ?? 0) >= RENAMED_IN_MINOR);
    return long[0] === long[1] ? null : `KCM ${source.version}, CCM library ${ccm.version}`;
  }),
  {
    name: 'no settings that the target KCM refuses',
    codes: ['CCM1109'],
    isSeen: ({ extra }) => extra.kcmManifests !== undefined,
    inspect: ({ extra: { kcmManifests = {} }, policy: { target } }) => {
      const lost = new Map<string, { readonly nodes: string[]; readonly idle: boolean }>();
      for (const [node, text] of Object.entries(kcmManifests)) {
        const dropped = droppedFor(text, target.version);
        const seen = dropped.map(({ setting, why }) => `${setting} (${why})`).join(', ');
        const idle = dropped.every((one) => one.idle);
        lost.set(seen, { idle, nodes: [...(lost.get(seen)?.nodes ?? []), node] });
      }
      lost.delete('');
      return [...lost].flatMap(([seen, { nodes, idle }]) =>
        found('CCM1109', {
          subject: `kube-controller-manager of ${nodes.join(', ')}`,
          seen,
          severity: idle ? 'info' : 'warning',
        }),
      );
    },
  },
];

function droppedFor(manifest: string, version: string): readonly DroppedSetting[] {
  const result = readManagerManifest(manifest);
  return result.kind === 'invalid'
    ? []
    : kcmSettings(result.manifest.arguments, minorOf(version) ?? 0).dropped;
}

/** The skew policy is about minors; patches do not matter. */
function isNewer(version: string, than: string): boolean {
  return (minorOf(version) ?? 0) > (minorOf(than) ?? Number.POSITIVE_INFINITY);
}

/**
 * Target versions that would run against the current API servers: always, unless new machines bring and use their own.
 */
function planned({ observation, policy }: PreflightInput): readonly (readonly [string, string])[] {
  const own = policy.nodes.forward === 'replace' && observation.apiServers.sharedAddress === 'no';
  return own
    ? []
    : [
        ['policy.target', policy.target.version],
        ['policy.ccm', policy.ccm.version],
      ];
}

function versionsOf({
  source,
  target,
  ccm,
}: MigrationPolicy): readonly (readonly [string, string])[] {
  return [
    ['policy.source', source.version],
    ['policy.target', target.version],
    ['policy.ccm', ccm.version],
  ];
}

function otherSource(config: ManagerConfig, { policy: { source } }: PreflightInput): string | null {
  const differences = [
    ['version', config.version, source.version],
    ['image', config.image, source.kcmImage],
    ['--cloud-provider', config.cloudProvider, source.cloudProvider],
  ].filter(([, runs, given]) => runs !== given);
  return differences.length === 0
    ? null
    : differences.map(([what, runs, given]) => `${what} ${runs}, policy ${given}`).join('; ');
}
