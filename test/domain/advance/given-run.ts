import { advance } from '../../../domain/advance/advance.js';
import { beginRun } from '../../../domain/advance/begin-run.js';
import type { OperatorCommand } from '../../../domain/advance/operator-command.js';
import type { RunRules } from '../../../domain/advance/run-rules.js';
import type {
  RunCommand,
  RunEvent,
  RunFailure,
  RunReport,
  RunState,
} from '../../../domain/advance/run-state.js';
import { waivableBy } from '../../../domain/advance/waivable.js';
import { FAILURES, type FailureType } from '../../../domain/failures.js';
import { makeFinding, type FindingCode } from '../../../domain/findings/catalogue.js';
import type { GateVerdict } from '../../../domain/gates.js';
import type { ClusterObservation } from '../../../domain/observation.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import type { Decision, Step, StepName } from '../../../domain/step.js';
import type { Target } from '../../../domain/vocabulary.js';
import { clusterOf, policyOf } from '../../support/cluster-builder.js';

/** A cluster whose only changing part is a number, so that looks can differ without meaning anything. */
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
    inventory: { ...inventory, workers: { ...inventory.workers, total: version } },
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

export const LOOKED: RunEvent = {
  kind: 'looked',
  look: { observation: seenCluster(), sightings: [] },
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

export function finished(verdicts: readonly GateVerdict[] = [PASS], version = 0): RunEvent {
  const report: RunReport = {
    observation: seenCluster(version),
    sightings: [],
    verdicts,
    summary: { mutations: 1, requests: 2, durationMs: 10, detail: 'done', orphanMs: 3 },
  };
  return { kind: 'stepFinished', report };
}

export function soaked(verdicts: readonly GateVerdict[] = [PASS]): RunEvent {
  return {
    kind: 'soakFinished',
    report: { observation: seenCluster(), sightings: [], verdicts },
  };
}

export function changeSeen(version = 0): RunEvent {
  return { kind: 'changeSeen', look: { observation: seenCluster(version), sightings: [] } };
}

export function failed(type: FailureType = 'Unreachable'): RunEvent {
  const failure: RunFailure = {
    type,
    whoActs: FAILURES[type],
    message: 'it failed',
    outcomeUnknown: true,
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

/** A run with scripted rules: the decision for each look in turn, the last one again and again. */
export class GivenRun {
  state: RunState;
  last: RunCommand = { kind: 'continue' };
  readonly asked: { target: Target; waivers: readonly string[] }[] = [];
  private readonly decisions: Decision[];

  constructor(decisions: readonly Decision[], policy: Partial<MigrationPolicy> = {}) {
    this.decisions = [...decisions];
    this.state = beginRun({
      cluster: { name: 'c1', uid: 'uid-1' },
      policy: policyOf(policy),
      target: 'ccm',
      actor: 'ana',
      reason: 'go',
    });
  }

  private readonly rules: RunRules = {
    waivableBy,
    nextStep: (_observation, target, policy) => {
      this.asked.push({ target, waivers: policy.waivers.map(({ code }) => code) });
      return this.decisions[0] ?? DONE;
    },
  };

  /** What the rules say from now on. */
  rule(decision: Decision): this {
    this.decisions.splice(0, this.decisions.length, decision);
    return this;
  }

  on(...events: readonly RunEvent[]): this {
    for (const event of events) {
      const next = advance(this.state, event, this.rules);
      this.state = JSON.parse(JSON.stringify(next.state)) as RunState;
      this.last = next.command;
    }
    return this;
  }

  /** Until the first step is in flight. */
  stepping(): this {
    return this.on({ kind: 'started' }, FENCED, LOOKED);
  }

  answer(event: { readonly command: OperatorCommand }): string {
    const answer = this.state.answers[event.command.commandId];
    return answer === undefined ? 'none' : `${answer.state}: ${answer.detail}`;
  }
}
