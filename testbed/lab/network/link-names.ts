/**
 * Names of a lab's network devices. Interface names are limited to 15 characters; a common prefix lets cleaning find
 * them.
 */
export function bridgeName(lab: number): string {
  return `ccmlab${lab}`;
}

/** The host's end of the cable of one network namespace; `seat` is the last number of its address. */
export function cableName(lab: number, cluster: number, seat: number): string {
  return `cl${lab}c${cluster}n${seat}`;
}

export function namespacePrefix(lab: number): string {
  return `ccmlab-${lab}-`;
}

/** A network namespace as `ip netns` knows it. */
export function namespaceName(lab: number, place: string): string {
  return `${namespacePrefix(lab)}${place}`;
}
