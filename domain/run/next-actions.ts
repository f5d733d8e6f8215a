import { fleetName } from './fleet-ties.js';
import { holdingBrakes, isPaused, ownPause } from './alert-pauses.js';
import { heals } from './holds.js';
import type { HoldReason, RunState } from './run-state.js';
import { shownHold } from './shown-hold.js';

/** What an operator can do about a run that waits or has ended. */
export interface NextActions {
  /** What else has to happen; empty where the commands are enough. */
  readonly advice: string;
  /** Each can be pasted unchanged; the first to run comes first. */
  readonly commands: readonly [string, ...string[]];
}

/** What to run next, for the operator of a run. */
export function nextActions(state: RunState): NextActions {
  const { kind: hold } = state.operatorHold;
  const holdReason = shownHold(state);
  if (hold === 'stop' || state.inFlight.kind === 'ended') return afterTheEnd(state);
  if (ownPause(state) !== null)
    return only(verb(state, 'resume'), turn(state), verb(state, 'stop'));
  if (isPaused(state)) return braked(state);
  if (state.membership.slot === 'givenBack') return inParking(holdReason, state);
  if (holdReason === null) return only(verb(state, 'status', '-w'));
  return state.pendingTurn === undefined
    ? outOf(holdReason, state)
    : withPause(outOf(holdReason, state), state);
}

/** A person who wants the hold without its rollback pauses the run. */
function withPause({ advice, commands }: NextActions, state: RunState): NextActions {
  return { advice, commands: [...commands, verb(state, 'pause')] };
}

/** Only the command that paused the fleet, a wave or its clusters can be taken back. */
function braked(state: RunState): NextActions {
  const name = fleetName(state.membership);
  const who = holdingBrakes(state)
    .map(({ by }) => `${by.actor}: ${by.reason}`)
    .join('; ');
  return {
    advice: `paused by fleet ${name} (${who}); it ends by a resume there`,
    commands: [`ccm-migrate status ${name}`, turn(state), verb(state, 'stop')],
  };
}

/** What has healed waits for a slot alone; what has not is retried through the fleet. */
function inParking(holdReason: HoldReason | null, state: RunState): NextActions {
  const name = fleetName(state.membership);
  if (holdReason?.kind === 'approval' || holdReason?.kind === 'rejected') {
    return { ...outOf(holdReason, state), advice: `parked by fleet ${name} until it is approved` };
  }
  const first =
    holdReason === null
      ? ''
      : heals(holdReason)
        ? `until ${codes(holdReason)} has passed, and then `
        : `until ${codes(holdReason)} is cured and it is retried there, and then `;
  return {
    advice: `parked by fleet ${name}, waits ${first}for a slot`,
    commands: [`ccm-migrate retry ${name}/${state.cluster.name}`, turn(state), verb(state, 'stop')],
  };
}

function outOf(holdReason: HoldReason, state: RunState): NextActions {
  switch (holdReason.kind) {
    case 'approval':
      return only(verb(state, 'approve'), verb(state, 'reject'));
    case 'rejected':
      return only(verb(state, 'approve'), turn(state), verb(state, 'stop'));
    case 'blocked':
      return asked(holdReason, state) ?? healing(holdReason, turn(state));
    case 'unserved':
      return healing(holdReason, verb(state, 'stop'));
    case 'gates':
    case 'failure':
    case 'repeats':
      return holdReason.whoActs === 'environment'
        ? healing(holdReason, turn(state))
        : {
            advice: `cure ${codes(holdReason)}, then retry`,
            commands: [verb(state, 'retry'), turn(state)],
          };
    case 'fatal':
      return afterTheEnd(state);
  }
}

/** Reversing or stopping the run is optional; nothing has to be done. */
function healing(holdReason: HoldReason, otherwise: string): NextActions {
  return {
    advice: `the run continues by itself when ${codes(holdReason)} has passed`,
    commands: [explain(holdReason), otherwise],
  };
}

/** Where nothing but a person's word ends the hold; null where something else has to pass first. */
function asked(holdReason: HoldReason, state: RunState): NextActions | null {
  const next = state.observed?.decision.next;
  const waivable = next?.kind === 'blocked' ? next.waivable : {};
  const words = holdReason.findings.map(({ code }) => ({ code, word: waivable[code] }));
  const [first, ...others] = words.flatMap(({ code, word }) =>
    word === undefined ? [] : [verb(state, word, '--code', code)],
  );
  if (first === undefined || others.length + 1 < words.length) return null;
  return {
    advice: `waits for a person's word on ${codes(holdReason)}`,
    commands: [first, ...others, explain(holdReason), turn(state)],
  };
}

function afterTheEnd(state: RunState): NextActions {
  const { cluster, direction, problems } = state;
  const { holdReason } = problems;
  if (holdReason?.kind === 'fatal') return only(explain(holdReason), checkCommand(state));
  const apply = `ccm-migrate apply --cluster ${cluster.name} --target ${direction.target}`;
  return only(apply, turn(state));
}

/** The command that checks the run's cluster. */
export function checkCommand({ cluster }: Pick<RunState, 'cluster'>): string {
  return `ccm-migrate check --cluster ${cluster.name}`;
}

/** The command that reverses the run's direction. */
export function turn(state: Pick<RunState, 'cluster' | 'direction'>): string {
  return verb(state, state.direction.target === 'ccm' ? 'rollback' : 'rollforward');
}

function only(...commands: readonly [string, ...string[]]): NextActions {
  return { advice: '', commands };
}

function verb(
  { cluster }: Pick<RunState, 'cluster'>,
  name: string,
  ...flags: readonly string[]
): string {
  return ['ccm-migrate', name, cluster.name, ...flags].join(' ');
}

function explain({ findings }: HoldReason): string {
  return `ccm-migrate explain ${findings[0].code}`;
}

function codes({ findings }: HoldReason): string {
  return [...new Set(findings.map(({ code }) => code))].join(', ');
}
