import {
  clusterWorkflowId,
  guardTaskQueue,
  stepTaskQueue,
  waitTaskQueue,
} from '../config/names.js';
import type { MigrationPolicy, RunTimings } from '../domain/policy.js';
import type { Membership } from '../domain/run/membership.js';
import type { Target } from '../domain/vocabulary.js';
import type { ClusterRef, Materials, RunAuthority } from './contract.js';

/** What a run of one cluster is started with, by a person or by a fleet. */
export interface RunStart {
  readonly cluster: ClusterRef;
  readonly region: string;
  /** Empty for a cluster on its own. */
  readonly fleet: string;
  readonly wave: string;
  /** Absent for a run that no fleet started. An adopted run becomes a member by an order. */
  readonly member?: Membership;
  readonly target: Target;
  readonly policy: MigrationPolicy;
  readonly materials: Materials;
  /** `UNPLANNED` where no plan can fit. */
  readonly planDigest: string;
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
  readonly timings: RunTimings;
  /** What allows it; absent where no one signs. */
  readonly authority?: RunAuthority;
}

/** What is known of a run beside its input. */
export interface RunNotes {
  /** The files that it was started from. */
  readonly files: readonly string[];
  /** Labels of its cluster as `label=value`, by which other fleets count it. */
  readonly groups: readonly string[];
}

/** What is stored beside a run, where it can be read without its history. */
export interface RunMemo {
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
  readonly fleet: string;
  /** The files that it was started from, for the commands that messages suggest. */
  readonly files: readonly string[];
  /**
   * Labels of its cluster as `label=value`: the caps of fleets count it without asking the run. There is always its region, and
   * only runs of older versions have none: a server keeps no empty list in a memo.
   */
  readonly groups: readonly string[];
  readonly planDigest: string;
  readonly target: Target;
  /** The row and grant of a fleet for which it was started; null for a run of its own. */
  readonly member: Membership | null;
}

/** The workflow of a run: the id is the mutex of its cluster, and the queues are those of its region. */
export function runStartOf<Given extends RunStart>(given: Given, { files, groups }: RunNotes) {
  const { cluster, region, actor, reason, ticket, fleet, planDigest, target } = given;
  const memo: RunMemo = {
    ...{ actor, reason, ticket, fleet, files, groups, planDigest, target },
    member: given.member ?? null,
  };
  return {
    workflowId: clusterWorkflowId(cluster.uid),
    input: {
      ...given,
      stepTaskQueue: stepTaskQueue(region),
      waitTaskQueue: waitTaskQueue(region),
      guardTaskQueue: guardTaskQueue(region),
    },
    memo,
    summary: `${cluster.name}, target ${target.toUpperCase()}`,
  };
}
