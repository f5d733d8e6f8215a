import type { WorkerSignature } from './signed-result.js';

/**
 * Two records for each mutation: the intent (written before) and the outcome (written after). Records of a run
 * form a hash chain. Hashes are `sha256:<hex>`; times are ISO 8601 UTC.
 */
export interface EvidenceIntent {
  readonly id: string;
  readonly runId: string;
  readonly workflowId: string;
  readonly cluster: string;
  readonly epoch: number;
  readonly step: string;
  /** Digest of the step, which was due when this was written; absent where no access policy was set. */
  readonly due?: string;
  readonly actor: string;
  readonly reason: string;
  readonly planDigest: string;
  readonly at: string;
  readonly verb:
    | 'create'
    | 'update'
    | 'patch'
    | 'delete'
    | 'writeFile'
    | 'takeAway'
    | 'removeFile'
    | 'addMachine'
    | 'removeMachine'
    | 'evict'
    | 'restartKubelet'
    | 'endProcess';
  /** For example `Lease kube-system/ccm-migrate` or `cp-1:/etc/kubernetes/manifests/kube-controller-manager.yaml`. */
  readonly object: string;
  /** Hash of the previous content; empty when there was none. */
  readonly before: string;
  /** Hash of the intended content; empty for a removal. */
  readonly after: string;
  /** Redacted unified diff of what is written; absent where nothing is shown: removals of files, copies, processes. */
  readonly diff?: string;
  /** For a release: the proof that the holder is dead. For the end of a process: why it was ended. */
  readonly proof: string;
}

export type EvidenceOutcome =
  | { readonly kind: 'applied'; readonly at: string; readonly detail: string }
  | { readonly kind: 'refused'; readonly at: string; readonly detail: string }
  /** The process that made the attempt died; a later observation found the effect, or did not. */
  | { readonly kind: 'foundApplied'; readonly at: string; readonly detail: string }
  | { readonly kind: 'foundNotApplied'; readonly at: string; readonly detail: string };

/** Who was allowed, or was refused, what: a record of its own, because it changes nothing on the cluster. */
export interface EvidenceAuthority {
  readonly runId: string;
  readonly workflowId: string;
  readonly cluster: string;
  readonly at: string;
  readonly verdict: 'accepted' | 'refused';
  /** As in the statement; `apply` for the start of a run. */
  readonly verb: string;
  /** Who claims to ask. */
  readonly actor: string;
  /** Who signed; empty where that is not proven. */
  readonly principal: string;
  /** By which role; `breakGlass` is to be looked into. Empty where refused. */
  readonly role: string;
  /** Digest of the statement; empty where there is none that can be read. */
  readonly statement: string;
  /** Why it was refused; empty otherwise. */
  readonly detail: string;
  /** Digest of the access policy by which it was judged; absent in records of older builds. */
  readonly policy?: string;
}

/** What a record says and where in its chain: the part of it that a worker signs. */
export interface RecordBody {
  readonly sequence: number;
  readonly previous: string;
  readonly entry:
    | { readonly kind: 'intent'; readonly intent: EvidenceIntent }
    | { readonly kind: 'authority'; readonly authority: EvidenceAuthority }
    | { readonly kind: 'outcome'; readonly intentId: string; readonly outcome: EvidenceOutcome };
}

export interface EvidenceRecord extends RecordBody {
  /** Of the worker that wrote it; absent where that had no key, and in records of older builds. */
  readonly signature?: WorkerSignature | undefined;
  /** Over all other members. */
  readonly hash: string;
}
