import type { CatalogueEntry } from './entry.js';

const SCHEMA = 'schemas of apiVersion ccm-migrate.dev/v1alpha1';

/** CCM5xxx: what the operator wrote. */
export const CONFIGURATION = {
  CCM5001: {
    title: 'The file is not valid YAML',
    severity: 'error',
    why: 'Nothing in it can be relied on.',
    fix: 'Correct the named line and column.',
    source: 'YAML 1.2',
  },
  CCM5002: {
    title: 'Unknown field',
    severity: 'error',
    why: 'A misspelt field would silently keep its default.',
    fix: 'Use the suggested name, or remove it.',
    source: SCHEMA,
  },
  CCM5003: {
    title: 'A value has the wrong type or is out of range',
    severity: 'error',
    why: 'The setting would not mean what it says.',
    fix: 'Correct it as the message says.',
    source: SCHEMA,
  },
  CCM5004: {
    title: 'A required field is missing',
    severity: 'error',
    why: 'There is no safe default for it.',
    fix: 'Add it.',
    source: SCHEMA,
  },
  CCM5005: {
    title: 'Unknown apiVersion or kind',
    severity: 'error',
    why: 'Another version of this tool may know it; this one does not.',
    fix: 'Use apiVersion ccm-migrate.dev/v1alpha1 and one of its kinds.',
    source: SCHEMA,
  },
  CCM5006: {
    title: 'Not a Kubernetes version',
    severity: 'error',
    why: 'Controller names, flags and gates depend on the exact minor.',
    fix: 'Write MAJOR.MINOR.PATCH, for example 1.30.14.',
    source: SCHEMA,
  },
  CCM5007: {
    title: 'Lease timings are impossible or differ between the managers',
    severity: 'error',
    why: 'Lease duration must exceed the renew deadline, and that 1.2 times the retry period. Duration and deadline must be equal in KCM and CCM, or one can take the lock while the other still acts.',
    fix: 'Use 15s, 10s and 2s on both; only the retry period of the CCM may be shorter, not below 1s.',
    source: 'kubernetes/client-go tools/leaderelection/leaderelection.go NewLeaderElector',
  },
  CCM5008: {
    title: 'The cluster is not in the inventory',
    severity: 'error',
    why: 'Its address and credentials are looked up there.',
    fix: 'Correct the name, or add the cluster to the inventory.',
    source: SCHEMA,
  },
  CCM5009: {
    title: 'The same name is used twice',
    severity: 'error',
    why: 'It is unclear which one is meant.',
    fix: 'Rename or remove one of them.',
    source: SCHEMA,
  },
  CCM5010: {
    title: 'Settings of the policy contradict each other',
    severity: 'error',
    why: 'No run could honour all of them.',
    fix: 'Change one of the named settings.',
    source: SCHEMA,
  },
  CCM5011: {
    title: 'The kubeconfig runs a program or reads files, which is not allowed',
    severity: 'error',
    why: 'Whoever writes a kubeconfig could run commands or read secrets as the worker.',
    fix: 'Embed certificate and token, or allow it for this cluster in the inventory.',
    source: 'client-go exec credential plugins; kubeconfig v1',
  },
  CCM5012: {
    title: 'The certificate authority of the API server is unknown or verification is off',
    severity: 'error',
    why: 'Anyone on the way could answer in its place.',
    fix: 'Put certificate-authority-data into the kubeconfig and remove insecure-skip-tls-verify.',
    source: 'kubeconfig v1',
  },
  CCM5013: {
    title: 'No inventory of clusters is configured',
    severity: 'error',
    why: 'The worker does not know any cluster.',
    fix: 'Set CCM_MIGRATE_INVENTORY to the inventory file.',
    source: SCHEMA,
  },
  CCM5014: {
    title: 'The manifest of the cloud-controller-manager is not usable',
    severity: 'error',
    why: 'It would not start, or could not be protected.',
    fix: 'Correct it at the named place: one Pod or DaemonSet with one container that runs the CCM.',
    source: 'Kubernetes Pod v1 and DaemonSet apps/v1',
  },
  CCM5015: {
    title: 'A file is too large',
    severity: 'error',
    why: 'Reading is bounded so that no input can exhaust the worker.',
    fix: 'Split it or remove what does not belong there.',
    source: 'bounds of this project',
  },
  CCM5016: {
    title: 'The file cannot be read',
    severity: 'error',
    why: 'It does not exist, or may not be read by this user.',
    fix: 'Correct the path or its permissions.',
    source: 'operating system',
  },
} as const satisfies Record<string, CatalogueEntry>;
