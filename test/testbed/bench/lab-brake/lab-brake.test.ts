import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { check } from 'prettier';
import type { EvidenceRecord, EvidenceIntent } from '../../../../domain/evidence/record.js';
import { labBrakeAccount } from '../../../../testbed/bench/lab-brake/lab-brake-account.js';
import { readLabBrakeOptions } from '../../../../testbed/bench/lab-brake/lab-brake-options.js';
import {
  labBrakeBars,
  labBrakeSection,
} from '../../../../testbed/bench/lab-brake/lab-brake-page.js';
import {
  appendLabBrake,
  readLabBrakes,
  type LabBrakeRecord,
  type LabBrakeRun,
} from '../../../../testbed/bench/lab-brake/lab-brake-records.js';
import type { ApiRequest } from '../../../../testbed/lab/truth/audit-entry.js';

const AT = Date.parse('2026-11-26T10:00:00.000Z');
const STRUCK = { atMs: AT, node: 'cp-2', manager: 'kcm', pids: [7] } as const;

function request(afterMs: number, more: Partial<ApiRequest> = {}): ApiRequest {
  return {
    ...{ atMs: AT + afterMs, user: 'kubernetes-admin', userAgent: 'ccm-migrate' },
    ...{ path: '/api/v1/pods/a?x=1', mutating: true, forbidden: false, ...more },
  };
}

const GUARD = { userAgent: 'ccm-migrate-guard', path: '/x/leases/ccm-migrate' };

function recorded(
  id: string,
  intent: Pick<EvidenceIntent, 'verb' | 'object' | 'step'>,
  [beginMs, endMs]: readonly [number, number],
  kind: 'applied' | 'refused' = 'applied',
): readonly EvidenceRecord[] {
  const chain = { sequence: 1, previous: '', hash: '' };
  const at = (afterMs: number): string => new Date(AT + afterMs).toISOString();
  const whole: EvidenceIntent = {
    ...{ runId: 'r', workflowId: 'w', cluster: 'lab-1', epoch: 1, actor: 'a', reason: 'r' },
    ...{ planDigest: '', before: '', after: '', proof: '', id, ...intent, at: at(beginMs) },
  };
  return [
    { ...chain, entry: { kind: 'intent', intent: whole } },
    {
      ...chain,
      entry: { kind: 'outcome', intentId: id, outcome: { kind, at: at(endMs), detail: '' } },
    },
  ];
}

const FILE = { verb: 'writeFile', object: 'cp-1:/etc/x', step: 'enableLeaderMigration' } as const;
const PATCH = { verb: 'patch', object: 'Pod x/a', step: 'prepareCcm' } as const;
const NOTHING = { requests: [], records: [], closedAtMs: null, overAtMs: null };

describe('what a run on the lab wrote after a bad sign', () => {
  it('counts requests by the audit log, and files by the end of their change', () => {
    const account = labBrakeAccount({
      ...{ ...NOTHING, struck: STRUCK, closedAtMs: AT + 1_300 },
      requests: [request(-5), request(400), request(900, GUARD), request(1_500, GUARD)],
      records: [...recorded('1', PATCH, [390, 410]), ...recorded('2', FILE, [-20, 700])],
    });
    expect(account).toEqual({
      ...{ stopped: 'kcm of cp-2', newWrites: 2, closedMs: 900, overMs: null },
      ...{ lastNewMs: 700, lastNew: 'enableLeaderMigration: writeFile cp-1:/etc/x' },
    });
  });

  it.each<readonly [string, ApiRequest]>([
    ['a read', request(1, { mutating: false })],
    ['a write of the guard', request(1, GUARD)],
    ['a renewal of the fence by a step', request(1, { path: '/x/leases/ccm-migrate?a=b' })],
    ['a write of another client', request(1, { userAgent: 'kubectl' })],
    ['one before the signal', request(-1)],
  ])('%s is no new write', (_name, other) => {
    const account = labBrakeAccount({ ...NOTHING, struck: STRUCK, requests: [other] });
    expect(account).toMatchObject({ newWrites: 0, lastNewMs: null, closedMs: null });
  });

  it('a refused change is none, and what comes after the harm counts nowhere', () => {
    const account = labBrakeAccount({
      ...{ ...NOTHING, struck: STRUCK, overAtMs: AT + 500 },
      requests: [request(600)],
      records: recorded('1', FILE, [10, 20], 'refused'),
    });
    expect(account).toMatchObject({ newWrites: 0, overMs: 500 });
  });

  it('the step of a request is that of the last intent before it', () => {
    const account = labBrakeAccount({
      ...{ ...NOTHING, struck: STRUCK },
      requests: [request(400)],
      records: [...recorded('1', FILE, [-90, -80]), ...recorded('2', PATCH, [400, 410])],
    });
    expect(account.lastNew).toBe('prepareCcm: request to /api/v1/pods/a');
  });
});

const RUN: LabBrakeRun = {
  ...{ step: 'startCcm', changing: true, stopped: 'kcm of cp-1', lastNewMs: 4_000, newWrites: 1 },
  ...{ lastNew: 'startCcm: x', closedMs: 4_000, overMs: null, end: 'held, gates CCM3008' },
};

/** All promises are kept, barely. */
const RECORD: LabBrakeRecord = {
  ...{ kind: 'LabBrake', at: '2026-11-26T12:00:00.000Z', seed: 7, seconds: 600 },
  machine: { cores: 2, memoryGiB: 24, kernel: 'Linux 6.18' },
  runs: [...Array.from({ length: 5 }, () => RUN), { ...RUN, changing: false, lastNewMs: 9_000 }],
  missed: ['there was no owner to stop'],
};

const broken = (first: Partial<LabBrakeRun>): readonly string[] =>
  labBrakeBars({ runs: [{ ...RUN, ...first }, ...RECORD.runs.slice(1)] })
    .filter(({ holds }) => !holds)
    .map(({ said }) => said);

describe('the brake on the lab keeps its bars', () => {
  it.each<readonly [string, Partial<LabBrakeRun>, readonly string[]]>([
    ['barely', {}, []],
    ['without a new write', { lastNewMs: null }, []],
    ['where a step ended the harm', { closedMs: null, overMs: 900 }, []],
    ['too few runs', { changing: false }, ['runs while changes may happen: 4 of at least 5']],
    ['late', { lastNewMs: 4_010 }, ['s to the last new write, most: 4.01 of at most 4']],
    ['a late fence', { closedMs: 4_010 }, ['s until the fence refuses, most: 4.01 of at most 4']],
    [
      'no fence at all',
      { closedMs: null },
      ['runs whose fence never refused while the harm lasted: 1, should be 0'],
    ],
  ])('%s', (_name, first, said) => {
    expect(broken(first)).toEqual(said);
  });

  it('the section of the page is formatted as the page is', async () => {
    const section = labBrakeSection([RECORD, { ...RECORD, runs: [] }]);
    expect(await check(`${section}\n`, { parser: 'markdown', printWidth: 100 })).toBe(true);
    expect(section).toContain('not kept: runs while changes may happen: 0');
    expect(() => labBrakeSection([])).toThrow('no run');
  });

  const folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-lab-brake-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('records are read as they were written, and lines of other benchmarks are refused', () => {
    const file = join(folder, 'sub', 'brake.jsonl');
    expect(readLabBrakes(file)).toEqual([]);
    appendLabBrake(file, RECORD);
    appendLabBrake(file, RECORD);
    expect(readLabBrakes(file)).toEqual([RECORD, RECORD]);
    writeFileSync(file, '{"kind":"BrakeRun"}\n');
    expect(() => readLabBrakes(file)).toThrow('other results');
  });

  it('its options say what is wrong', () => {
    expect(readLabBrakeOptions(['--lab', '--seed', '3', '--runs', '6'])).toMatchObject({
      ...{ runs: 6, seed: 3, append: false, docs: null },
    });
    expect(readLabBrakeOptions(['--lab'])).toMatchObject({ runs: 8 });
    expect(() => readLabBrakeOptions(['--lab', '--runs', '0'])).toThrow('--runs must be');
  });
});
