import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Payload } from '@temporalio/common';
import { decryptedHistory } from '../../../cli/audit/decrypted-history.js';
import { exportEnded } from '../../../cli/audit/export-ended.js';
import { payloadJson } from '../../../cli/audit/payload-json.js';
import { runsOnRecord } from '../../../cli/audit/runs-on-record.js';
import { DATA_CONVERTER, dataConverterWith } from '../../../config/data-converter.js';
import { payloadKeys } from '../../support/payload-keys.js';
import { type ListedExecution, listingServer } from './listing-server.js';
import { CONTEXT, historyOf, payloads } from './written-run.js';

const MIB = 1024 * 1024;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A result of so many bytes, in a few. */
function zipped(bytes: number): object {
  const metadata = {
    encoding: base64('binary/gzip'),
    'ccm-migrate-encoding': base64('json/plain'),
  };
  const data = gzipSync(Buffer.alloc(bytes, ' ')).toString('base64');
  return { payloads: [{ metadata, data }] };
}

const END = {
  workflowExecutionCompletedEventAttributes: { result: payloads({ kind: 'stopped' }) },
};

/** A run that has ended, with signals that say this. */
function run(runId: string, inputs: readonly object[] = [], failure?: Error): ListedExecution {
  const signals = inputs.map((input) => ({
    event: { workflowExecutionSignaledEventAttributes: { signalName: 'command', input } },
  }));
  const written = [{ name: 'takeFence', input: CONTEXT, result: { epoch: 1 } }, ...signals];
  const history = historyOf(written, { runId, first: runId, previous: '', next: '' }, [END]);
  const { workflowId } = CONTEXT;
  const listed = { workflowId, runId, history, status: 'COMPLETED' };
  return failure === undefined ? listed : { ...listed, failure };
}

/** As gRPC has it. */
const refused = (code: number): Error =>
  Object.assign(new Error('refused'), { code, details: 'refused', metadata: {} });

const UNREADABLE: readonly [string, ListedExecution, RegExp][] = [
  ['expands too far', run('bad', [zipped(9 * MIB), zipped(9 * MIB)]), /expand to more than 16 MiB/],
  ['is too deep', run('bad', [], new Error('max depth exceeded')), /bad: max depth exceeded/],
  ['is gone', run('bad', [], refused(5)), /no longer has its execution bad/],
];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-unreadable-'));
});
afterEach(() => rm(folder, { recursive: true }));

const evidence = { read: () => Promise.resolve([]), keptText: () => Promise.resolve(null) };

describe('a run that cannot be read', () => {
  it.each(UNREADABLE)('because it %s holds up no list, and is named', async (_why, bad, named) => {
    const { runs, unreadable } = await runsOnRecord(listingServer([bad, run('good')]), []);
    expect(runs.map(({ runId, outcome, epochs }) => [runId, outcome, epochs])).toEqual([
      ['bad', 'unreadable', []],
      ['good', 'stopped', [1]],
    ]);
    expect(unreadable).toEqual([expect.stringMatching(named)]);
  });

  it.each(UNREADABLE)(
    'because it %s holds up no export, and is named',
    async (_why, bad, named) => {
      const lines: string[] = [];
      const report = (line: string): void => void lines.push(line);
      const to = { folder, evidence, report };
      expect(await exportEnded(listingServer([bad, run('good')]), to)).toEqual({
        ...{ written: 1, lacking: 1 },
      });
      expect(lines[0]).toMatch(named);
      expect(await readdir(folder)).toContain('good.json');
    },
  );

  it('is not one of which the server says that it cannot answer now', async () => {
    const away = run('bad', [], refused(14));
    await expect(runsOnRecord(listingServer([away]), [])).rejects.toThrow('refused');
  });

  it('is not one that holds as much as is read', async () => {
    const full = run('good', [zipped(8 * MIB), zipped(8 * MIB)]);
    expect((await runsOnRecord(listingServer([full]), [])).unreadable).toEqual([]);
  });
});

describe('what is encrypted in a history', () => {
  it('is read up to a bound for all of it together, expanded', async () => {
    const { payloadCodecs = [] } = dataConverterWith(payloadKeys('k-1'));
    let payload: Payload = {
      metadata: { encoding: Buffer.from('json/plain') },
      data: Buffer.alloc(MIB, ' '),
    };
    for (const codec of payloadCodecs) [payload = payload] = await codec.encode([payload]);
    const one = payloadJson(payload);
    expect(JSON.stringify(one).length).toBeLessThan(3_000);
    const asked = (most: number) => decryptedHistory({ events: [one, [one]] }, payloadCodecs, most);
    await expect(asked(2 * MIB - 1)).rejects.toThrow('more than is read');
    expect(JSON.stringify(await asked(2 * MIB)).length).toBeGreaterThan(2 * MIB);
    await expect(decryptedHistory([one], DATA_CONVERTER.payloadCodecs ?? [], MIB)).rejects.toThrow(
      'is encrypted with key',
    );
  });
});
