import type { KubernetesVersion } from './kubernetes-version.js';

/** Path of the Go module generated for each version; our Go sources import each other by it. */
const MODULE_PATH = 'ccm-migrate.dev/lab';

/** Low on purpose, because it also sets GODEBUG defaults: Kubernetes 1.30 was released with 1.22. */
const GO_LINE = '1.22.0';

/** Environment of every `go build` here: nothing of the machine's own settings gets in. */
export const GO_SETTINGS = {
  CGO_ENABLED: '0',
  GOFLAGS: '-mod=mod',
  GOTOOLCHAIN: 'local',
  GOWORK: 'off',
} as const;

/** The programs of one version: ours by folder, upstream's by package. */
export const PROGRAMS = [
  { name: 'kube-apiserver', source: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  { name: 'kube-controller-manager', source: './kube-controller-manager' },
  { name: 'kube-scheduler', source: 'k8s.io/kubernetes/cmd/kube-scheduler' },
  { name: 'cloud-controller-manager', source: './cloud-controller-manager' },
  { name: 'kubelet', source: './kubelet' },
  { name: 'kubectl', source: 'k8s.io/kubernetes/cmd/kubectl' },
  { name: 'pause', source: './pause' },
] as const;

export type ProgramName = (typeof PROGRAMS)[number]['name'];

/**
 * go.mod for one version. k8s.io/kubernetes requires its staging modules at v0.0.0 and replaces them with folders,
 * which takes effect only in the main module; so ours replaces each with its release. The list comes from the real
 * go.mod because it differs between versions.
 */
export function goModule(version: KubernetesVersion, kubernetesGoMod: string): string {
  const staging = stagingModules(kubernetesGoMod);
  if (staging.length === 0) {
    throw new Error(`go.mod of k8s.io/kubernetes v${version.text} lists no staging module`);
  }
  const release = `v0.${version.minor}.${version.patch}`;
  return [
    `module ${MODULE_PATH}`,
    '',
    `go ${GO_LINE}`,
    '',
    `require k8s.io/kubernetes v${version.text}`,
    '',
    'replace (',
    ...staging.map((module) => `\t${module} => ${module} ${release}`),
    ')',
    '',
  ].join('\n');
}

/** Modules that go.mod requires at v0.0.0 or replaces with a folder of the same repository. */
function stagingModules(kubernetesGoMod: string): readonly string[] {
  const named = kubernetesGoMod
    .split('\n')
    .map((line) => line.replace(/\/\/.*$/, '').trim())
    .flatMap((line) => {
      const [, module] =
        /^(?:require\s+|replace\s+)?(k8s\.io\/[a-z-]+)\s+(?:v0\.0\.0|=>\s*\.\/staging\/\S+)$/.exec(
          line,
        ) ?? [];
      return module === undefined ? [] : [module];
    });
  return [...new Set(named)].sort();
}

/** Flags of `go build` besides programs and output. All of them are recorded in the cache's manifest. */
export function buildFlags(version: KubernetesVersion): readonly string[] {
  const stamps = {
    gitVersion: `v${version.text}`,
    gitMajor: '1',
    gitMinor: String(version.minor),
    gitTreeState: 'clean',
    gitCommit: 'lab',
  };
  // Both packages hold a version: a process reports the first, and its clients put the second into their user agent.
  const linker = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) =>
    Object.entries(stamps).map(([name, value]) => `-X ${path}.${name}=${value}`),
  );
  // providerless: no vendor's cloud in the KCM; with them the API server does not compile (ambiguous import).
  return [
    '-tags=providerless',
    '-trimpath',
    '-buildvcs=false',
    `-ldflags=-s -w ${linker.join(' ')}`,
  ];
}

/** Folders of testbed/lab/go that the module of a version consists of, as [source folder, folder in the module]. */
export function moduleFolders(
  version: KubernetesVersion,
): readonly (readonly [source: string, target: string])[] {
  const ccm = version.minor <= 27 ? 'cloud-controller-manager-1.27' : 'cloud-controller-manager';
  const same = ['labcloud', 'kube-controller-manager', 'kubelet', 'pause'];
  return [...same.map((name) => [name, name] as const), [ccm, 'cloud-controller-manager']];
}
