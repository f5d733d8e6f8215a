import type { ActivityScope } from './dependencies.js';
import type { RunKey } from './evidence/evidence-store.js';
import { failure } from './failures.js';

/**
 * An activity works for the run that its input names: it writes its evidence, takes its fence and uses the commands that were given
 * to it. Who else can have activities done must not work in its name. @throws `NotAuthorised`, and nothing is recorded: the
 * evidence would be the other run's.
 */
export async function requireOwnRun(
  { askedBy }: Pick<ActivityScope, 'askedBy'>,
  named: RunKey,
): Promise<void> {
  if (askedBy === undefined) return;
  const isOwn = askedBy?.workflowId === named.workflowId;
  if (isOwn && (askedBy.runId === named.runId || (await askedBy.firstRun()) === named.runId))
    return;
  throw failure(
    'NotAuthorised',
    `its input names the run ${named.runId} of ${named.workflowId}, and ${askerOf(askedBy)} asks for it`,
    { details: { wrote: false } },
  );
}

function askerOf(askedBy: NonNullable<ActivityScope['askedBy']> | null): string {
  return askedBy === null ? 'no workflow' : `the run ${askedBy.runId} of ${askedBy.workflowId}`;
}
