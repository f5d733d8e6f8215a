import type { KubeadmObservation, OrderedMachine } from '../../domain/observation/observation.js';
import type { Manager } from '../../domain/vocabulary.js';
import type { FenceRecord } from '../fence/fence-record.js';
import type { LeaseReading } from '../lease-reading.js';
import type { NodeRequest, NodeSnapshot } from '../ports.js';
import type { NodeObject, PodObject } from './objects.js';
import type { OwnAddresses } from './shared-address.js';

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

/**
 * What every observation re-reads, as it was read: the boundary between I/O (`read-*.ts`) and the pure assembly. A part that
 * could not be read is marked and never taken for an absent one.
 */
export interface LiveReads {
  readonly takenAtMs: number;
  /** When its Leases, and with them the fence, were asked for: what the fence says may be as old as that. */
  readonly leasesAskedAtMs: number;
  /** API server's clock, epoch ms. */
  readonly serverTimeMs: number;
  readonly leases: readonly LeaseReading[];
  /** The fence, from the same list of Leases; null when there is none. */
  readonly fence: FenceRecord | null;
  /** Control-plane Nodes as returned by the API. */
  readonly nodeObjects: readonly NodeObject[];
  /** The answer of each of them through its own access, by its name; null when it did not answer. */
  readonly snapshots: ReadonlyMap<string, NodeSnapshot | null>;
  /** Pods of managers, API servers and etcd. */
  readonly controlPlanePods: readonly PodObject[];
  /** Those of managers. */
  readonly pods: readonly PodReading[];
  readonly machines: readonly MachineReading[] | null;
  readonly ownAddress: OwnAddresses;
  readonly namedFiles: NamedFiles;
}

/** What the managers of each node read by their own settings, by its name. */
export type NamedFiles = ReadonlyMap<string, NodeRequest>;

/** `kubeadm-config`; its text never leaves the worker. */
export interface KubeadmReading {
  readonly configMap: KubeadmObservation['configMap'];
  readonly clusterConfiguration: string;
}
