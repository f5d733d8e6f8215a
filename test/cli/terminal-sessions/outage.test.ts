import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter, NamespaceNotFoundError } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Cli } from '../../../cli/cli.js';
import { optionReader } from '../../../cli/cli.js';
import { followRun } from '../../../cli/screens/follow-run.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { runList } from '../../../cli/screens/run-list.js';
import { emptyTrace } from '../../../domain/ownership/ownership.js';
import { fakeTerminal, type FakeTerminal } from '../fake-terminal.js';
import { contactOf, endedView, FINDING, outcomeOf, statusOf, viewOf } from '../given-runs.js';
import { seenOf } from './shell.js';

/** Re-recorded with CCM_RECORD_GOLDEN=1; read the diff before you commit it. */
const RECORDS = process.env['CCM_RECORD_GOLDEN'] === '1';
const NOW = 1_042_000;
const THEME = createTheme({ color: false, ascii: false });

async function isAsRecorded(name: string, seen: string): Promise<void> {
  const file = join(import.meta.dirname, 'golden', `${name}.txt`);
  if (RECORDS) await writeFile(file, seen);
  expect(seen).toBe(await readFile(file, 'utf8'));
}

const OUTAGE = { sinceMs: 1_030_000, attempts: 9, error: 'connect ECONNREFUSED 10.0.0.1:6443' };

/** What the server knows of the run at one observation; the guard reports an outage in its heartbeat. */
function described(outage: typeof OUTAGE | null, status = 'RUNNING'): () => object {
  const [of] = emptyTrace(['service'], 0).controllers;
  const controllers = [{ ...of, owners: ['kcm:cp-2#812'], orphanMs: 1_900, moves: 1 }];
  const memory = {
    ...{ guard: 1, observations: 3, breaches: [], firstSeen: [], apiReachable: outage === null },
    ...{ reachable: { 'cp-2': true }, trace: { atMs: 1_028_000, controllers }, outage },
  };
  const payloads = [defaultPayloadConverter.toPayload(memory)];
  const guard = { activityType: { name: 'guardCluster' }, heartbeatDetails: { payloads } };
  return () => ({
    ...{ status: { name: status }, runId: 'run-1', historyLength: 40, historySize: 65_536 },
    startTime: new Date(1_000_000),
    ...(status === 'RUNNING' ? {} : { closeTime: new Date(1_041_000) }),
    memo: { actor: 'ana@corp', reason: 'CHG-4711', files: ['/srv/fleet'] },
    typedSearchAttributes: { get: () => 'prod-1' },
    raw: { pendingActivities: status === 'RUNNING' ? [guard] : [] },
  });
}

const coded = (code: number): Error => Object.assign(new Error('of gRPC'), { code });

const AWAY = (): object => {
  throw new ServiceError('14 UNAVAILABLE');
};

/** A server that answers each request with the next of `observations`, and with the last one from then on. */
function clientOf(observations: readonly (() => object)[]): Client {
  let at = 0;
  const describe = async (): Promise<object> => {
    const snapshot = observations[Math.min(at, observations.length - 1)];
    at += 1;
    return snapshot?.() ?? {};
  };
  const query = async (): Promise<object> => statusOf();
  return {
    options: { loadedDataConverter: loadDataConverter() },
    connection: { withDeadline: (_at: number, ask: () => unknown) => ask() },
    workflow: { getHandle: () => ({ describe, query }), result: async () => outcomeOf() },
  } as unknown as Client;
}

async function watched(
  terminal: FakeTerminal,
  observations: readonly (() => object)[],
  isLast: () => boolean,
): Promise<string> {
  const leaving = new AbortController();
  const cli: Cli = {
    ...{ terminal, theme: THEME, output: 'text', env: {}, arguments: [], typed: [] },
    ...{ signal: leaving.signal, options: optionReader({}) },
  };
  const client = clientOf([
    ...observations.slice(0, -1),
    () => {
      if (isLast()) leaving.abort();
      return observations.at(-1)?.() ?? {};
    },
  ]);
  await followRun(cli, client, 'cluster-migration/uid-1', { until: 'settled', deadlineMs: null });
  return terminal.stdout() + terminal.stderr();
}

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('during an outage', () => {
  it.each([60, 120])('`status -w` shows the outage on a screen of %i columns', async (width) => {
    const terminal = fakeTerminal({ screen: true, width });
    const observations = [described(null), described(OUTAGE)];
    const seen = await seenOf(await watched(terminal, observations, () => true), width);
    await isAsRecorded(`watch-in-an-outage-${String(width)}`, seen);
  });

  it('`status -w` in a log reports no step twice when first the cluster and then the server is away', async () => {
    const observations = [described(null), described(OUTAGE), AWAY, AWAY, described(null)];
    const log = await watched(
      fakeTerminal(),
      [...observations, described(null, 'COMPLETED')],
      () => false,
    );
    await isAsRecorded('log-in-an-outage', log.replace(/^\d{4}-\S+Z/gm, '<time>'));
  });

  it('`status -w` on a screen says that the server is away, and nothing about workers', async () => {
    const terminal = fakeTerminal({ screen: true, width: 120 });
    const seen = await seenOf(await watched(terminal, [described(null), AWAY], () => true), 120);
    expect(seen).toContain('NoServer');
    expect(seen).not.toContain('NoWorker');
  });

  it.each([
    ['refuses it', new ServiceError('no', { cause: coded(7) }), 'no'],
    ['takes its token no more', new ServiceError('no', { cause: coded(16) }), 'no'],
    [
      'has its namespace no more',
      new NamespaceNotFoundError('prod'),
      "Namespace not found: 'prod'",
    ],
    ['cannot read the request', new ServiceError('no', { cause: coded(3) }), 'no'],
    ['has deleted the run', new WorkflowNotFoundError('', 'w', undefined), 'CCM4022'],
    ['has no fault, but this program', new TypeError('no'), 'no'],
  ])('`status -w` ends at once where the server %s', async (_what, error, said) => {
    const terminal = fakeTerminal();
    const observations = [
      described(null),
      () => {
        throw error;
      },
    ];
    const ended: unknown = await watched(terminal, observations, () => false).catch(
      (thrown: unknown) => thrown,
    );
    const { code = '', message } = ended as { readonly code?: unknown; readonly message: string };
    expect(`${String(code)} ${message}`).toContain(said);
    expect(terminal.stderr()).not.toContain('waiting for it');
  });

  it('the list of runs shows the outage at each width', async () => {
    const outage = { ...OUTAGE, nextTryAtMs: null };
    const views = [
      { ...endedView(), cluster: 'a-done' },
      viewOf({ cluster: 'b-running' }),
      viewOf({ cluster: 'c-away', contact: contactOf({ outage }) }),
      viewOf({
        ...{ cluster: 'd-away-before-a-look', contact: contactOf({ seen: null, outage }) },
        status: statusOf({ step: null, holdReason: 'gates', findings: [FINDING] }),
      }),
      viewOf({ cluster: 'e-silent', status: null, contact: contactOf({ outage }) }),
    ];
    const lists = [60, 120, Infinity].map((width) =>
      runList(views, THEME, { nowMs: NOW, width }).join('\n'),
    );
    await isAsRecorded('list-in-an-outage', `${lists.join('\n\n')}\n`);
  });
});
