/** What a history (as JSON) says besides its events: read with care, it may have been tampered with. */

/** Digest of the workflow bundle that carried the run, from the worker's build id; empty when there is none. */
export function bundleDigestIn(history: unknown): string {
  const ids = eventsOf(history).flatMap((event) => {
    const completed = member(event, 'workflowTaskCompletedEventAttributes');
    return [
      member(member(completed, 'deploymentVersion'), 'buildId'),
      member(member(completed, 'workerVersion'), 'buildId'),
    ].filter((id): id is string => typeof id === 'string' && id !== '');
  });
  return ids.at(-1) ?? '';
}

/** Length and hash of the evidence chain as the run itself reported them when it ended; null when it has not. */
export function evidenceHeadIn(
  history: unknown,
): { readonly records: number; readonly hash: string } | null {
  for (const event of eventsOf(history)) {
    const completed = member(event, 'workflowExecutionCompletedEventAttributes');
    const payload: unknown = list(member(member(completed, 'result'), 'payloads'))[0];
    const evidence = member(decoded(payload), 'evidence');
    const [records, hash] = [member(evidence, 'records'), member(evidence, 'head')];
    if (typeof records === 'number' && typeof hash === 'string') return { records, hash };
  }
  return null;
}

function decoded(payload: unknown): unknown {
  const data = member(payload, 'data');
  if (typeof data !== 'string') return null;
  try {
    return JSON.parse(Buffer.from(data, 'base64').toString('utf8'));
  } catch {
    return null;
  }
}

function eventsOf(history: unknown): readonly unknown[] {
  return list(member(history, 'events'));
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
