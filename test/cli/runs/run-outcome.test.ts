import { describe, expect, it } from '@jest/globals';
import { type Client, ServiceError, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, RetryState, ValueError } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { viewRun } from '../../../cli/runs/run-view.js';
import { exitStatusFor } from '../../../cli/screens/follow-run.js';
import { header } from '../../../cli/screens/header.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { outcomeOf } from '../given-runs.js';

/** A server that knows a run which has ended so, and answers with `result` to what came of it. */
function serverThat(status: string, result: () => unknown): Client {
  const describe = async (): Promise<object> => ({
    ...{ status: { name: status }, runId: 'run-1', historyLength: 40, memo: {} },
    ...{ startTime: new Date(1_000_000), closeTime: new Date(1_041_000) },
    typedSearchAttributes: { get: () => 'prod-1' },
  });
  return {
    options: { loadedDataConverter: loadDataConverter() },
    workflow: { getHandle: () => ({ describe }), result: async () => result() },
  } as unknown as Client;
}

function thrown(error: Error): () => never {
  return () => {
    throw error;
  };
}

describe('what came of an ended run', () => {
  it('is in its failure where it failed', async () => {
    const failure = ApplicationFailure.create({ details: [outcomeOf({ kind: 'refused' })] });
    const failed = new WorkflowFailedError('failed', failure, RetryState.TIMEOUT);
    const view = await viewRun(serverThat('FAILED', thrown(failed)), 'w');
    expect(exitStatusFor(view, 'settled')).toBe('refused');
  });

  it('is an error where the server does not say it', async () => {
    const client = serverThat('COMPLETED', thrown(new ServiceError('14 UNAVAILABLE')));
    await expect(viewRun(client, 'w')).rejects.toThrow('UNAVAILABLE');
  });

  it('is told as unknown, with the reason, where it cannot be read here', async () => {
    const noKey = new ValueError('no key k1: set CCM_MIGRATE_PAYLOAD_KEYS');
    const view = await viewRun(serverThat('COMPLETED', thrown(noKey)), 'w');
    const theme = createTheme({ color: false, ascii: false });
    const shown = header({ view, status: null, nowMs: 1_042_000, extra: [] }, theme);
    expect(shown[0]).toBe('prod-1  ⚠ OutcomeUnknown after 41.0 s');
    expect(shown.find((line) => line.startsWith('Outcome:'))).toMatch(
      /^Outcome: +not known: no key k1: set CCM_MIGRATE_PAYLOAD_KEYS$/,
    );
    expect(exitStatusFor(view, 'settled')).toBe('inconclusive');
  });
});
