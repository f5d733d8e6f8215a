import type { CloudController, Manager } from '../../../domain/vocabulary.js';

/** The controllers whose owners are recorded. */
export const OWNED = ['service', 'route', 'cloud-node-lifecycle'] as const;
export type OwnedController = (typeof OWNED)[number];

export function isOwned(name: string): name is OwnedController {
  return OWNED.some((owned) => owned === name);
}

export function ofEachOwned<T>(
  make: (controller: OwnedController) => T,
): Readonly<Record<OwnedController, T>> {
  return {
    service: make('service'),
    route: make('route'),
    'cloud-node-lifecycle': make('cloud-node-lifecycle'),
  };
}

/** One call of a cloud controller to the cloud. */
export interface CloudCall {
  readonly atMs: number;
  /** Null until it has ended. */
  readonly durationMs: number | null;
  /** What the cloud refused it with; absent on success. */
  readonly error?: string;
  /** `EnsureLoadBalancer`, `EnsureLoadBalancerDeleted`, `UpdateLoadBalancer`, `ListRoutes`, `InstanceExists`, … */
  readonly op: string;
  readonly args: string;
  readonly controller: CloudController | 'cloud-node';
  readonly cluster: string;
  readonly node: string;
  readonly manager: Manager;
  readonly pid: number;
  readonly identity: string;
  readonly version: string;
}

export interface OwnershipInterval {
  readonly fromMs: number;
  readonly toMs: number | null;
  /** Like `kcm:cp-1#812`, sorted; empty while no process runs it. */
  readonly owners: readonly string[];
}

export interface ControllerTruth {
  readonly overlapSeconds: number;
  readonly orphanSeconds: number;
  /** How often the single owner became another process. */
  readonly moves: number;
  readonly intervals: readonly OwnershipInterval[];
  readonly orphans: readonly {
    readonly fromMs: number;
    readonly toMs: number | null;
    readonly seconds: number;
  }[];
}

/** What really happened: from processes that ran a loop, never from what anyone believes. */
export interface Truth {
  readonly nowMs: number;
  readonly controllers: Readonly<Record<OwnedController, ControllerTruth>>;
  readonly cloudCalls: number;
}

/** A truth that several sources were joined for, with the contradictions between them. */
export interface JoinedTruth extends Truth {
  readonly contradictions: readonly string[];
  readonly sources: {
    readonly leaseWrites: number;
    readonly processes: number;
    readonly metricSamples: number;
    readonly cloudCalls: number;
    /** How many spans of ownership the owner's own metrics confirm, and the spans without a confirming sample. */
    readonly confirmed: number;
    readonly unconfirmed: readonly string[];
  };
}
