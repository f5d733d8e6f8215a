import type { RunState, Trouble } from './run-state.js';

/** What to type next, for whoever looks at a run that waits or has ended. */
export function nextCommand(state: RunState): string {
  const { hold, trouble } = state;
  if (hold === 'stop' || state.activity.kind === 'ended') return afterTheEnd(state);
  if (hold === 'pause') return verb(state, 'resume');
  return trouble === null ? verb(state, 'status', '-w') : outOf(trouble, state);
}

function outOf(trouble: Trouble, state: RunState): string {
  switch (trouble.kind) {
    case 'approval':
      return `${verb(state, 'approve')} or ${verb(state, 'reject')}`;
    case 'rejected':
      return `${verb(state, 'approve')}, ${turn(state)} or ${verb(state, 'stop')}`;
    case 'blocked':
      return `cure ${codes(trouble)}: the run goes on by itself; or ${turn(state)}`;
    case 'unserved':
      return `see ${codes(trouble)}: the run goes on by itself; or ${verb(state, 'stop')}`;
    case 'gates':
    case 'failure':
    case 'repeats':
      if (trouble.whoActs === 'environment') {
        return `wait: the run goes on by itself when ${codes(trouble)} has passed; or ${turn(state)}`;
      }
      return `cure ${codes(trouble)}, then ${verb(state, 'retry')}; or ${turn(state)}`;
    case 'fatal':
      return afterTheEnd(state);
  }
}

function afterTheEnd(state: RunState): string {
  const { trouble, target } = state;
  if (trouble?.kind === 'fatal') {
    return `ccm-migrate explain ${trouble.findings[0].code}, then ccm-migrate check --cluster ${state.cluster.name}`;
  }
  return `ccm-migrate apply to go on toward ${target}, or ${turn(state)}`;
}

function turn(state: RunState): string {
  return verb(state, state.target === 'ccm' ? 'rollback' : 'rollforward');
}

function verb({ cluster }: RunState, name: string, ...flags: readonly string[]): string {
  return ['ccm-migrate', name, cluster.name, ...flags].join(' ');
}

function codes({ findings }: Trouble): string {
  return [...new Set(findings.map(({ code }) => code))].join(', ');
}
