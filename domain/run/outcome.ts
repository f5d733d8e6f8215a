import type { FailureType } from '../failures.js';
import type { Finding } from '../findings/finding.js';
import type { QuietNote } from '../gates/quiet-notes.js';
import type { Target } from '../vocabulary.js';

export const OUTCOME_KINDS = ['done', 'rolledBack', 'stopped', 'failed', 'refused'] as const;

/** How a run ended. Each outcome states what the cluster is now and what to run next. */
export interface RunOutcome {
  readonly kind: (typeof OUTCOME_KINDS)[number];
  readonly target: Target;
  /** Why it ended, in one sentence. */
  readonly summary: string;
  /** A description of the cluster as last observed. */
  readonly clusterState: string;
  /** Can be pasted unchanged. */
  readonly nextCommand: string;
  readonly otherCommands: readonly string[];
  readonly reversibility: string;
  readonly findings: readonly Finding[];
  /** What the gates of its last soak could not see; absent where they saw enough, or were not judged. */
  readonly notes?: readonly QuietNote[];
  readonly stepsDone: number;
  readonly orphanMs: number;
  /** Set for `failed` and `refused`. */
  readonly failureType: FailureType | null;
}
