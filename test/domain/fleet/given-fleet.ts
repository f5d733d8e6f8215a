import { advanceFleet } from '../../../domain/fleet/advance-fleet.js';
import type { FleetCommand, FleetOrder, FleetScope } from '../../../domain/fleet/fleet-command.js';
import type {
  FleetAction,
  FleetEvent,
  ReportKind,
  StartAnswer,
} from '../../../domain/fleet/fleet-events.js';
import type {
  FleetPlan,
  RolloutPolicy,
  RowPlan,
  WavePlan,
} from '../../../domain/fleet/fleet-plan.js';
import {
  beginFleet,
  type FleetAnswer,
  type FleetState,
  type Opening,
  type Row,
} from '../../../domain/fleet/fleet-state.js';
import { ALONE, type OtherRuns } from '../../../domain/fleet/other-runs.js';
import { waitReason, type WaitReason } from '../../../domain/fleet/wait-reasons.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const POLICY: RolloutPolicy = {
  inFlight: 2,
  unproven: 4,
  caps: {},
  budget: { clusters: 100, counts: 'inFlight' },
  slowStart: 100,
  correlated: { failures: 3, sharePercent: 25 },
  stalledForMs: 10 * MINUTE,
  onFailure: 'hold',
  unreachable: 'skip',
  busy: 'wait',
  drifted: 'fail',
  retryAfterMs: 5 * MINUTE,
  approvalExpiryMs: 24 * HOUR,
  startAtMs: null,
  deadlineMs: null,
};

export const WAVE: WavePlan = {
  name: 'main',
  done: null,
  soakLimitMs: null,
  approvals: { before: 0, after: 0 },
  approvers: null,
  scheduled: false,
  rehearseRollback: false,
};

export const APPROVED_BEFORE: WavePlan = { ...WAVE, approvals: { before: 1, after: 0 } };

export const ROW: RowPlan = {
  name: 'c',
  wave: 0,
  canary: false,
  groups: [],
  expectedMs: 100_000,
};

/** Rows from what differs in them. */
export function rowPlans(...changes: readonly Partial<RowPlan>[]): readonly RowPlan[] {
  return changes.map((change, index) => ({ ...ROW, name: `c${index}`, ...change }));
}

export function plan(changes: Partial<FleetPlan> = {}): FleetPlan {
  return {
    fleetRun: 'run-1',
    requester: 'ana',
    planDigest: 'sha256:plan',
    revision: 1,
    policy: POLICY,
    waves: [WAVE],
    rows: rowPlans({}, {}, {}, {}, {}, {}),
    ...changes,
  };
}

export const HELD = {
  kind: 'held',
  heals: false,
  changed: true,
  signature: 'CCM4008 removeMachine',
  reversibility: 'yes',
} as const satisfies ReportKind;

/** Someone turned the run itself. */
export const TURNED = {
  kind: 'turned',
  byPerson: true,
  changed: true,
  signature: '',
  reversibility: 'yes',
} as const;

export const STALLED = {
  ...HELD,
  heals: true,
  signature: 'unreachable',
} as const satisfies ReportKind;

export const ENDED = {
  kind: 'ended',
  outcome: 'proven',
  changed: true,
  signature: '',
  asked: false,
  reversibility: 'yes',
} as const satisfies ReportKind;

export const FAILED = { ...ENDED, outcome: 'failed', signature: 'CCM4008 removeMachine' } as const;
export const BACK_AGAIN = { ...ENDED, outcome: 'back' } as const;
export const STOPPED = { ...ENDED, outcome: 'stopped' } as const;
export const REFUSED = {
  ...ENDED,
  outcome: 'refused',
  changed: false,
  signature: 'CCM1203',
} as const;
export const SOAKING = { kind: 'soaking' } as const;
export const PARKED = { kind: 'parked' } as const;
export const READY = { kind: 'ready' } as const;

export function rows(...indexes: readonly number[]): FleetScope {
  return { kind: 'rows', rows: indexes };
}

/** A fleet that is told one event after the other. */
export class GivenFleet {
  state: FleetState;
  actions: readonly FleetAction[] = [];
  atMs = 1000;
  private commands = 0;
  private sequence = 0;

  constructor(
    changes: Partial<FleetPlan> = {},
    policy: Partial<RolloutPolicy> = {},
    otherRuns: OtherRuns = ALONE,
  ) {
    const state = beginFleet(plan({ policy: { ...POLICY, ...policy }, ...changes }), this.atMs);
    this.state = { ...state, otherRuns };
    this.tick();
  }

  /** Tells an event and keeps its actions. */
  tell(event: FleetEvent): this {
    const { state, actions } = advanceFleet(this.state, event);
    this.state = state;
    this.actions = actions;
    return this;
  }

  tick(afterMs = 0): this {
    this.atMs += afterMs;
    return this.tell({ kind: 'tick', atMs: this.atMs });
  }

  report(row: number, what: ReportKind): this {
    this.sequence += 1;
    const { fleetRun } = this.state;
    const report = { fleetRun, row, grant: this.row(row).grant, sequence: this.sequence, what };
    return this.tell({ kind: 'report', atMs: this.atMs, report });
  }

  sweep(row: number, found: Extract<FleetEvent, { kind: 'swept' }>['found']): this {
    return this.tell({ kind: 'swept', atMs: this.atMs, row, grant: this.row(row).grant, found });
  }

  answerStart(row: number, answer: StartAnswer, signature = `start ${answer}`): this {
    const { grant } = this.row(row);
    return this.tell({ kind: 'startAnswered', atMs: this.atMs, row, grant, answer, signature });
  }

  /** What the server lists of others now. */
  others(counts: Readonly<Record<string, number>>, unlabelled = 0): this {
    const { atMs } = this;
    const { revision } = this.state;
    return this.tell({ kind: 'otherRuns', atMs, revision, askedAtMs: atMs, counts, unlabelled });
  }

  openings(wave: number, ...openings: readonly Opening[]): this {
    return this.tell({ kind: 'opening', atMs: this.atMs, wave, openings });
  }

  /** Tells a command and returns its answer. */
  command(
    order: FleetOrder,
    scope: FleetScope = { kind: 'fleet' },
    actor = 'bo',
    signed: Pick<FleetCommand, 'principal' | 'signed'> = {},
  ): FleetAnswer {
    this.commands += 1;
    const commandId = `command-${this.commands}`;
    const { fleetRun } = this.state;
    const command = { commandId, actor, reason: 'CHG-1', fleetRun, scope, order, ...signed };
    this.tell({ kind: 'command', atMs: this.atMs, command });
    const answer = this.state.answers[commandId];
    if (answer === undefined) throw new Error('a command had no answer');
    return answer;
  }

  /** The report of each row's soak and of its end. */
  prove(...indexes: readonly number[]): this {
    for (const row of indexes) this.report(row, SOAKING).report(row, ENDED);
    return this;
  }

  row(index: number): Row {
    const found = this.state.rows[index];
    if (found === undefined) throw new Error(`there is no row ${index}`);
    return found;
  }

  phases(): readonly Row['phase'][] {
    return this.state.rows.map(({ phase }) => phase);
  }

  /** The rows of the last event's actions of one kind. */
  acted(kind: FleetAction['kind']): readonly number[] {
    return this.actions.flatMap((action) =>
      action.kind === kind && 'row' in action ? [action.row] : [],
    );
  }

  waits(index: number): WaitReason['kind'] | null {
    return waitReason(this.state, this.row(index))?.kind ?? null;
  }
}
