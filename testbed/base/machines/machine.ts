export interface MachineOrderRequest {
  readonly name: string;
  readonly side: 'source' | 'target';
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  readonly epoch: number;
  readonly idempotencyKey: string;
}

export interface MachineView {
  readonly name: string;
  readonly side: 'source' | 'target';
  readonly state: 'ordered' | 'booting' | 'ready' | 'failed' | 'deleting';
  readonly node: string | null;
  readonly providerId: string | null;
  readonly reason: string;
}

export type MachineAnswer =
  | { readonly kind: 'created' | 'known'; readonly machine: MachineView }
  | { readonly kind: 'deleting' }
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'refused';
      readonly reason: 'StaleEpoch' | 'Conflict' | 'EtcdUnsafe';
      readonly message: string;
    };

/** The rules of docs/contracts/machines-api.md; HTTP maps `created` to 201, `deleting` to 202, refusals to 409. */
export interface MachineProvider {
  list(): readonly MachineView[];
  order(request: MachineOrderRequest): MachineAnswer;
  delete(
    name: string,
    guard: { readonly epoch: number; readonly idempotencyKey: string },
  ): MachineAnswer;
  readonly etcdMemberRemoval: 'machinesApi' | 'us';
}

/** One member of a stacked etcd. */
export interface EtcdMemberView {
  readonly name: string;
  readonly node: string;
  /** False while it is a learner. */
  readonly voter: boolean;
  readonly healthy: boolean;
  readonly leader: boolean;
}
