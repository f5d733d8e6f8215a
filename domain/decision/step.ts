import type { Finding } from '../findings/finding.js';
import type { Inventory } from '../observation/observation.js';
import type { ProbeMoment, ProbeTimes } from '../probes/balancer-probe.js';
import type { LeaseRef, Manager, Phase } from '../vocabulary.js';

/** One safe move toward the target: one critical section, one activity. */
export interface Step {
  /** Name of the step's file in `domain/decision/steps/`. */
  readonly name: StepName;
  readonly phase: Phase;
  readonly effect: StepEffect;
  /** Why it is needed, in one sentence for people. */
  readonly why: string;
  /** Codes of the findings it cures: it may run while only these fail. */
  readonly cures: readonly string[];
}

export type StepName =
  | 'recordBaseline'
  | 'endPausedManager'
  | 'finishManifest'
  | 'stopSecondOwner'
  | 'disableMigrationOnExternalKcm'
  | 'isolateUnprotectedKcm'
  | 'isolateUnprotectedCcm'
  | 'releaseLease'
  | 'grantLeaseAccess'
  | 'prepareCcm'
  | 'enableLeaderMigration'
  | 'awaitElection'
  | 'startCcm'
  | 'externalizeKcm'
  | 'addMachine'
  | 'removeMachine'
  | 'verify'
  | 'probeBalancer'
  | 'rollWorkers'
  | 'disableLeaderMigration'
  | 'revokeLeaseAccess'
  | 'protectCcm'
  | 'restoreKcm'
  | 'parkKcm'
  | 'stopCcm'
  | 'removeCcmAccess';

/** What a step changes, as data: activities execute it, `predictEffect` predicts it. */
export type StepEffect =
  | { readonly kind: 'recordBaseline' }
  | {
      readonly kind: 'setAccess';
      readonly access: 'leaseGrant' | 'ccmAccess';
      readonly want: 'present' | 'absent';
    }
  | {
      readonly kind: 'changeManager';
      readonly node: string;
      readonly want: ManagerWant;
      readonly release: ReleaseSequence;
    }
  /** Write the successor of a manifest whose change was interrupted. */
  | { readonly kind: 'finishManifest'; readonly node: string; readonly manager: Manager }
  /** End the processes of a manager that a signal has stopped; the kubelet starts a new one. */
  | { readonly kind: 'endPausedManager'; readonly node: string; readonly manager: Manager }
  | { readonly kind: 'addMachine'; readonly machine: string; readonly side: 'source' | 'target' }
  | { readonly kind: 'removeMachine'; readonly node: string; readonly release: ReleaseSequence }
  | { readonly kind: 'releaseLease'; readonly lease: LeaseRef; readonly holder: string }
  | { readonly kind: 'awaitElection'; readonly until: ElectionGoal }
  | {
      readonly kind: 'switchKubelets';
      readonly to: 'inTree' | 'external';
      readonly batchSize: number;
    }
  | { readonly kind: 'deleteMigrationLease' }
  | { readonly kind: 'removeCcmWorkload' }
  /** Compare what must survive with the inventory at the start of the run. */
  | { readonly kind: 'verify'; readonly since: Inventory }
  /** Make, change and delete a Service of ours. `earlier`: of the probe before the first change; null without one. */
  | {
      readonly kind: 'probeBalancer';
      readonly moment: ProbeMoment;
      /** Whose work is tried out: nothing is made unless it owns the cloud controllers. */
      readonly owner: Manager;
      readonly earlier: ProbeTimes | null;
    };

/**
 * Version of each effect's meaning. It rises when an older executor would execute the same data differently; an executor that
 * does not know a kind or its version refuses before it writes.
 */
export const EFFECT_VERSIONS: Readonly<Record<StepEffect['kind'], number>> = {
  recordBaseline: 1,
  setAccess: 1,
  changeManager: 1,
  finishManifest: 1,
  endPausedManager: 1,
  addMachine: 1,
  removeMachine: 1,
  releaseLease: 1,
  awaitElection: 1,
  switchKubelets: 1,
  deleteMigrationLease: 1,
  removeCcmWorkload: 1,
  verify: 1,
  probeBalancer: 1,
};

export type ManagerWant =
  | { readonly manager: 'kcm'; readonly role: 'inTree'; readonly leaderMigration: 'on' | 'off' }
  | { readonly manager: 'kcm'; readonly role: 'external' }
  | { readonly manager: 'kcm'; readonly role: 'parked' }
  | { readonly manager: 'ccm'; readonly role: 'running'; readonly leaderMigration: 'on' | 'off' }
  | { readonly manager: 'ccm'; readonly role: 'stopped' };

/**
 * The order in which the Leases of a process proven dead are emptied. For target `ccm` the migration Lease goes first, or a
 * standby KCM retakes it (3 of 5 real runs). `none`: never released, because a second owner must not be helped back.
 */
export type ReleaseSequence = 'none' | 'migrationThenMain' | 'mainThenMigration';

/** The election result that makes the next step safe. */
export type ElectionGoal =
  | 'kcmMainLeaderHoldsMigration'
  | 'ccmMainLeaderHoldsMigration'
  | 'kcmMainLeader'
  | 'ccmMainLeader'
  | 'ccmStandsBy'
  | 'kcmStandsBy'
  | 'migrationHolder'
  | 'managersSettled';

/** What to do next for a cluster, from one observation and no memory. */
export type Decision =
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'done' }
  | { readonly kind: 'blocked'; readonly findings: readonly [Finding, ...Finding[]] };
