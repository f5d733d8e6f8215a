import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { anchorPass } from '../../../../cli/audit/anchor-pass.js';
import { executionsOf, readable } from '../../../../cli/audit/export-run.js';
import { exportEnded } from '../../../../cli/audit/export-ended.js';
import { fleetAsRun, loggedName } from '../../../../cli/audit/fleet/fleet-population.js';
import { exportedFleets, fleetsOnRecord } from '../../../../cli/audit/fleet/fleets-on-record.js';
import { verifyFleet } from '../../../../cli/audit/fleet/verify-fleet.js';
import { fleetRunTable, runsCsv } from '../../../../cli/audit/population-text.js';
import { buildIdText } from '../../../../config/build-id.js';
import { populationGaps } from '../../../../domain/evidence/population.js';
import { closedFleet } from './closed-fleet.js';
import { signedFleet, TRUST, WORKFLOW_ID } from './signed-fleet.js';

interface Listed {
  readonly runId: string;
  readonly history: unknown;
}

const EXECUTIONS = (JSON.parse(closedFleet(signedFleet())) as { executions: Listed[] }).executions;

/** A server with a fleet of two executions, as far as audits ask it. `forgotten`: run ids whose histories are gone. */
function serverWith(...forgotten: readonly string[]): Client {
  const infos = EXECUTIONS.map(({ runId }, index) => ({
    ...{ workflowId: WORKFLOW_ID, runId, startTime: new Date(0), closeTime: new Date(5) },
    status: { name: index === 0 ? 'CONTINUED_AS_NEW' : 'COMPLETED' },
    typedSearchAttributes: { get: () => undefined },
  }));
  const list = async function* ({ query }: { query: string }) {
    if (!query.includes('fleetMigration')) return;
    await Promise.resolve();
    yield* infos.filter(
      ({ status }) => !query.includes('ContinuedAsNew') || status.name !== 'CONTINUED_AS_NEW',
    );
  };
  const historyOf = (runId: string): unknown => {
    const found = EXECUTIONS.find((each) => each.runId === runId);
    if (found !== undefined && !forgotten.includes(runId)) return historyFromJSON(found.history);
    throw new WorkflowNotFoundError('gone', WORKFLOW_ID, runId);
  };
  const getHandle = (_id: string, runId: string) => ({
    fetchHistory: async () => Promise.resolve(historyOf(runId)),
    describe: async () => Promise.resolve({ historyLength: 99 }),
  });
  const options = { loadedDataConverter: { payloadCodecs: [] } };
  return { workflow: { list, getHandle, options } } as unknown as Client;
}

/** The same, written by workers of this build. */
function withBuild({ workflow }: Client, buildId: string): Client {
  const getHandle: typeof workflow.getHandle = (...asked) => {
    const handle = workflow.getHandle(...asked);
    const fetchHistory = async () => {
      const history = await handle.fetchHistory();
      const workerVersion = { buildId };
      const completed = { workflowTaskCompletedEventAttributes: { workerVersion } };
      return { ...history, events: [...(history.events ?? []), completed] };
    };
    return { ...handle, fetchHistory } as never;
  };
  const { list, options } = workflow;
  return { workflow: { list, options, getHandle } } as unknown as Client;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-fleets-'));
});
afterEach(() => rm(folder, { recursive: true }));

const NO_EVIDENCE = { read: () => Promise.resolve([]), keptText: () => Promise.resolve(null) };

async function exported(client: Client) {
  const lines: string[] = [];
  const report = (line: string): unknown => lines.push(line);
  const to = { folder, evidence: NO_EVIDENCE as never, report: report as never };
  return { ...(await exportEnded(client, to)), lines };
}

describe('the fleets of a server', () => {
  it('are exported once, whole, to a folder of their own', async () => {
    expect(await exported(serverWith())).toMatchObject({ written: 1, lacking: 0 });
    expect(await exported(serverWith())).toMatchObject({ written: 0, lacking: 0 });
    expect(await readdir(folder)).toEqual(['bundles', 'fleets']);
    expect(await readdir(join(folder, 'fleets'))).toEqual(['run-b.json']);
    const text = await readFile(join(folder, 'fleets', 'run-b.json'), 'utf8');
    const { checks } = await verifyFleet(text, { trust: TRUST });
    expect(checks.filter(({ result }) => result !== 'pass')).toEqual([]);
  });

  it('that another version wrote are named with the bundle that is not kept', async () => {
    const bundle = `sha256:${'a'.repeat(64)}`;
    const { lines } = await exported(
      withBuild(serverWith(), buildIdText({ bundle, code: bundle })),
    );
    expect(lines.filter((line) => line.startsWith('bundle '))).toEqual([
      expect.stringContaining(`${bundle} is of another version and not kept`),
    ]);
  });

  it('whose first execution is gone are named, and hold up nothing', async () => {
    const { lines, ...counts } = await exported(serverWith('run-a'));
    expect(counts).toEqual({ written: 0, lacking: 1 });
    expect(lines).toEqual([
      `not exported: ${WORKFLOW_ID}: the server no longer has its execution run-a`,
    ]);
    const [unread] = (await fleetsOnRecord(serverWith('run-a'), [])).fleets;
    expect(unread).toMatchObject({ runId: 'run-b', outcome: 'unreadable', listed: true });
  });

  it('that one document cannot hold are named, instead of running out of memory', async () => {
    const run = { workflowId: WORKFLOW_ID, runId: 'run-b' };
    const asked = executionsOf(serverWith(), run, 2 * 1024);
    expect(await readable(asked)).toBe(
      `${WORKFLOW_ID}: its histories are more than the 0 MiB that one export holds`,
    );
    expect(await readable(executionsOf(serverWith(), run))).toHaveLength(2);
  });

  it('are listed with what their exports tell', async () => {
    await exported(serverWith());
    const { exports } = await exportedFleets(folder);
    const { fleets } = await fleetsOnRecord(serverWith(), exports);
    expect(fleets).toMatchObject([
      {
        ...{ fleet: 'prod', runId: 'run-a', outcome: 'stopped', actor: 'ana', reason: 'CHG-1' },
        ...{ listed: true, exported: true, file: join(folder, 'fleets', 'run-b.json') },
      },
    ]);
    expect(fleetRunTable(fleets)[1]).toMatch(
      /^prod +2026-11-21T10:00:00 +stopped +ana \(claimed\) /,
    );
    expect(runsCsv([], fleets).split('\n')[1]).toMatch(/^,2026-11-21T10:00:00.000Z.*,prod$/);
  });

  it('are missed where no export is there, where they were deleted, and where only a log has them', async () => {
    const [listed] = (await fleetsOnRecord(serverWith(), [])).fleets;
    await exported(serverWith());
    const [read] = (await exportedFleets(folder)).exports;
    if (listed === undefined || read === undefined) throw new Error('there is one fleet');
    const span = { fromMs: -Infinity, toMs: Infinity };
    const kept = { nowMs: Date.parse('2026-11-22T00:00:00Z'), retentionMs: 90 * 86_400_000 };
    const run = { workflowId: 'fleet-migration/gone', cluster: '' };
    const logged = [{ runId: 'run-x', cluster: loggedName(run), startedAtMs: 5 }];
    const runs = [fleetAsRun(listed), { ...fleetAsRun(read.fleet), runId: 'run-deleted' }];
    const gaps = populationGaps({ runs, logged, fences: [] }, span, kept);
    expect(gaps.map((gap) => [gap.kind, 'run' in gap ? gap.run.cluster : ''])).toEqual([
      ['notExported', 'fleet prod'],
      ['deleted', 'fleet prod'],
      ['onlyInLog', 'fleet gone'],
    ]);
  });

  it('are in the log outside', async () => {
    const { added } = await anchorPass(serverWith(), []);
    expect(added).toMatchObject(
      EXECUTIONS.map(({ runId }) => ({ workflowId: WORKFLOW_ID, runId, firstRunId: 'run-a' })),
    );
  });
});
