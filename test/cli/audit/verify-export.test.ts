import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exportText } from '../../../cli/audit/export-run.js';
import { bundleDigestIn, evidenceHeadIn } from '../../../cli/audit/history-facts.js';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import { digestJson } from '../../../domain/digest.js';
import { EMPTY_CHAIN, nextRecord } from '../../../domain/evidence-chain.js';
import type { EvidenceIntent, EvidenceRecord } from '../../../domain/evidence.js';

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

function historyWith(evidence: { readonly records: number; readonly head: string }): object {
  const data = Buffer.from(JSON.stringify({ evidence })).toString('base64');
  return {
    events: [
      { workflowTaskCompletedEventAttributes: { workerVersion: { buildId: 'sdk@1+abc' } } },
      { workflowExecutionCompletedEventAttributes: { result: { payloads: [{ data }] } } },
    ],
  };
}

function exported(changes: Record<string, unknown> = {}): string {
  const chain = records();
  const head = chain.at(-1)?.hash ?? '';
  const history = historyWith({ records: chain.length, head });
  const content = {
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AuditExport', exportedAt: '2026-11-21' },
    ...{ tool: 'ccm-migrate 0.1.0', workflowId: 'w', runId: 'run-1', cluster: 'c1' },
    ...{
      bundleDigest: 'sdk@1+abc',
      records: chain,
      head,
      history,
      historyDigest: digestJson(history),
    },
    ...changes,
  };
  return exportText({ ...content, digest: digestJson(content) });
}

function failed(text: string): readonly string[] {
  return verifyExport(text)
    .checks.filter(({ result }) => result === 'fail')
    .map(({ check }) => check);
}

describe('audit verify', () => {
  it('passes what was exported', () => {
    expect(failed(exported())).toEqual([]);
  });

  it('finds any one flipped bit', () => {
    const whole = Buffer.from(exported());
    const place = fc.record({
      byte: fc.integer({ min: 0, max: whole.length - 1 }),
      bit: fc.integer({ min: 0, max: 7 }),
    });
    fc.assert(
      fc.property(place, ({ byte, bit }) => {
        const tampered = Buffer.from(whole);
        tampered[byte] = (tampered[byte] ?? 0) ^ (1 << bit);
        return failed(tampered.toString('utf8')).length > 0;
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
    ['a history with another digest', { historyDigest: digestJson('other') }, ['history digest']],
  ])('finds %s', (_case, changes, expected) => {
    expect(failed(exported(changes))).toEqual(expected);
  });

  it.each(['', '{}', 'null', '[]', 'no json'])('refuses "%s"', (text) => {
    expect(failed(text)).toEqual(['format']);
  });
});

describe('facts of a history', () => {
  it('are read with care', () => {
    const history = historyWith({ records: 2, head: 'sha256:1' });
    expect(bundleDigestIn(history)).toBe('sdk@1+abc');
    expect(evidenceHeadIn(history)).toEqual({ records: 2, hash: 'sha256:1' });
  });

  it.each([
    null,
    {},
    { events: 'x' },
    {
      events: [
        null,
        { workflowExecutionCompletedEventAttributes: { result: { payloads: [{ data: '!' }] } } },
      ],
    },
  ])('are absent in %j', (history) => {
    expect(bundleDigestIn(history)).toBe('');
    expect(evidenceHeadIn(history)).toBeNull();
  });
});
