import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseJson } from '../../cli/read-json.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../support/second-verifier.js';
import { signedExport, TRUST_FILE } from '../cli/audit/signed-export.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-hostile-'));
});
afterAll(() => rm(folder, { recursive: true }));

const together = HAS_SECOND_VERIFIER ? describe : describe.skip;
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

together('the verifier in Python', () => {
  it('refuses what it cannot read, and goes on with the others', async () => {
    const good = signedExport({ steps: 0 });
    const forged = {
      'a.json': `{"kind":"AuditExport","executions":${nested(200_000)}}`,
      'b.json': good.replace('"history": {', `"history": {"zz": ${nested(900)},`),
      'c.json': good.replace('"history": {', '"history": {"zz": 12345678901234567890,'),
      'd.json': good.replace('"history": {', '"history": {"zz": {"b": 1, "1": 2},'),
      'e.json': good.replace('"history": {', '"history": {"zz": 1e999,'),
      'f.json': good.replaceAll('"activityId": "1"', `"activityId": "${'9'.repeat(5000)}"`),
      'g.json': good,
    };
    for (const [name, text] of Object.entries(forged)) await writeFile(join(folder, name), text);
    const verdicts = await secondVerdicts(TRUST_FILE, [folder]);
    expect(verdicts.map(({ accepted }) => accepted)).toEqual([
      ...Array<boolean>(6).fill(false),
      true,
    ]);
    expect(verdicts[3]?.checks['bytes']?.result).toBe('fail');
  });
});

describe('JSON of foreign origin', () => {
  it('is read as deep as anything is written here, and no deeper', () => {
    expect(parseJson(nested(201))).not.toBeNull();
    expect(parseJson(nested(202))).toBeNull();
    expect(parseJson(nested(200_000))).toBeNull();
    expect(parseJson('[1e999]')).toBeNull();
  });
});
