import { describe, expect, it } from '@jest/globals';
import { gateNote, metricVerdicts } from '../../../activities/fence/gate-notes.js';
import type { GateNumbers, GateVerdict } from '../../../domain/gates/verdicts.js';
import type { MetricGatePolicy } from '../../../domain/policy.js';
import { runContext } from '../run-context.js';

const NOW_MS = 1_790_000_000_000;

const NODES: MetricGatePolicy = {
  ...{ catalogue: 'nodes', except: [], everyMs: 15_000, unmeasuredMs: 120_000 },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

const FAILED: GateVerdict = {
  ...{ gate: 'nodeSyncErrors', hardness: 'soft', verdict: 'fail' },
  ...{ detail: '4 of 5', code: 'CCM3101' },
};

const { timings } = runContext();
const RUN = { runId: 'run-1', timings, policy: { metricGates: NODES } };

function fence(
  note: string,
  atMs = NOW_MS,
  runId = 'run-1',
): { runId: string; metrics: { note: string; atMs: number } } {
  return { runId, metrics: { note, atMs } };
}

describe('what a soak reads of the gates on metrics', () => {
  it('is what the guard noted', () => {
    const found = metricVerdicts({ fence: fence(gateNote([FAILED])), serverTimeMs: NOW_MS }, RUN);
    expect(found).toEqual([FAILED]);
  });

  it('is what the guard noted, where another server is a little ahead', () => {
    const found = fence(gateNote([FAILED]), NOW_MS + 3 * timings.fenceRenewIdleMs);
    expect(metricVerdicts({ fence: found, serverTimeMs: NOW_MS }, RUN)).toEqual([FAILED]);
  });

  it('is nothing where the policy judges none', () => {
    for (const metricGates of [undefined, { ...NODES, catalogue: 'off' as const }]) {
      const policy = metricGates === undefined ? {} : { metricGates };
      expect(metricVerdicts({ fence: null, serverTimeMs: NOW_MS }, { ...RUN, policy })).toEqual([]);
    }
  });

  const idle = 3 * timings.fenceRenewIdleMs;
  it.each([
    ['no fence', null, 'the guard has not reported them; is it of this build?'],
    [
      'a guard that reports none',
      { runId: 'run-1' },
      'the guard has not reported them; is it of this build?',
    ],
    [
      'the guard of another run',
      fence(gateNote([FAILED]), NOW_MS, 'run-2'),
      'the guard has not reported them; is it of this build?',
    ],
    [
      'a report that is too old',
      fence(gateNote([FAILED]), NOW_MS - idle - 1),
      /^the guard reported them \d+ s ago$/,
    ],
    [
      'a report from the future',
      fence(gateNote([FAILED]), NOW_MS + idle + 1),
      /^the guard reported them \d+ s in the future$/,
    ],
    ['a report without a time', fence(gateNote([FAILED]), Number.NaN), /^the guard reported them/],
    ['text that is no JSON', fence('{'), 'what the guard reported cannot be read'],
    ['no list', fence('{}'), 'what the guard reported cannot be read'],
    ['an empty list', fence('[]'), 'what the guard reported cannot be read'],
    ['a null among them', fence('[null]'), 'what the guard reported cannot be read'],
    [
      'a word that is none',
      fence(JSON.stringify([{ ...FAILED, verdict: 'fine' }])),
      'what the guard reported cannot be read',
    ],
    [
      'a hard gate',
      fence(JSON.stringify([{ ...FAILED, hardness: 'hard' }])),
      'what the guard reported cannot be read',
    ],
    [
      'a gate without a name',
      fence(JSON.stringify([{ ...FAILED, gate: 7 }])),
      'what the guard reported cannot be read',
    ],
  ])('is unmeasured with %s', (_name, found, detail) => {
    const [verdict, ...others] = metricVerdicts({ fence: found, serverTimeMs: NOW_MS }, RUN);
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      gate: 'metrics',
      hardness: 'soft',
      verdict: 'error',
      code: 'CCM3103',
    });
    expect(verdict?.detail).toMatch(detail);
  });

  it('leaves numbers out where they would not fit into the fence', () => {
    const numbers: GateNumbers = {
      ...{ unit: 'ratio', value: 1, limit: 0.1, window: null },
      ...{ source: 'x'.repeat(600), query: 'q' },
    };
    const many = Array.from({ length: 30 }, () => ({ ...FAILED, numbers }));
    expect(JSON.parse(gateNote(many.slice(0, 2)))).toHaveLength(2);
    const slim = gateNote(many);
    expect(slim.length).toBeLessThan(12 * 1024);
    expect(JSON.parse(slim)).toEqual(many.map(() => FAILED));
  });
});
