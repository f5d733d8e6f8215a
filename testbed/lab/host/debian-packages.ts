/** The Debian 12 packages that the lab needs, each with a program that shows whether it is installed. */
const DEBIAN_PACKAGES = [
  { name: 'etcd-server', program: 'etcd', why: 'etcd 3.4, one for each cluster' },
  { name: 'containerd', program: 'containerd', why: 'container runtime of each node' },
  { name: 'runc', program: 'runc', why: 'starts the containers' },
  {
    name: 'containernetworking-plugins',
    program: '/usr/lib/cni/loopback',
    why: 'loopback of pods with their own network',
  },
  { name: 'openssh-server', program: 'sshd', why: 'access to nodes' },
  { name: 'openssh-client', program: 'ssh-keygen', why: 'host keys and the client key' },
  {
    name: 'sudo',
    program: 'sudo',
    why: 'non-root operators in the SSH test suite',
  },
  { name: 'iproute2', program: 'ip', why: 'bridge, cables and network namespaces' },
  { name: 'util-linux', program: 'unshare', why: 'all other namespaces' },
  {
    name: 'prometheus',
    program: 'prometheus',
    why: 'metrics of a cluster, on request',
  },
  {
    name: 'prometheus-alertmanager',
    program: 'prometheus-alertmanager',
    why: 'tells `ccm-migrate server` of alerts, in one story',
  },
  { name: 'ca-certificates', program: '/etc/ssl/certs', why: 'a folder that kubeadm mounts' },
] as const;

export interface DebianPackage {
  readonly name: string;
  readonly program: string;
  readonly why: string;
}

/** Packages whose program is missing. `isThere` looks a name up on PATH, or a path in the file system. */
export function missingPackages(isThere: (program: string) => boolean): readonly DebianPackage[] {
  return DEBIAN_PACKAGES.filter(({ program }) => !isThere(program));
}
