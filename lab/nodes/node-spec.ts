/** Which kubelet a machine has: with the in-tree provider, for an external one, or without either. */
export type KubeletCloud = 'inTree' | 'external' | 'none';

/** A machine that is to be. */
export interface NodeSpec {
  /** Name of the Node object and of the machine at the cloud. */
  readonly name: string;
  /** What the operating system calls itself; differs from the Node's name on some clouds. */
  readonly hostname: string;
  readonly role: 'controlPlane' | 'worker';
  /** Version of the kubelet, without `v`. */
  readonly version: string;
  readonly kubeletCloud: KubeletCloud;
  /** Files by absolute path, written before the kubelet starts; below /etc/kubernetes mostly. */
  readonly files: Readonly<Record<string, string>>;
}
