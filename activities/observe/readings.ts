import type { KubeadmObservation, OrderedMachine } from '../../domain/observation/observation.js';
import type { Manager, Tristate } from '../../domain/vocabulary.js';
import type { HostState } from '../ports.js';
import type { LeaseReading } from '../lease-reading.js';
import type { MetricsReading } from './kubelet-flags.js';

/**
 * Raw readings before interpretation: the boundary between I/O (`read-*.ts`) and the pure assembly. A part that could not be
 * read is marked and never taken for an absent one.
 */
export type FileReading =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly hash: string;
      /** Epoch ms on the node's clock; null where it is unknown (a key of a ConfigMap). */
      readonly changedAtMs: number | null;
    };

/** The three locations of a manager's manifest on a node (file layout: `node-paths.ts`). */
export interface SlotFiles {
  readonly manifest: FileReading;
  readonly next: FileReading;
  readonly parked: FileReading;
}

/** Everything read through the node's own access; null in `NodeReading` when it did not answer. */
export interface NodeAccessReading {
  readonly host: HostState;
  readonly metrics: Readonly<Record<Manager, MetricsReading>>;
  readonly files: Readonly<Record<Manager, SlotFiles>>;
  /** Leader Migration configuration files by path on the host. */
  readonly migrationFiles: ReadonlyMap<string, FileReading>;
  /** Digests of cloud configurations by path on the host. */
  readonly cloudConfigHashes: ReadonlyMap<string, string>;
}

export interface NodeReading {
  readonly name: string;
  readonly kubeletVersion: string;
  readonly ready: Tristate;
  readonly cordoned: boolean;
  readonly providerId: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly access: NodeAccessReading | null;
}

/** A manager's Pod object: a source of figures, never proof that it is alive. */
export interface PodReading {
  readonly node: string;
  readonly manager: Manager;
  readonly uid: string;
  readonly image: string;
  readonly restarts: number;
  readonly crashLooping: boolean;
  readonly fromDaemonSet: boolean;
}

/**
 * A machine as reported by its provider; null instead of a list where no provider is configured or it did not answer.
 */
export interface MachineReading {
  readonly name: string;
  readonly node: string | null;
  readonly side: 'source' | 'target';
  readonly state: OrderedMachine['state'] | 'ready';
  readonly reason: string;
}

/** The live reads of an observation. */
export interface LiveReads {
  readonly takenAtMs: number;
  /** API server's clock, epoch ms. */
  readonly serverTimeMs: number;
  readonly leases: readonly LeaseReading[];
  readonly nodes: readonly NodeReading[];
  readonly pods: readonly PodReading[];
  readonly machines: readonly MachineReading[] | null;
}

/** `kubeadm-config`; its text never leaves the worker. */
export interface KubeadmReading {
  readonly configMap: KubeadmObservation['configMap'];
  readonly clusterConfiguration: string;
}
