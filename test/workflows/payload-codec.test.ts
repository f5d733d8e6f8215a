import { gunzipSync, gzipSync } from 'node:zlib';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import { exportRun, exportText } from '../../cli/audit/export-run.js';
import { verifyExport } from '../../cli/audit/verify-export.js';
import { viewRun } from '../../cli/runs/run-view.js';
import { inputOf } from '../../cli/runs/start-run.js';
import { modelCluster } from './support/model-cluster.js';
import { openLab, say, tell, until, type MigrationLab } from './support/migration-run.js';

/** Everything inside one compressed payload, as a codec that encrypts would leave it. */
const ZIPPED: PayloadCodec = {
  encode: async (payloads) =>
    payloads.map(({ metadata, data }) => ({
      metadata: { encoding: Buffer.from('binary/zipped') },
      data: gzipSync(
        JSON.stringify([
          Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
          base64(data),
        ]),
      ),
    })),
  decode: async (payloads) => payloads.map(unzipped),
};

function unzipped({ data }: Payload): Payload {
  const [metadata, inner] = JSON.parse(gunzipSync(data ?? new Uint8Array()).toString()) as [
    [string, string][],
    string,
  ];
  const entries = metadata.map(([name, value]) => [name, Buffer.from(value, 'base64')]);
  return { metadata: Object.fromEntries(entries), data: Buffer.from(inner, 'base64') };
}

function base64(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? new Uint8Array()).toString('base64');
}

let lab: MigrationLab;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-codec-'));
  lab = await openLab({ payloadCodecs: [ZIPPED] });
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
    const chain = async (codecs: readonly PayloadCodec[]) => {
      const { checks } = await verifyExport(text, 'sha256:own', {
        converter: loadDataConverter({ payloadCodecs: [...codecs] }),
      });
      return checks.find(({ check }) => check === 'evidence chain')?.detail;
    };
    // The run reported two records, but this worker kept none; only a worker that can decode the report knows.
    expect(await chain([ZIPPED])).toMatch(/^record 0/);
    expect(await chain([])).toBe('the history records its end in an encoding unknown here');
  });
}, 60_000);
