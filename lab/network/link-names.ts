/** Names of a lab's network parts. The kernel takes 15 characters for an interface; all begin so that cleaning finds them. */
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
