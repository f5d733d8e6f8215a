import type { Argument } from './arguments.js';

/** Flags of the kube-controller-manager that make it exit at start from some minor on: `unknown flag`. */
interface RemovedFlags {
  readonly names: readonly string[];
  readonly removedIn: number;
  /** Had no effect in the last minor that knew it. */
  readonly idle?: true;
  /** Has long been available under another name, with the same values. */
  readonly replacedBy?: string;
  /** From this minor until its removal, any other value made the process exit. */
  readonly only?: { readonly value: string; readonly since: number };
  readonly source: string;
}

const OPTIONS = 'kubernetes/kubernetes cmd/kube-controller-manager/app/options';

/**
 * Every flag that a KCM of 1.21 to 1.36 had and a later one does not know, by a comparison of all flags that the sources
 * of v1.21.0 to v1.36.0 register (KCM, k8s.io/controller-manager, k8s.io/component-base, k8s.io/apiserver, klog).
 */
const REMOVED: readonly RemovedFlags[] = [
  {
    names: ['port'],
    removedIn: 24,
    idle: true,
    only: { value: '0', since: 22 },
    source: `kubernetes/kubernetes#108476; ${OPTIONS}/options.go v1.23; app/controllermanager.go v1.22 checkNonZeroInsecurePort`,
  },
  {
    names: ['address'],
    removedIn: 24,
    idle: true,
    source: `kubernetes/kubernetes#108476; ${OPTIONS}/options.go v1.23, v1.24`,
  },
  {
    names: ['horizontal-pod-autoscaler-use-rest-clients'],
    removedIn: 22,
    source: `${OPTIONS}/hpacontroller.go v1.21, v1.22`,
  },
  {
    names: ['deployment-controller-sync-period'],
    removedIn: 24,
    idle: true,
    source: `${OPTIONS}/deploymentcontroller.go v1.23, v1.24`,
  },
  {
    names: ['experimental-logging-sanitization'],
    removedIn: 24,
    source: 'k8s.io/component-base logs/config.go v0.23, v0.24',
  },
  {
    names: ['experimental-cluster-signing-duration'],
    removedIn: 25,
    replacedBy: 'cluster-signing-duration',
    source: `kubernetes/kubernetes#109612; ${OPTIONS}/csrsigningcontroller.go v1.24, v1.25`,
  },
  {
    names: ['deleting-pods-qps', 'deleting-pods-burst', 'register-retry-count'],
    removedIn: 25,
    idle: true,
    source: `${OPTIONS}/deprecatedcontroller.go v1.24, gone in v1.25`,
  },
  {
    names: [
      'logtostderr',
      'alsologtostderr',
      'log-dir',
      'log-file',
      'log-file-max-size',
      'stderrthreshold',
      'one-output',
      'skip-headers',
      'skip-log-headers',
      'add-dir-header',
      'log-backtrace-at',
    ],
    removedIn: 26,
    source: 'kubernetes/kubernetes#112120; k8s.io/component-base logs/klogflags/klogflags.go v0.26',
  },
  {
    names: ['enable-taint-manager', 'pod-eviction-timeout'],
    removedIn: 27,
    source: `kubernetes.io blog 2023-03-17; ${OPTIONS}/nodelifecyclecontroller.go v1.26, v1.27`,
  },
  {
    names: ['horizontal-pod-autoscaler-upscale-delay', 'horizontal-pod-autoscaler-downscale-delay'],
    removedIn: 31,
    idle: true,
    source: `kubernetes/kubernetes#124948; ${OPTIONS}/hpacontroller.go v1.30, v1.31`,
  },
  {
    names: ['volume-host-cidr-denylist', 'volume-host-allow-local-loopback'],
    removedIn: 31,
    idle: true,
    source: `${OPTIONS}/persistentvolumebindercontroller.go v1.30, v1.31`,
  },
  {
    // Of the in-tree GCE provider; an external KCM has no use for it.
    names: ['cloud-provider-gce-lb-src-cidrs'],
    removedIn: 31,
    source: 'cmd/kube-controller-manager/app/flags_providers.go v1.30, gone in v1.31',
  },
];

/** A flag that was given and that a KCM of some minor refuses. */
export interface RefusedFlag {
  readonly name: string;
  /** Null for a bare `--name`. */
  readonly value: string | null;
  /** First minor that refuses it. */
  readonly since: number;
  readonly idle: boolean;
  /** Flag without dashes that means the same; null when there is none. */
  readonly replacedBy: string | null;
  readonly source: string;
}

/** The flags among these that make a KCM of this minor exit. */
export function refusedFlags(found: readonly Argument[], minor: number): readonly RefusedFlag[] {
  return found.flatMap(({ name, value }) => {
    const row = REMOVED.find(({ names }) => names.includes(name));
    const since = row === undefined ? Infinity : refusedSince(row, value);
    if (row === undefined || minor < since) return [];
    const { idle = false, replacedBy = null, source } = row;
    return [{ name, value, since, idle, replacedBy, source }];
  });
}

function refusedSince({ removedIn, only }: RemovedFlags, value: string | null): number {
  return only !== undefined && value !== only.value ? only.since : removedIn;
}
