import { advance } from '../../../domain/run/advance.js';
import { beginRun } from '../../../domain/run/begin-run.js';
import type { MemberMessage, MemberOrder, Membership } from '../../../domain/run/membership.js';
import type { OperatorCommand } from '../../../domain/run/operator-command.js';
import { withTurnTimed } from '../../../domain/run/turn-time.js';
import type { NextAction, RunEvent, RunFailure, RunState } from '../../../domain/run/run-state.js';
import { decideRun } from '../../../domain/decision/decide-run.js';
import { FAILURES, type FailureType } from '../../../domain/failures.js';
import { makeFinding, type FindingCode } from '../../../domain/findings/catalogue.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import type { Decision, Step, StepName } from '../../../domain/decision/step.js';
import type { Target } from '../../../domain/vocabulary.js';
import { clusterOf, policyOf } from '../../support/cluster-builder.js';
import type { RunChange, RunObservation } from '../../../domain/run/results.js';

/** A cluster whose only changing part is a number, so that observations can differ without any consequence. */
export function seenCluster(version = 0): ClusterObservation {
  const observation = clusterOf({
    nodes: [{ kcm: 'inTree', ccm: 'none' }],
    kcmLeader: 0,
    ccmLeader: 'free',
    migration: 'free',
  });
  const { inventory } = observation;
  return {
    ...observation,
    inventory: { ...inventory, persistentVolumes: { inTree: version } },
  };
}

export function step(name: StepName = 'prepareCcm', changes: Partial<Step> = {}): Step {
  return {
    name,
    phase: name === 'finishManifest' ? 'repair' : 'prepareCcm',
    effect: { kind: 'setAccess', access: 'ccmAccess', want: 'present' },
    why: 'the test wants it',
    cures: [],
    ...changes,
  };
}

export function does(name: StepName = 'prepareCcm', changes: Partial<Step> = {}): Decision {
  return { kind: 'step', step: step(name, changes) };
}

export const DONE: Decision = { kind: 'done' };

export function blocked(code: FindingCode = 'CCM2003'): Decision {
  return { kind: 'blocked', findings: [makeFinding(code, { subject: 'cluster', seen: 'seen' })] };
}

/** An event, or one that contains what the rules of the run decide when it arrives. */
export type GivenEvent = RunEvent | ((run: GivenRun) => RunEvent);

export const LOOKED: GivenEvent = observed();

export function observed(version = 0, guarded = true): GivenEvent {
  return (run) => ({ kind: 'observed', observed: { ...run.observed(version), guarded } });
}

export const STARTED: RunEvent = { kind: 'started' };
export const CHECKED: RunEvent = {
  kind: 'checked',
  report: { planDigest: null, objections: [] },
};
export const FENCED: RunEvent = { kind: 'fenceTaken', epoch: 1 };

export const PASS: GateVerdict = verdict({ verdict: 'pass' });

export function verdict(changes: Partial<GateVerdict> = {}): GateVerdict {
  return {
    gate: 'oneOwner',
    hardness: 'hard',
    verdict: 'fail',
    detail: 'two owners',
    code: 'CCM3001',
    ...changes,
  };
}

export function finished(verdicts: readonly GateVerdict[] = [PASS], version = 0): GivenEvent {
  const summary = { mutations: 1, requests: 2, durationMs: 10, detail: 'done', orphanMs: 3 };
  return (run) => ({
    kind: 'stepFinished',
    report: { ...run.observed(version), verdicts, summary },
  });
}

/** A soak that ended: by its time, or earlier when `soakedMs` is given. */
export function soaked(
  verdicts: readonly GateVerdict[] = [PASS],
  soakedMs: number | null = null,
): GivenEvent {
  return (run) => ({
    kind: 'soakFinished',
    report: {
      ...run.observed(),
      verdicts,
      complete: soakedMs === null,
      progress: { soakedMs: soakedMs ?? 1, inventory: seenCluster().inventory, orphanedMs: 0 },
    },
  });
}

export function changeSeen(ended: RunChange['ended'] = 'changed'): GivenEvent {
  return (run) => {
    const { decision, firstSeen } = run.observed();
    return { kind: 'changeSeen', change: { ended, decision, firstSeen } };
  };
}

export function failed(
  type: FailureType = 'Unreachable',
  given: Partial<RunFailure> = {},
): RunEvent {
  const failure: RunFailure = {
    type,
    whoActs: FAILURES[type],
    message: 'it failed',
    neverRan: false,
    verdicts: [],
    ...given,
  };
  return { kind: 'activityFailed', failure };
}

let commands = 0;

export function command(
  verb: OperatorCommand['verb'],
  given: Partial<OperatorCommand> = {},
): RunEvent & { readonly kind: 'commandReceived' } {
  commands += 1;
  return {
    kind: 'commandReceived',
    command: {
      commandId: `command-${String(commands)}`,
      verb,
      arguments: {},
      actor: 'ana',
      reason: 'because',
      ticket: '',
      ...given,
    },
  };
}

export const MEMBER: Membership = {
  fleetWorkflowId: 'fleet-migration/prod-eu',
  fleetRun: 'run-1',
  row: 4,
  grant: 1,
};

export const BY = { actor: 'cy', reason: 'CHG-7' } as const;

/** An order to the member, in its present grant where no other is given. */
export function order(
  given: MemberOrder,
  changes: Partial<MemberMessage> = {},
): RunEvent & { readonly kind: 'orderReceived' } {
  const { fleetRun, row, grant } = MEMBER;
  return { kind: 'orderReceived', message: { fleetRun, row, grant, order: given, ...changes } };
}

export const ALERT = { actor: 'automation/am', reason: 'alert' } as const;

/** The brake of a fleet that an alert has paused, as a run of this build receives it. */
export const ALERT_BRAKE: RunEvent = {
  ...order({ kind: 'brake', commandId: 'b', by: ALERT }),
  yields: 'toPolicy',
};

export const PARK: RunEvent = order({ kind: 'park' });

export function granted(grant = 2, target: Target = 'ccm'): RunEvent {
  return order({ kind: 'grant', target, by: BY }, { grant });
}

export function turned(target: Target, grant = 1, byPerson = true): RunEvent {
  return order({ kind: 'turn', target, by: BY, byPerson }, { grant });
}

export function braked(commandId = 'pause-1', kind: 'brake' | 'release' = 'brake'): RunEvent {
  return order({ kind, commandId, by: BY });
}

/** A run with scripted rules: the decision for each observation in turn, the last one repeated. */
export class GivenRun {
  state: RunState;
  last: NextAction = { kind: 'continue' };
  readonly asked: { target: Target; waivers: readonly string[] }[] = [];
  private readonly decisions: Decision[];

  constructor(
    decisions: readonly Decision[],
    policy: Partial<MigrationPolicy> = {},
    member: Membership | null = null,
  ) {
    this.decisions = [...decisions];
    this.state = beginRun({
      cluster: { name: 'c1', uid: 'uid-1' },
      policy: policyOf(policy),
      target: 'ccm',
      planDigest: 'sha256:plan',
      actor: 'ana',
      reason: 'go',
      takesOver: false,
      ...(member === null ? {} : { member }),
    });
  }

  /** The current observation, with what the rules decide from it. */
  observed(version = 0): RunObservation {
    const observation = seenCluster(version);
    const { policy, direction, proofs } = this.state;
    const { target, waivers, approvals, revision } = direction;
    const request = {
      ...{ target, waivers, approvals, since: proofs.since, revision },
      ...(proofs.probes?.before && { probedBefore: proofs.probes.before }),
    };
    let isFirst = true;
    const decision = decideRun(observation, policy, request, (_observation, toward, effective) => {
      // Called a second time for the rollback.
      if (isFirst) {
        this.asked.push({ target: toward, waivers: effective.waivers.map(({ code }) => code) });
      }
      isFirst = false;
      return this.decisions[0] ?? DONE;
    });
    return { decision, firstSeen: [], inventory: observation.inventory, guarded: true };
  }

  /** What the rules decide from now on. */
  rule(decision: Decision): this {
    this.decisions.splice(0, this.decisions.length, decision);
    return this;
  }

  on(...events: readonly GivenEvent[]): this {
    for (const given of events) {
      const event = typeof given === 'function' ? given(this) : given;
      const next = advance(this.state, event);
      this.state = JSON.parse(JSON.stringify(next.state)) as RunState;
      this.last = next.command;
    }
    return this;
  }

  /** Until the first step is in flight. */
  stepping(): this {
    return this.on(STARTED, CHECKED, FENCED, LOOKED);
  }

  /** Noted as the workflow does, after each event. */
  timed(nowMs: number, outlasts = true): this {
    this.state = withTurnTimed(this.state, () => ({ nowMs, outlasts }));
    return this;
  }

  answer(event: { readonly command: OperatorCommand }): string {
    const answer = this.state.commands.answers[event.command.commandId];
    return answer === undefined ? 'none' : `${answer.state}: ${answer.detail}`;
  }
}
