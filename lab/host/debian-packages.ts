/** What the lab takes from Debian 12, each with a program by which its presence shows. */
const DEBIAN_PACKAGES = [
  { name: 'etcd-server', program: 'etcd', why: 'etcd 3.4, one for each cluster' },
  { name: 'containerd', program: 'containerd', why: 'container runtime of each node' },
  { name: 'runc', program: 'runc', why: 'starts the containers' },
  {
    name: 'containernetworking-plugins',
    program: '/usr/lib/cni/loopback',
    why: 'loopback of pods with a network of their own',
  },
  { name: 'openssh-server', program: 'sshd', why: 'access to nodes' },
  { name: 'openssh-client', program: 'ssh-keygen', why: 'host keys and the client key' },
  {
    name: 'sudo',
    program: 'sudo',
    why: 'operators who are not root, as the suite of nodes over SSH has them',
  },
  { name: 'iproute2', program: 'ip', why: 'bridge, cables and network namespaces' },
  { name: 'util-linux', program: 'unshare', why: 'the other namespaces' },
  {
    name: 'prometheus',
    program: 'prometheus',
    why: 'metrics of a cluster, where they are asked for',
  },
  { name: 'ca-certificates', program: '/etc/ssl/certs', why: 'folder that kubeadm mounts' },
] as const;

export interface DebianPackage {
  readonly name: string;
  readonly program: string;
  readonly why: string;
}

/** Those whose program is not there. `isThere` looks a name up on PATH, or a path in the file system. */
export function missingPackages(isThere: (program: string) => boolean): readonly DebianPackage[] {
  return DEBIAN_PACKAGES.filter(({ program }) => !isThere(program));
}
