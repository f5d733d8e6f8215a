/** Flags of the kube-controller-manager that end it at start from some minor on. */
const REMOVED_KCM_FLAGS: readonly { readonly name: string; readonly since: number }[] = [
  // Source: kubernetes.io blog 2023-03-17, removals and major changes in 1.27.
  { name: 'enable-taint-manager', since: 27 },
  { name: 'pod-eviction-timeout', since: 27 },
];

/** Names, without dashes, that a KCM of this minor no longer knows. */
export function removedKcmFlags(minor: number): readonly string[] {
  return REMOVED_KCM_FLAGS.filter(({ since }) => minor >= since).map(({ name }) => name);
}
