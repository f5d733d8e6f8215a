/** What a workload selects its pods by, and what its own pods are labelled with. */
export interface PodSelection {
  readonly selector: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Whether one of two workloads selects pods of the other. Their controllers ignore pods the other one owns, but everything
 * else that uses these labels (PodDisruptionBudgets, anti-affinity, anything that counts pods) treats both as one.
 * Source: kubernetes.io/docs/concepts/workloads/controllers/daemonset, pod selector.
 */
export function selectEachOther(one: PodSelection, other: PodSelection): boolean {
  return selects(one.selector, other.labels) || selects(other.selector, one.labels);
}

/** An empty selector selects nothing here: workloads must have one. */
function selects(
  selector: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
