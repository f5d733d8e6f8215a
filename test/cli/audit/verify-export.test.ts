import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exportText } from '../../../cli/audit/export-run.js';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { buildIdIn, reportedEnd } from '../../../cli/audit/history-facts.js';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import { digestJson } from '../../../domain/digest.js';
import { EMPTY_CHAIN, nextRecord } from '../../../domain/evidence/chain.js';
import { historyOf, JSON_PLAIN, ONLY, payloads, type Written } from './written-run.js';
import type { EvidenceIntent, EvidenceRecord } from '../../../domain/evidence/record.js';

const INTENT: EvidenceIntent = {
  ...{ id: 'i-1', runId: 'run-1', workflowId: 'cluster-migration/uid-1', cluster: 'c1', epoch: 1 },
  ...{ step: 'grantLeaseAccess', actor: 'ana@corp', reason: 'CHG-1', planDigest: 'sha256:0' },
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
  const result = payloads({ evidence });
  const completed = { workflowExecutionCompletedEventAttributes: { result } };
  return historyOf([build], execution, execution.next === '' ? [completed] : []);
}

function execution(history: object, runId = 'run-1'): object {
  return { runId, buildId: 'sdk@1+abc', history, historyDigest: digestJson(history) };
}

function exported(changes: Record<string, unknown> = {}): string {
  const chain = records();
  const head = chain.at(-1)?.hash ?? '';
  const content = {
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AuditExport', exportedAt: '2026-11-21' },
    ...{ tool: 'ccm-migrate 0.1.0', workflowId: 'w', runId: 'run-1', cluster: 'c1' },
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
  it('passes what was exported', async () => {
    expect(await failed(exported())).toEqual([]);
  });

  it('passes a run that went on as a new execution', async () => {
    const executions = [execution(BEGUN), execution(ENDED, 'run-1b')];
    expect(await failed(exported({ executions }))).toEqual([]);
  });

  it('finds any one flipped bit', async () => {
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
      'a record that was dropped and sealed again',
      { records: records().slice(0, 1) },
      ['evidence chain'],
    ],
    [
      'records that were reordered and sealed again',
      { records: [...records()].reverse() },
      ['evidence chain'],
    ],
    [
      'no records at all, sealed again',
      { records: [], head: EMPTY_CHAIN.hash },
      ['evidence chain'],
    ],
    [
      'a history with another digest',
      { executions: [{ ...execution(historyWith(END)), historyDigest: digestJson('other') }] },
      ['executions'],
    ],
    ['no execution at all', { executions: [] }, ['format']],
    ['an execution of another run', { executions: [execution(OTHERS)] }, ['executions']],
    ['an end that was cut off', { executions: [execution(BEGUN)] }, ['executions']],
    ['a beginning that was cut off', { executions: [execution(ENDED, 'run-1b')] }, ['executions']],
    [
      'two executions in the wrong order',
      { executions: [execution(ENDED, 'run-1b'), execution(BEGUN)] },
      ['executions'],
    ],
  ])('finds %s', async (_case, changes, expected) => {
    expect(await failed(exported(changes))).toEqual(expected);
  });

  it.each(['', '{}', 'null', '[]', 'no json'])('refuses "%s"', async (text) => {
    expect(await failed(text)).toEqual(['format']);
  });
});

describe('facts of a history', () => {
  it('are read with care', async () => {
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
  ])('are absent in %j', async (history) => {
    expect(buildIdIn(history)).toBe('');
    expect(await reportedEnd(history, CONVERTER)).toEqual({ kind: 'none' });
  });

  it.each([[{ data: '!' }], [{ metadata: JSON_PLAIN, data: '!' }], [{ metadata: {} }], ['x']])(
    'are unknown, which is no proof, in %j',
    async (payload) => {
      const result = { payloads: [payload] };
      const history = { events: [{ workflowExecutionCompletedEventAttributes: { result } }] };
      expect(await reportedEnd(history, CONVERTER)).toEqual({ kind: 'unreadable' });
      expect(await failed(exported({ executions: [execution(history)] }))).toContain(
        'evidence chain',
      );
    },
  );

  it('are those of a failed run too', async () => {
    const data = Buffer.from(JSON.stringify({ evidence: { records: 1, head: 'h' } }));
    const payloads = [{ metadata: JSON_PLAIN, data: data.toString('base64') }];
    const failure = { applicationFailureInfo: { details: { payloads } } };
    const history = { events: [{ workflowExecutionFailedEventAttributes: { failure } }] };
    expect(await reportedEnd(history, CONVERTER)).toMatchObject({ records: 1, hash: 'h' });
  });
});
