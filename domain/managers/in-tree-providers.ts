/** A provider that once lived in the Kubernetes tree, and the last KCM minor that has its code. */
interface InTreeProvider {
  readonly lastMinor: number;
  readonly source: string;
  /** Why its CCM cannot read the same `--cloud-config` file as the KCM. */
  readonly otherConfiguration?: string;
}

/**
 * Sources are directory listings of kubernetes/legacy-cloud-providers v0.25 to v0.31, k8s.io/cloud-provider
 * plugins.go and the pull requests that removed them.
 */
const IN_TREE: ReadonlyMap<string, InTreeProvider> = new Map([
  ['openstack', { lastMinor: 25, source: 'removed in 1.26' }],
  ['aws', { lastMinor: 26, source: 'removed in 1.27' }],
  ['azure', { lastMinor: 29, source: 'kubernetes/kubernetes#122857' }],
  [
    'vsphere',
    {
      lastMinor: 29,
      source: 'kubernetes/kubernetes#122857',
      // kubernetes/legacy-cloud-providers v0.29.0 vsphere/vsphere.go readConfig; kubernetes/cloud-provider-vsphere
      // v1.30.1 pkg/common/config/config.go ReadConfig. All others still read the old format: INI (aws, gce,
      // openstack), JSON (azure).
      otherConfiguration:
        'INI with [Workspace] for the KCM, YAML for the CCM, which reads INI only as deprecated',
    },
  ],
  ['gce', { lastMinor: 30, source: 'kubernetes/kubernetes#124519' }],
]);

/** Removed in 2019, before 1.17. Source: k8s.io/cloud-provider plugins.go history. */
const LONG_GONE: ReadonlySet<string> = new Set(['ovirt', 'cloudstack', 'photon']);

/**
 * The last minor whose KCM has loops for a registered provider; from 1.32 the flag must be empty or `external`. Source:
 * kubernetes/kubernetes#128197.
 */
const LAST_MINOR_WITH_LOOPS = 31;

/**
 * Whether a KCM of this minor with this `--cloud-provider` really runs cloud controllers. Names that
 * Kubernetes never shipped belong to custom builds: they run as long as the KCM has the loops. Empty means
 * loops without a provider, which run nothing.
 */
export function hasCloudLoops(provider: string, minor: number): boolean {
  if (provider === '' || provider === 'external' || LONG_GONE.has(provider)) return false;
  return minor <= (IN_TREE.get(provider)?.lastMinor ?? LAST_MINOR_WITH_LOOPS);
}

/** Last KCM minor with cloud controllers for this provider; null when no supported one has them. */
export function lastMinorWithLoops(provider: string): number | null {
  if (provider === '' || provider === 'external' || LONG_GONE.has(provider)) return null;
  return IN_TREE.get(provider)?.lastMinor ?? LAST_MINOR_WITH_LOOPS;
}

/** Whether gate DisableCloudProviders applies to this name (k8s.io/cloud-provider plugins.go, IsDeprecatedInternal). */
export function isLegacyProvider(provider: string): boolean {
  return IN_TREE.has(provider);
}

/**
 * Whether KCM and CCM of this provider always have different cloud configurations, so that a difference means nothing.
 */
export function hasOtherConfiguration(provider: string): boolean {
  return IN_TREE.get(provider)?.otherConfiguration !== undefined;
}
