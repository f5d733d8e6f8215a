import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exportText } from '../../../cli/audit/export-run.js';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { buildIdIn, reportedEnd } from '../../../cli/audit/history-facts.js';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import { digestJson } from '../../../domain/digest.js';
import { EMPTY_CHAIN, nextRecord } from '../../../domain/evidence/chain.js';
import { CONTEXT, historyOf, JSON_PLAIN, ONLY, payloads, type Written } from './written-run.js';
import type { EvidenceIntent, EvidenceRecord } from '../../../domain/evidence/record.js';

const INTENT: EvidenceIntent = {
  ...{ id: 'i-1', runId: 'run-1', workflowId: 'cluster-migration/uid-1', cluster: 'c1', epoch: 1 },
  ...{ step: 'takeFence', actor: 'ana', reason: 'CHG-1', planDigest: 'sha256:0' },
  ...{ at: '2026-11-21T10:00:00Z', verb: 'create', object: 'Role kube-system/x', before: '' },
  ...{ after: 'sha256:1', proof: '' },
};

function records(): readonly EvidenceRecord[] {
  const first = nextRecord(EMPTY_CHAIN, { kind: 'intent', intent: INTENT });
  const outcome = { kind: 'applied', at: '2026-11-21T10:00:01Z', detail: 'created' } as const;
  const entry = { kind: 'outcome', intentId: 'i-1', outcome } as const;
  return [first, nextRecord({ records: 1, hash: first.hash }, entry)];
}

const CONVERTER = loadDataConverter();
const END = { records: 2, head: records().at(-1)?.hash ?? '' };
const BEGUN = historyWith(END, { ...ONLY, next: 'run-1b' });
const ENDED = historyWith(END, { ...ONLY, runId: 'run-1b', previous: 'run-1' });
const OTHERS = historyWith(END, { ...ONLY, first: 'run-9' });

function historyWith(
  evidence: { readonly records: number; readonly head: string },
  execution = ONLY,
): object {
  const build: Written = {
    event: { workflowTaskCompletedEventAttributes: { workerVersion: { buildId: 'sdk@1+abc' } } },
  };
  const result = payloads({ kind: 'stopped', evidence });
  const completed = { workflowExecutionCompletedEventAttributes: { result } };
  if (execution.next !== '') return historyOf([build], execution);
  const fence = { epoch: 1, displaced: '', evidence: { ...evidence, hash: evidence.head } };
  const closed = { evidenceRecords: evidence.records, evidenceHead: evidence.head };
  return historyOf(
    [
      build,
      { name: 'takeFence', input: CONTEXT, result: fence },
      { name: 'closeRun', input: { ...CONTEXT, epoch: 1, outcome: 'stopped' }, result: closed },
    ],
    execution,
    [completed],
  );
}

function execution(history: object, runId = 'run-1'): object {
  return { runId, buildId: 'sdk@1+abc', history, historyDigest: digestJson(history) };
}

function exported(changes: Record<string, unknown> = {}): string {
  const chain = records();
  const head = chain.at(-1)?.hash ?? '';
  const content = {
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AuditExport', exportedAt: '2026-11-21' },
    ...{ tool: 'ccm-migrate 0.1.0', workflowId: CONTEXT.workflowId, runId: 'run-1', cluster: 'c1' },
    ...{ records: chain, head, executions: [execution(historyWith(END))] },
    ...changes,
  };
  return exportText({ ...content, digest: digestJson(content) });
}

async function failed(text: string): Promise<readonly string[]> {
  const { checks } = await verifyExport(text, 'sha256:own');
  return checks.filter(({ result }) => result === 'fail').map(({ check }) => check);
}

describe('audit verify', () => {
  it('passes an unchanged export', async () => {
    expect(await failed(exported())).toEqual([]);
  });

  it('passes a run that continued as a new execution', async () => {
    const executions = [execution(BEGUN), execution(ENDED, 'run-1b')];
    expect(await failed(exported({ executions }))).toEqual([]);
  });

  it('detects any single flipped bit', async () => {
    const whole = Buffer.from(exported());
    const place = fc.record({
      byte: fc.integer({ min: 0, max: whole.length - 1 }),
      bit: fc.integer({ min: 0, max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(place, async ({ byte, bit }) => {
        const tampered = Buffer.from(whole);
        tampered[byte] = (tampered[byte] ?? 0) ^ (1 << bit);
        return (await failed(tampered.toString('utf8'))).length > 0;
      }),
      { numRuns: 3000 },
    );
  });

  it.each<[string, Record<string, unknown>, readonly string[]]>([
    [
      'a dropped record under a recomputed digest',
      { records: records().slice(0, 1) },
      ['evidence chain', 'heads'],
    ],
    [
      'reordered records under a recomputed digest',
      { records: [...records()].reverse() },
      ['evidence chain', 'heads'],
    ],
    [
      'an export without records under a recomputed digest',
      { records: [], head: EMPTY_CHAIN.hash },
      ['evidence chain', 'heads'],
    ],
    [
      'a history that does not match its digest',
      { executions: [{ ...execution(historyWith(END)), historyDigest: digestJson('other') }] },
      ['executions'],
    ],
    ['an export without executions', { executions: [] }, ['format']],
    ['an execution of another run', { executions: [execution(OTHERS)] }, ['executions']],
    ['a missing last execution', { executions: [execution(BEGUN)] }, ['executions', 'intents']],
    ['a missing first execution', { executions: [execution(ENDED, 'run-1b')] }, ['executions']],
    [
      'two executions in the wrong order',
      { executions: [execution(ENDED, 'run-1b'), execution(BEGUN)] },
      ['executions'],
    ],
  ])('detects %s', async (_case, changes, expected) => {
    expect(await failed(exported(changes))).toEqual(expected);
  });

  it.each(['', '{}', 'null', '[]', 'no json'])(
    'refuses the text "%s" as no export',
    async (text) => {
      expect(await failed(text)).toEqual(['format']);
    },
  );
});

describe('facts of a history', () => {
  it('the facts of a history are read from its events', async () => {
    const history = historyWith({ records: 2, head: 'sha256:1' });
    expect(buildIdIn(history)).toBe('sdk@1+abc');
    expect(await reportedEnd(history, CONVERTER)).toEqual({
      ...{ kind: 'reported', records: 2, hash: 'sha256:1' },
    });
  });

  it.each([
    null,
    {},
    { events: 'x' },
    { events: [null, { workflowExecutionTerminatedEventAttributes: {} }] },
  ])('the facts are absent for the malformed history %j', async (history) => {
    expect(buildIdIn(history)).toBe('');
    expect(await reportedEnd(history, CONVERTER)).toEqual({ kind: 'none' });
  });

  it.each([[{ data: '!' }], [{ metadata: JSON_PLAIN, data: '!' }], [{ metadata: {} }], ['x']])(
    'the end of the chain is unknown, which is no proof, for the outcome %j',
    async (payload) => {
      const result = { payloads: [payload] };
      const history = { events: [{ workflowExecutionCompletedEventAttributes: { result } }] };
      expect(await reportedEnd(history, CONVERTER)).toEqual({ kind: 'unreadable' });
      expect(await failed(exported({ executions: [execution(history)] }))).toContain(
        'evidence chain',
      );
    },
  );

  it('a failed run reports its facts too', async () => {
    const data = Buffer.from(JSON.stringify({ evidence: { records: 1, head: 'h' } }));
    const payloads = [{ metadata: JSON_PLAIN, data: data.toString('base64') }];
    const failure = { applicationFailureInfo: { details: { payloads } } };
    const history = { events: [{ workflowExecutionFailedEventAttributes: { failure } }] };
    expect(await reportedEnd(history, CONVERTER)).toMatchObject({ records: 1, hash: 'h' });
  });
});
