import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../../support/second-verifier.js';
import { exportResting } from './resting-on.js';
import { ANA, BEN, OWN_CODE, TRUST, TRUST_FILE } from './signed-export.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-gates-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a gate that a run no longer asks', () => {
  it.each([
    ['skipped by its name', 'CCM3101/latency', 'pass'],
    ['skipped by its code, by an older command line', 'CCM3101', 'pass'],
    ['of which another of the same code was skipped', 'CCM3101/quota', 'fail'],
    ['of which another code was skipped', 'CCM3104/latency', 'fail'],
    ['of which nothing in particular was skipped', '', 'fail'],
  ])('%s: the signatures %s %s', async (_case, subject, result) => {
    const text = exportResting({
      start: [ANA, {}],
      commands: [[BEN, { verb: 'skip', subject }]],
      waivedGates: [{ gate: 'latency', code: 'CCM3101' }],
    });
    const { checks } = await verifyExport(text, OWN_CODE, { trust: TRUST });
    expect(checks.find(({ check }) => check === 'signatures')?.result).toBe(result);
    if (!HAS_SECOND_VERIFIER) return;
    const path = join(folder, 'one.json');
    await writeFile(path, text);
    const [verdict] = await secondVerdicts(TRUST_FILE, [path]);
    expect(verdict?.checks['signatures']?.result).toBe(result);
  });
});
