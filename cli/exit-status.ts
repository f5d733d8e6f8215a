/** How a command can end, and the exit code that scripts see. Exit codes are defined only here. */
export const EXIT_CODES = {
  reached: 0,
  failed: 1,
  changes: 2,
  checksFailed: 3,
  rolledBack: 4,
  halted: 5,
  refused: 7,
  inconclusive: 8,
  usage: 64,
  configInvalid: 65,
  timedOut: 124,
  interrupted: 130,
} as const;

export type ExitStatus = keyof typeof EXIT_CODES;

/** What one of our exit codes means; null for any other code and for a signal. */
export function exitStatusOf(code: number | null): ExitStatus | null {
  for (const [status, own] of Object.entries(EXIT_CODES)) {
    if (own === code && isExitStatus(status)) return status;
  }
  return null;
}

function isExitStatus(name: string): name is ExitStatus {
  return Object.hasOwn(EXIT_CODES, name);
}

/** What help pages say about each exit status. */
export const EXIT_STATUS_MEANINGS: Readonly<Record<ExitStatus, string>> = {
  reached: 'success: the requested state was reached',
  failed: 'unexpected error, or a server could not be reached',
  changes: 'the plan has steps (only with --detailed-exitcode)',
  checksFailed: 'checks failed at or above --severity',
  rolledBack: 'rolled back; the cluster is safe',
  halted: 'stopped midway: an operator is needed',
  refused: 'refused: stale plan, lock held, missing approval or access',
  inconclusive: 'not known: a gate had no data, or a check could not be proven',
  usage: 'usage error',
  configInvalid: 'invalid configuration',
  timedOut: 'the wait timed out; the run continues',
  interrupted: 'interrupted; the run continues',
};
