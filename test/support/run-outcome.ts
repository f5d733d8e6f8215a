import type { RunOutcome } from '../../domain/run/outcome.js';

/** How a run ends that has changed its cluster. */
export const OUTCOME: RunOutcome = {
  ...{ kind: 'done', target: 'ccm', summary: 'done', clusterState: 'moved', nextCommand: '' },
  ...{ otherCommands: [], reversibility: '', findings: [], stepsDone: 5, orphanMs: 0 },
  failureType: null,
};
