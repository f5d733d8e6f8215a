import { describe, expect, it } from '@jest/globals';
import { READ_ALL } from '../../../cli/audit/listed-executions.js';
import { runsOnRecord } from '../../../cli/audit/runs-on-record.js';
import { populationGaps } from '../../../domain/evidence/population.js';
import { type ListedExecution, listingServer } from './listing-server.js';
import { signedExport, TRUST } from './signed-export.js';
import { CONTEXT } from './written-run.js';

const { workflowId } = CONTEXT;

/** A run as a worker of the trust wrote it, without its end; under another id than it signed where one is given. */
function openRun(signed = 'run-1', runId = signed): ListedExecution {
  const text = signedExport({ steps: 0, runId: signed });
  const own = '"firstExecutionRunId": "';
  const { executions } = JSON.parse(text.replace(own + signed, own + runId)) as {
    readonly executions: readonly [{ readonly history: { readonly events: readonly object[] } }];
  };
  const { events } = executions[0].history;
  return { workflowId, runId, history: { events: events.slice(0, -1) } };
}

/** The same with other text in its payloads and events. */
function changed(run: ListedExecution, change: (text: string) => string): ListedExecution {
  const { events } = run.history as { readonly events: readonly object[] };
  const others = events.map((event) => {
    const attributes = Object.entries(event).map(([name, value]) => [
      name,
      name === 'activityTaskCompletedEventAttributes' ? withResult(value, change) : value,
    ]);
    return Object.fromEntries(attributes) as object;
  });
  return { ...run, history: { events: others } };
}

function withResult(given: unknown, change: (text: string) => string): object {
  const value = given as {
    readonly result: { readonly payloads: readonly [{ readonly data: string }] };
  };
  const [payload] = value.result.payloads;
  const text = change(Buffer.from(payload.data, 'base64').toString());
  const data = Buffer.from(text).toString('base64');
  return { ...value, result: { payloads: [{ ...payload, data }] } };
}

const unsigned = (run: ListedExecution) =>
  changed(run, (text) => text.replace(/,"signature":\{[^}]*\}/, ''));

async function found(run: ListedExecution, trusted: Parameters<typeof runsOnRecord>[3]) {
  const { runs } = await runsOnRecord(listingServer([run]), [], READ_ALL, trusted);
  const fence = { cluster: 'c1', uid: 'uid-1', epoch: 1, readAtMs: 1 };
  const gaps = populationGaps(
    { runs, fences: [fence], logged: [] },
    { fromMs: -Infinity, toMs: Infinity },
    { nowMs: 2, retentionMs: 1 },
  );
  return gaps.map(({ kind }) => kind);
}

const KEYS = { trust: TRUST, takesUnsigned: false };

describe('an open run that only the server lists', () => {
  it('accounts for the epoch that a worker signed', async () => {
    expect(await found(openRun(), KEYS)).toEqual([]);
  });

  it.each<[string, ListedExecution]>([
    ['no one signed', unsigned(openRun())],
    ['a worker signed for another run', openRun('run-1', 'run-2')],
    [
      'is not the signed one',
      changed(openRun(), (text) => text.replace('"epoch":1', '"epoch": 1')),
    ],
  ])('proves no epoch that %s', async (_how, run) => {
    expect(await found(run, KEYS)).toEqual(['unprovenRun']);
  });

  it('accounts for one without a signature where these are accepted, and for one with a wrong one not', async () => {
    const accepting = { ...KEYS, takesUnsigned: true };
    expect(await found(unsigned(openRun()), accepting)).toEqual([]);
    expect(await found(openRun('run-1', 'run-2'), accepting)).toEqual(['unprovenRun']);
    expect(await found(unsigned(openRun()), null)).toEqual([]);
  });

  it('accounts for nothing of a cluster that its id does not name in full', async () => {
    const id = `${'x'.repeat('cluster-migration/'.length)}uid-1`;
    expect(await found({ ...openRun(), workflowId: id }, null)).toEqual(['missingRun']);
  });
});
