import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expandsTooFar } from '../../../cli/audit/expanded-size.js';
import { exportedRuns } from '../../../cli/audit/runs-on-record.js';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import { LARGEST_PAYLOAD_BYTES } from '../../../config/compressed-payloads.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../../support/second-verifier.js';
import { ran } from '../fake-terminal.js';
import { OWN_CODE, sealed, signedExport, TRUST, TRUST_FILE } from './signed-export.js';

const GZIP = {
  encoding: Buffer.from('binary/gzip').toString('base64'),
  'ccm-migrate-encoding': Buffer.from('json/plain').toString('base64'),
};
const zipped = (zip: Buffer): object => ({ metadata: GZIP, data: zip.toString('base64') });

describe('what payloads say that they hold', () => {
  const three = [1, 2, 3].map((size) => zipped(gzipSync(Buffer.alloc(size * 1_000))));

  it('is added up, wherever they are', () => {
    const content = {
      executions: [{ history: { events: [three[0], { deep: [three[1]] }] } }, three[2]],
    };
    expect(expandsTooFar(content, 5_999)).toBe(true);
    expect(expandsTooFar(content, 6_000)).toBe(false);
  });

  it('is nothing for what is not compressed, or cannot be read', () => {
    const plain = { metadata: { encoding: 'anNvbi9wbGFpbg==' }, data: '/////////////w==' };
    const strange = [
      { metadata: GZIP },
      { metadata: GZIP, data: 7 },
      { metadata: GZIP, data: 'x' },
      ...MISSPELT.map((data) => ({ metadata: GZIP, data })),
    ];
    expect(expandsTooFar([plain, ...strange, null, 'text'], 0)).toBe(false);
  });
});

/** Each 16 MiB where the end is read leniently: without padding, in letters of other alphabets, and of three bytes alone. */
const MISSPELT = ['AAAAAQ', 'AAAAAAE', 'AAAA_wAB', 'AA-AAAE=', '////'];

const LARGEST = zipped(gzipSync(Buffer.alloc(LARGEST_PAYLOAD_BYTES, ' ')));

/** An export whose start has so many payloads, each of 32 MiB unless it is another: 33 kB on the disk. */
function bomb(payloads: number, one = LARGEST): string {
  const { digest: _, ...content } = JSON.parse(signedExport({ steps: 0 }));
  const [first] = content.executions[0].history.events;
  first.workflowExecutionStartedEventAttributes.header = Array.from(
    { length: payloads },
    () => one,
  );
  return sealed(content);
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-bomb-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('an export that expands to more than 2 GiB', () => {
  const failed = async (text: string) => {
    const { checks } = await verifyExport(text, OWN_CODE, { trust: TRUST });
    return checks.flatMap(({ check, result, detail }) =>
      result === 'fail' ? [[check, detail]] : [],
    );
  };

  it('is refused as a whole by both verifiers, and one that holds as much is not', async () => {
    const why = 'its payloads expand to more than 2 GiB';
    expect(await failed(bomb(65))).toEqual([['format', why]]);
    expect((await failed(bomb(64))).map(([check]) => check)).not.toContain('format');
    await writeFile(join(folder, 'a.json'), bomb(65));
    await writeFile(join(folder, 'b.json'), bomb(64));
    const verdicts = await secondVerdicts(TRUST_FILE, [folder]);
    expect(verdicts.map(({ checks }) => checks['format'])).toEqual(
      HAS_SECOND_VERIFIER ? [{ result: 'fail', why }, { result: 'pass' }] : [],
    );
  });

  it('is not one whose payloads cannot be read, for both verifiers', async () => {
    for (const [index, data] of MISSPELT.entries()) {
      const text = bomb(300, { metadata: GZIP, data });
      expect((await failed(text)).map(([check]) => check)).not.toContain('format');
      await writeFile(join(folder, `${String(index)}.json`), text);
    }
    const files = MISSPELT.map((_, index) => join(folder, `${String(index)}.json`));
    const verdicts = await secondVerdicts(TRUST_FILE, files);
    const formats = verdicts.map(({ checks }) => checks['format']?.result);
    expect(formats).toEqual(HAS_SECOND_VERIFIER ? files.map(() => 'pass') : []);
  });

  it('is nothing that other commands read', async () => {
    await writeFile(join(folder, 'a.json'), bomb(65));
    const { refused } = await exportedRuns(folder);
    expect(refused.map(({ file }) => file)).toEqual([join(folder, 'a.json')]);
    const { exit, stdout } = await ran(['audit', 'show', join(folder, 'a.json'), '--no-replay']);
    expect(exit).toBe(3);
    expect(stdout).toContain('format: its payloads expand to more than 2 GiB');
  });
});
