import { advanceFleet } from '../../../domain/fleet/advance-fleet.js';
import { decodeFleet, encodeFleet } from '../../../domain/fleet/encoded-fleet.js';
import type { FleetOrder, FleetScope } from '../../../domain/fleet/fleet-command.js';
import type {
  FleetAction,
  FleetEvent,
  FleetTransition,
  MemberReport,
  ReportKind,
} from '../../../domain/fleet/fleet-events.js';
import { beginFleet, type FleetState, type Row } from '../../../domain/fleet/fleet-state.js';
import { nextTickMs } from '../../../domain/fleet/timed.js';
import { waitReason } from '../../../domain/fleet/wait-reasons.js';
import { checkOthers } from './check-others.js';
import type { AnyFleet } from './drawn-fleets.js';
import {
  ENDED,
  HELD,
  plan,
  POLICY,
  READY,
  ROW,
  SOAKING,
  STALLED,
  STOPPED,
  TURNED,
  WAVE,
} from './given-fleet.js';
import { ParkedRuns } from './parked-runs.js';

function begin({ policy, waves: given, clusters: rows }: AnyFleet): FleetState {
  return beginFleet(
    plan({
      policy: { ...POLICY, ...policy },
      waves: given.map((wave) => ({ ...WAVE, ...wave })),
      rows: rows.map(({ wave, region, ...row }, index) => ({
        ...{ ...ROW, ...row, name: `c${index}` },
        ...{ wave: wave % given.length, groups: [`region=r${region}`] },
      })),
    }),
    0,
  );
}

export function must(holds: boolean, what: string, seen: unknown): void {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen)}`);
}

export const moves = ({ phase }: Row): boolean =>
  phase === 'active' || phase === 'stalled' || phase === 'parking';
export const inSoak = ({ phase }: Row): boolean => phase === 'soaking';
const isOpen = (row: Row): boolean => moves(row) || inSoak(row) || row.phase === 'parked';

/** Counted here once more, so that no count of the rule confirms itself. */
function checkLimits(
  before: FleetState,
  after: FleetState,
  actions: readonly FleetAction[],
  turned: ReadonlySet<number>,
): void {
  const started = actions.flatMap((action) =>
    action.kind === 'start' || action.kind === 'grant' || action.kind === 'turn'
      ? [action.row]
      : [],
  );
  const { policy, rows } = after;
  // What had a slot, and a single cluster's turn, never waits for one.
  const admitted = started.filter(
    (row) => !turned.has(row) && !before.rows.slice(row, row + 1).some(moves),
  );
  const forward = admitted.filter(
    (row) => rows[row]?.target === 'ccm' && before.rows[row]?.phase === 'waiting',
  );
  const moving = rows.filter(moves);
  checkOthers(after, forward, moving);
  if (admitted.length > 0) must(moving.length <= policy.inFlight, 'in flight', moving.length);
  const unproven = rows.filter((row) => moves(row) || inSoak(row) || row.phase === 'parked').length;
  if (forward.length > 0) must(unproven <= policy.unproven, 'unproven', unproven);
  for (const row of admitted) {
    for (const group of rows[row]?.groups ?? []) {
      const inGroup = moving.filter(({ groups }) => groups.includes(group)).length;
      must(inGroup <= (policy.caps['region'] ?? Infinity), 'cap', group);
    }
  }
}

/** The budget holds for what it reserved: failures in the soak, where it does not reserve, and second tries come on top. */
function checkBudget({ rows, policy }: FleetState, exempt: ReadonlySet<number>): void {
  const burnt = rows.filter(({ burntMs, index }) => burntMs !== null && !exempt.has(index));
  must(burnt.length <= policy.budget.clusters, 'budget', burnt.length);
}

function checkWaits(state: FleetState): void {
  for (const row of state.rows) {
    const waits = row.phase === 'waiting' || row.phase === 'parked' || row.rollbackQueued;
    must(!waits || waitReason(state, row) !== null, 'waits for nothing', row);
  }
}

type Life = AnyFleet['chances'][number]['life'];

function reportFor(row: Row, life: Life): ReportKind | null {
  if (row.stopping) return STOPPED;
  if (row.phase === 'parking') return { kind: 'parked' };
  if (row.phase === 'parked') return row.heals && !row.ready ? READY : null;
  if (row.phase === 'stalled') return READY;
  if (row.target === 'kcm') return { ...ENDED, outcome: 'back', asked: row.turnedByPerson };
  return row.phase === 'soaking' ? fromSoak(life) : fromChange(life);
}

function goesOn({ target }: Row, life: Life): ReportKind | null {
  return life === 'well' && target === 'ccm' ? SOAKING : null;
}

const NEED_SLOTS: ReadonlySet<ReportKind['kind']> = new Set(['soaking', 'held', 'ended']);

function needsSlot(said: ReportKind | null): boolean {
  return said !== null && NEED_SLOTS.has(said.kind);
}

function fromSoak(life: Life): ReportKind {
  return life === 'fails' ? { ...ENDED, outcome: 'failed' } : ENDED;
}

function fromChange(life: Life): ReportKind {
  if (life === 'fails') return HELD;
  // Someone turned the run itself.
  if (life === 'turns') return { ...TURNED, target: 'kcm' };
  return life === 'stalls' ? STALLED : SOAKING;
}

/** Called after each event with the state before it. */
type Watch = (before: FleetState, event: FleetEvent, run: FleetTransition) => void;

/** A fleet to which chance does things, with the checks that hold after each. */
export class FleetRun {
  state: FleetState;
  readonly exempt = new Set<number>();
  /** Rows whose start has not been begun: they report nothing. */
  unstarted: ReadonlySet<number> = new Set();
  readonly sent: { readonly report: MemberReport }[] = [];
  private readonly watch: Watch;
  private readonly parked = new ParkedRuns();
  private sequence = 0;
  private commands = 0;

  constructor(given: AnyFleet, watch: Watch = () => undefined) {
    this.watch = watch;
    this.state = begin(given);
    this.tell({ kind: 'tick', atMs: 0 });
  }

  tell(event: FleetEvent, turned: ReadonlySet<number> = new Set()): readonly FleetAction[] {
    const before = this.state;
    const { state, actions } = advanceFleet(before, event);
    this.state = state;
    this.parked.note(actions);
    this.watch(before, event, { state, actions });
    for (const row of before.rows) if (inSoak(row)) this.exempt.add(row.index);
    const policyTurns = actions.flatMap((each) =>
      (each.kind === 'turn' || each.kind === 'start') && each.target === 'kcm' ? [each.row] : [],
    );
    const soaked = policyTurns.filter((row) => event.kind === 'report' && event.report.row === row);
    checkLimits(before, state, actions, new Set([...turned, ...soaked]));
    checkBudget(state, this.exempt);
    checkWaits(state);
    must(
      state.rows.every(({ index }, place) => index === place),
      'rows moved',
      state.rows,
    );
    return actions;
  }

  step({
    life,
    pick,
    lost,
    repeated,
    parks,
    restarted,
    others,
    command,
  }: AnyFleet['chances'][number]): void {
    if (restarted) {
      const through = JSON.parse(JSON.stringify(encodeFleet(this.state))) as ReturnType<
        typeof encodeFleet
      >;
      const again = decodeFleet(through);
      must(
        JSON.stringify(again) === JSON.stringify(decodeFleet(encodeFleet(this.state))),
        'restart',
        again,
      );
      this.state = again;
    }
    if (others !== null) this.count(others);
    if (command !== null) this.command(command.order, command.scope, command.actor);
    if (parks) this.park();
    this.report(life, pick, lost === 0);
    if (repeated) this.repeat(pick);
    const tickMs = nextTickMs(this.state);
    if (pick % 7 === 0 && tickMs !== null) this.tell({ kind: 'tick', atMs: tickMs });
  }

  private count(runs: number): void {
    const atMs = this.state.nowMs;
    const counts = { 'region=r0': runs };
    this.tell({
      ...{ kind: 'otherRuns', atMs, revision: this.state.revision },
      ...{ askedAtMs: atMs, counts, unlabelled: 0 },
    });
  }

  command(order: FleetOrder, scope: FleetScope, actor = 'bo'): void {
    this.commands += 1;
    const commandId = `c${this.commands}`;
    const turns = order.verb === 'rollBack' && scope.kind === 'rows' && scope.rows.length === 1;
    // A lower budget, or a person who sends clusters forward in mid-turn, is that person's word.
    if (order.verb === 'rollForward') for (const row of this.state.rows) this.exempt.add(row.index);
    const { fleetRun } = this.state;
    const command = { commandId, actor, reason: '', fleetRun, scope, order };
    const event: FleetEvent = { kind: 'command', atMs: this.state.nowMs, command };
    this.tell(event, new Set(turns ? scope.rows : []));
    const { state } = this;
    must(this.tell(event).length === 0 && this.state.answers === state.answers, 'twice', commandId);
  }

  private report(life: Life, pick: number, lost: boolean): void {
    const open = this.state.rows.filter((row) => isOpen(row) && !this.unstarted.has(row.index));
    const row = open[pick % Math.max(1, open.length)];
    if (row === undefined) return;
    const { index, grant } = row;
    const atMs = this.state.nowMs + 1000;
    if (life === 'dies') {
      this.tell({ kind: 'swept', atMs, row: index, grant, found: { kind: 'terminated' } });
    } else if (life === 'unreachable' || life === 'busy') {
      this.tell({ kind: 'startAnswered', atMs, row: index, grant, answer: life, signature: life });
    } else this.send(row, this.saidBy(row, life), lost);
  }

  /** A run obeys its oldest order to park, whatever it has reported since. */
  private park(): boolean {
    const order = this.parked.obeyNext();
    if (order === null) return false;
    for (const kind of ['parked', 'ready'] as const) this.send(order, { kind }, false);
    return true;
  }

  /** A run without a slot only watches. One that has not heard that it is to park may go on before it does. */
  private saidBy(row: Row, life: Life): ReportKind | null {
    if (this.isToPark(row)) return goesOn(row, life);
    const said = reportFor(row, life);
    if (said?.kind === 'turned') this.parked.turned(row);
    return this.parked.has(row) && !row.stopping && needsSlot(said) ? null : said;
  }

  private isToPark(row: Row): boolean {
    return row.phase === 'parking' && !row.stopping && this.parked.isComing(row);
  }

  send(
    { index: row, grant }: Pick<Row, 'index' | 'grant'>,
    what: ReportKind | null,
    lost: boolean,
  ): void {
    if (what === null) return;
    this.sequence += 1;
    const report = { fleetRun: 'run-1', row, grant, sequence: this.sequence, what };
    this.sent.push({ report });
    if (!lost) this.tell({ kind: 'report', atMs: this.state.nowMs + 1000, report });
  }

  /** An old report comes once more, also from an earlier fleet of the same name. It must do nothing that is new. */
  private repeat(pick: number): void {
    const message = this.sent[pick % Math.max(1, this.sent.length)];
    if (message === undefined) return;
    const atMs = this.state.nowMs;
    const { report } = message;
    const stranger = { ...report, fleetRun: 'run-0', grant: 1, sequence: 10_000 };
    const before = this.state;
    must(this.tell({ kind: 'report', atMs, report: stranger }).length === 0, 'stranger', stranger);
    must(JSON.stringify(this.state) === JSON.stringify(before), 'stranger counted', stranger);
    this.tell({ kind: 'report', atMs, report });
    const once = this.state;
    must(this.tell({ kind: 'report', atMs, report }).length === 0, 'repeated', report);
    must(JSON.stringify(this.state) === JSON.stringify(once), 'repeated counted', report);
  }

  /** From now on all goes well: whatever can end does. */
  finish(): void {
    for (let turn = 0; turn < 400; turn += 1) {
      const before = JSON.stringify(this.state.rows);
      this.count(0);
      while (this.park());
      for (const { index } of this.state.rows) {
        for (const row of this.state.rows.slice(index, index + 1).filter(isOpen)) {
          this.send(row, this.saidBy(row, 'well'), false);
        }
      }
      const tickMs = nextTickMs(this.state);
      if (tickMs !== null) this.tell({ kind: 'tick', atMs: tickMs });
      else if (JSON.stringify(this.state.rows) === before) return;
    }
    throw new Error(`the fleet never rests: ${JSON.stringify(this.state.rows)}`);
  }
}
