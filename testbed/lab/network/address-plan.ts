/**
 * Addresses of everything in a lab. 198.18.0.0/15 is reserved for benchmarks of network devices (RFC 2544), so a lab
 * collides neither with the internet nor with a local network. Each lab has a /20 of it, each cluster a /24 of that.
 */
const BASE = (198 << 24) + (18 << 16);
const LAB_BITS = 20;
const LABS = 1 << (LAB_BITS - 15);
const CLUSTERS = 1 << (24 - LAB_BITS);

export const PREFIX_LENGTH = LAB_BITS;
/** Labs of one machine, numbered from 1. */
export const LAST_LAB = LABS - 1;
/** Clusters of one lab, numbered from 1; the /24 with number 0 is the lab's own. */
export const LAST_CLUSTER = CLUSTERS - 1;
/** Machines of one cluster, numbered from 1; numbers are never reused. */
export const LAST_MACHINE = 243;

export const PORTS = {
  apiServer: 6443,
  cloud: 9900,
  machinesApi: 9443,
  metrics: 9800,
  prometheus: 9090,
  ssh: 22,
} as const;

function checkLab(lab: number): void {
  if (lab < 1 || lab > LAST_LAB) throw new Error(`lab ${lab} is not between 1 and ${LAST_LAB}`);
}

function address(lab: number, cluster: number, host: number): string {
  checkLab(lab);
  const value = BASE + (lab << (32 - LAB_BITS)) + (cluster << 8) + host;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}

/** The host's own address on the lab's bridge: the fake cloud and the machines APIs listen there. */
export function gatewayAddress(lab: number): string {
  return address(lab, 0, 1);
}

/** Where a lab's Prometheus servers listen: operators of this machine ask them without TLS, so no one else can. */
export function loopbackAddress(lab: number): string {
  checkLab(lab);
  return `127.18.${lab}.1`;
}

/** The single address of a cluster's API server, whichever process serves it. */
export function apiAddress(lab: number, cluster: number): string {
  checkCluster(cluster);
  return address(lab, cluster, 2);
}

/** The address of a cluster's machine by its number, from 1. */
export function machineAddress(lab: number, cluster: number, machine: number): string {
  checkCluster(cluster);
  if (machine < 1 || machine > LAST_MACHINE) {
    throw new Error(
      `machine ${machine} of cluster ${cluster}: a cluster can have ${LAST_MACHINE} machines over its lifetime`,
    );
  }
  return address(lab, cluster, 10 + machine);
}

function checkCluster(cluster: number): void {
  if (cluster >= 1 && cluster <= LAST_CLUSTER) return;
  throw new Error(`cluster ${cluster} is not between 1 and ${LAST_CLUSTER}`);
}
