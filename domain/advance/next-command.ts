import type { RunState, Trouble } from './run-state.js';

/** What somebody does about a run that waits or has ended. */
export interface NextActions {
  /** What has to happen besides, in words; empty where the commands say it all. */
  readonly advice: string;
  /** Each can be typed as it stands, the one to begin with first. */
  readonly commands: readonly [string, ...string[]];
}

/** What to type next, for whoever looks at a run. */
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

/** Turning around or stopping is a choice; nobody has to do anything. */
function healing(trouble: Trouble, otherwise: string): NextActions {
  return {
    advice: `the run goes on by itself when ${codes(trouble)} has passed`,
    commands: [explain(trouble), otherwise],
  };
}

function afterTheEnd(state: RunState): NextActions {
  const { trouble, target, cluster } = state;
  if (trouble?.kind === 'fatal') return only(explain(trouble), checkCommand(state));
  return only(`ccm-migrate apply --cluster ${cluster.name} --target ${target}`, turn(state));
}

/** The command that looks at the run's cluster. */
export function checkCommand({ cluster }: Pick<RunState, 'cluster'>): string {
  return `ccm-migrate check --cluster ${cluster.name}`;
}

/** The command that takes the run to the other side. */
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
