import type { Contact, RunView } from '../../cli/runs/run-view.js';
import type { ClusterOutcome, ClusterStatus } from '../../workflows/messages.js';

export const PLAN_DIGEST = `sha256:${'0'.repeat(64)}`;

/** The status of a run in its second step, with the changes that a test is about. */
export function statusOf(changes: Partial<ClusterStatus> = {}): ClusterStatus {
  return {
    cluster: { name: 'prod-1', uid: 'uid-1' },
    target: 'ccm',
    targetReason: 'asked for',
    hold: 'none',
    pause: 'none',
    pausedBy: null,
    parkedBy: null,
    requestedBy: { actor: 'ana@corp', reason: 'CHG-4711' },
    inFlight: 'stepping',
    phase: 'enableLeaderMigration',
    step: { name: 'enableLeaderMigration', node: 'cp-2', why: 'cp-2 is not protected yet' },
    nextStep: null,
    sinceMs: 1_030_000,
    owner: 'kcm',
    holdReason: 'none',
    whoActs: 'none',
    findings: [],
    gates: [],
    stepsDone: [
      {
        name: 'grantLeaseAccess',
        phase: 'grantLeaseAccess',
        node: '',
        detail: 'Role and RoleBinding created',
        durationMs: 420,
        orphanMs: 0,
        mutations: 2,
      },
      {
        name: 'enableLeaderMigration',
        phase: 'enableLeaderMigration',
        node: 'cp-3',
        detail: 'new process runs with it',
        durationMs: 3200,
        orphanMs: 1900,
        mutations: 3,
      },
    ],
    orphanMs: 1900,
    epoch: 3,
    advice: '',
    nextCommand: '',
    otherCommands: [],
    reversibility: 'possible',
    outcome: null,
    workflowId: 'cluster-migration/uid-1',
    runId: 'run-1',
    region: 'default',
    fleet: 'home',
    wave: '',
    planDigest: PLAN_DIGEST,
    ...changes,
  };
}

export const FINDING = {
  code: 'CCM1201',
  severity: 'error' as const,
  subject: 'node cp-2',
  seen: 'Ready is False for 40 s',
  why: 'it would be deleted',
  fix: 'bring it back',
  source: 'test',
};

/** The guard observed two seconds before the time at which tests render. */
export function contactOf(changes: Partial<Contact> = {}): Contact {
  const ownership = { overlapSeconds: 0, orphanSeconds: 1.9, unknownSeconds: 0, moves: 1 };
  const seen = { atMs: 1_040_000, owner: 'kcm' as const, nodes: ['cp-2'], away: [], ownership };
  return { seen, outage: null, guardQueuedMs: null, ...changes };
}

export function viewOf(changes: Partial<RunView> = {}): RunView {
  return {
    workflowId: 'cluster-migration/uid-1',
    runId: 'run-1',
    execution: 'running',
    startedAtMs: 1_000_000,
    closedAtMs: null,
    historyEvents: 40,
    historyBytes: 65_536,
    cluster: 'prod-1',
    actor: 'ana@corp',
    reason: 'CHG-4711',
    files: ['/srv/fleet'],
    contact: contactOf(),
    status: statusOf(),
    silence: null,
    outcome: null,
    outcomeUnread: '',
    ...changes,
  };
}

export function outcomeOf(changes: Partial<ClusterOutcome> = {}): ClusterOutcome {
  return {
    kind: 'done',
    target: 'ccm',
    summary: 'the CCM owns the cloud controllers',
    clusterState: 'every KCM external, every CCM runs',
    nextCommand: 'ccm-migrate check --cluster prod-1',
    otherCommands: ['ccm-migrate rollback prod-1'],
    reversibility: 'possible',
    findings: [],
    stepsDone: 14,
    orphanMs: 3900,
    failureType: null,
    workflowId: 'cluster-migration/uid-1',
    runId: 'run-1',
    lastExecution: 'run-1',
    cluster: 'prod-1',
    epoch: 3,
    guard: { overlapSeconds: 0, orphanSeconds: 4, unknownSeconds: 0, moves: 2 },
    evidence: { records: 30, head: PLAN_DIGEST },
    closing: '',
    ...changes,
  };
}

/** The view of a run that has ended with this outcome. */
export function endedView(changes: Partial<ClusterOutcome> = {}): RunView {
  return viewOf({
    execution: 'completed',
    closedAtMs: 1_090_000,
    status: null,
    contact: null,
    outcome: outcomeOf(changes),
  });
}
