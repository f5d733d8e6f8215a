/**
 * The version of k8s.io/controller-manager that represents each Kubernetes minor: the latest patch at the module
 * proxy.
 */
export const LIBRARY_VERSIONS: ReadonlyMap<number, string> = new Map([
  [21, '0.21.14'],
  [22, '0.22.17'],
  [23, '0.23.17'],
  [24, '0.24.17'],
  [25, '0.25.6'],
  [26, '0.26.13'],
  [27, '0.27.11'],
  [28, '0.28.15'],
  [29, '0.29.15'],
  [30, '0.30.14'],
  [31, '0.31.14'],
  [32, '0.32.13'],
  [33, '0.33.13'],
  [34, '0.34.13'],
  [35, '0.35.10'],
  [36, '0.36.6'],
]);
