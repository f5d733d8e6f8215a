import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DATA_CONVERTER, dataConverterWith } from '../../config/data-converter.js';
import { encodingsIn } from '../support/payload-encodings.js';
import { payloadKeys } from '../support/payload-keys.js';
import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import { exportRun, exportText } from '../../cli/audit/export-run.js';
import { verifyExport } from '../../cli/audit/verify-export.js';
import { viewRun } from '../../cli/runs/run-view.js';
import { inputOf } from '../../cli/runs/start-run.js';
import { failure, modelCluster } from './support/model-cluster.js';
import { openLab, say, tell, until, type MigrationLab } from './support/migration-run.js';

const KEYS = payloadKeys('new', 'old');
const CONVERTER = dataConverterWith(KEYS);

let lab: MigrationLab;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-codec-'));
  lab = await openLab(CONVERTER, true);
}, 60_000);
afterAll(async () => {
  await lab.close();
  await rm(folder, { recursive: true });
});

it('a codec over all payloads hides nothing from commands, status, audit and rollback', async () => {
  const { client } = lab.environment;
  await lab.withWorker(async () => {
    const handle = await lab.start(modelCluster('c-codec'));
    await tell(handle, 'pause');
    await until(handle, ({ pause }) => pause === 'paused');
    expect(await say(handle, 'resume')).toMatchObject({ state: 'applied' });
    expect(await handle.result()).toMatchObject({ kind: 'done' });

    const { workflowId, firstExecutionRunId: runId } = handle;
    const view = await viewRun(client, workflowId);
    expect(view.outcome).toMatchObject({ kind: 'done', evidence: { records: 2 } });
    expect(await inputOf(client, view)).toMatchObject({ cluster: { name: 'c-codec' }, wave: '1' });

    const evidence = createFileEvidenceStore(folder);
    const order = { workflowId, runId, cluster: 'c-codec', evidence };
    const text = exportText(await exportRun(client, order));
    const { checks } = await verifyExport(text, 'sha256:own');
    // The run reported two records, but this worker kept none: an audit needs no key to see it.
    expect(checks.find(({ check }) => check === 'evidence chain')?.detail).toMatch(/^record 0/);
    expect(checks.filter(({ detail }) => detail.includes('encoding'))).toEqual([]);

    const { connection } = client;
    const stranger = new Client({ connection, dataConverter: DATA_CONVERTER });
    await expect(exportRun(stranger, order)).rejects.toThrow(
      'encrypted with key "new", which is not in CCM_MIGRATE_PAYLOAD_KEYS',
    );
    const [execution] = (JSON.parse(text) as { executions: { history: unknown }[] }).executions;
    expect(encodingsIn(execution?.history)).toContain('json/plain');
    const raw = historyToJSON(await client.workflow.getHandle(workflowId, runId).fetchHistory());
    expect([...new Set(encodingsIn(JSON.parse(raw)))]).toEqual(['binary/encrypted']);
  });
}, 60_000);

/** What activities of the model say when they fail, and what the workflow makes of it. */
const SAID = ['the server of 10.0.0.7 says no', 'the check found it'];

it('what failures say is encrypted in the history, and told by commands and exports', async () => {
  const { client } = lab.environment;
  await lab.withWorker(async () => {
    const away = modelCluster('c-away');
    away.before = (_step, nth) => {
      if (nth === 1) throw failure('Unavailable', SAID[0] ?? '');
    };
    const refused = Object.assign(modelCluster('c-refused'), { refusal: 'PreflightFailed' });
    const runs = [await lab.start(away), await lab.start(refused)] as const;
    expect(await runs[0].result()).toMatchObject({ kind: 'done' });
    await expect(runs[1].result()).rejects.toMatchObject({
      cause: { type: 'PreflightFailed', message: expect.stringContaining('the check found it') },
    });

    const evidence = createFileEvidenceStore(folder);
    for (const [place, handle] of runs.entries()) {
      const { workflowId, firstExecutionRunId: runId } = handle;
      const raw = historyToJSON(await client.workflow.getHandle(workflowId, runId).fetchHistory());
      expect(raw.includes('"message": "Encoded failure"')).toBe(true);
      const order = { workflowId, runId, cluster: 'c', evidence };
      const text = exportText(await exportRun(client, order));
      const said = SAID[place] ?? '';
      expect([raw.includes(said), text.includes(`"message": "${said}"`)]).toEqual([false, true]);
      const isTraced = (each: string): boolean => /"stackTrace": "[^"]*\.[jt]s:/.test(each);
      expect([raw, text].map(isTraced)).toEqual([false, true]);
      expect(text).not.toContain('encodedAttributes');
    }
  });
}, 60_000);
