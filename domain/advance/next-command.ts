import type { RunState, Trouble } from './run-state.js';

/** What an operator can do about a run that waits or has ended. */
export interface NextActions {
  /** What else has to happen; empty where the commands are enough. */
  readonly advice: string;
  /** Each can be pasted unchanged; the first to run comes first. */
  readonly commands: readonly [string, ...string[]];
}

/** What to run next, for the operator of a run. */
export function nextActions(state: RunState): NextActions {
  const { hold, trouble } = state;
  if (hold === 'stop' || state.activity.kind === 'ended') return afterTheEnd(state);
  if (hold === 'pause') return only(verb(state, 'resume'), turn(state), verb(state, 'stop'));
  return trouble === null ? only(verb(state, 'status', '-w')) : outOf(trouble, state);
}

function outOf(trouble: Trouble, state: RunState): NextActions {
  switch (trouble.kind) {
    case 'approval':
      return only(verb(state, 'approve'), verb(state, 'reject'));
    case 'rejected':
      return only(verb(state, 'approve'), turn(state), verb(state, 'stop'));
    case 'blocked':
      return healing(trouble, turn(state));
    case 'unserved':
      return healing(trouble, verb(state, 'stop'));
    case 'gates':
    case 'failure':
    case 'repeats':
      return trouble.whoActs === 'environment'
        ? healing(trouble, turn(state))
        : {
            advice: `cure ${codes(trouble)}, then retry`,
            commands: [verb(state, 'retry'), turn(state)],
          };
    case 'fatal':
      return afterTheEnd(state);
  }
}

/** Reversing or stopping the run is optional; nothing has to be done. */
function healing(trouble: Trouble, otherwise: string): NextActions {
  return {
    advice: `the run continues by itself when ${codes(trouble)} has passed`,
    commands: [explain(trouble), otherwise],
  };
}

function afterTheEnd(state: RunState): NextActions {
  const { trouble, target, cluster } = state;
  if (trouble?.kind === 'fatal') return only(explain(trouble), checkCommand(state));
  return only(`ccm-migrate apply --cluster ${cluster.name} --target ${target}`, turn(state));
}

/** The command that checks the run's cluster. */
export function checkCommand({ cluster }: Pick<RunState, 'cluster'>): string {
  return `ccm-migrate check --cluster ${cluster.name}`;
}

/** The command that reverses the run's direction. */
export function turn(state: Pick<RunState, 'cluster' | 'target'>): string {
  return verb(state, state.target === 'ccm' ? 'rollback' : 'rollforward');
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

function explain({ findings }: Trouble): string {
  return `ccm-migrate explain ${findings[0].code}`;
}

function codes({ findings }: Trouble): string {
  return [...new Set(findings.map(({ code }) => code))].join(', ');
}
