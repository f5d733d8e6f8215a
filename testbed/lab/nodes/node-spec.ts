/** The kubelet's provider on a machine: in-tree, external, or none. */
export type KubeletCloud = 'inTree' | 'external' | 'none';

/** A machine to create. */
export interface NodeSpec {
  /** Name of the Node object and of the machine at the cloud. */
  readonly name: string;
  /** The OS hostname, which differs from the Node's name on some clouds. */
  readonly hostname: string;
  readonly role: 'controlPlane' | 'worker';
  /** Version of the kubelet, without `v`. */
  readonly version: string;
  readonly kubeletCloud: KubeletCloud;
  /** Files by absolute path, written before the kubelet starts; mostly below /etc/kubernetes. */
  readonly files: Readonly<Record<string, string>>;
}
