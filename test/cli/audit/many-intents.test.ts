import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkIntents } from '../../../cli/audit/check-intents.js';
import type { AskedContext, RecordedEvent } from '../../../cli/audit/recorded-run.js';
import { type ChainHead, EMPTY_CHAIN, nextRecord } from '../../../domain/evidence/chain.js';
import type { EvidenceRecord } from '../../../domain/evidence/record.js';
import { digestJson } from '../../../domain/digest.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../../support/second-verifier.js';
import { sealed, TRUST_FILE } from './signed-export.js';
import { CONTEXT, historyOf } from './written-run.js';

const { workflowId, cluster, runId, planDigest, actor } = CONTEXT;
const NAMED = { workflowId, cluster: cluster.name };
const STEP = 'startCcm';

interface Written {
  readonly epoch: number;
  readonly reason: string;
}

/** A chain of these intents of one step, each applied. */
function chainOf(intents: readonly Written[]): readonly EvidenceRecord[] {
  const at = '2026-11-21T10:00:00Z';
  let head: ChainHead = EMPTY_CHAIN;
  const add = (entry: EvidenceRecord['entry']): EvidenceRecord => {
    const record = nextRecord(head, entry);
    head = { records: head.records + 1, hash: record.hash };
    return record;
  };
  return intents.flatMap(({ epoch, reason }, index) => {
    const id = `i-${String(index)}`;
    const object = 'roles kube-system/x';
    const what = { step: STEP, verb: 'create', object, before: '', after: '', proof: '' } as const;
    const of = { id, runId, workflowId, cluster: cluster.name, actor, planDigest };
    return [
      add({ kind: 'intent', intent: { ...of, ...what, epoch, reason, at } }),
      add({ kind: 'outcome', intentId: id, outcome: { kind: 'applied', at, detail: '' } }),
    ];
  });
}

/** Steps as a history asks for them; `onReason` hears of each time that the reason of one is looked at. */
function askedOf(steps: readonly Written[], onReason = () => undefined): readonly RecordedEvent[] {
  return steps.map(({ epoch, reason }, index) => {
    const asked: AskedContext = {
      ...{ workflowId, cluster, runId, planDigest, actor, epoch, evidence: null },
      get reason() {
        onReason();
        return reason;
      },
    };
    return { kind: 'asked', where: `event ${String(index)}`, step: STEP, closes: '', asked };
  });
}

const reasonOf = (index: number): string => `token=s-${String(index)} ${'why '.repeat(250)}`;
const redactedReason = `token=[redacted] ${'why '.repeat(250)}`;

describe('as many intents as activities', () => {
  const steps = Array.from({ length: 300 }, (_, epoch) => ({ epoch, reason: reasonOf(epoch) }));
  const intents = steps.map(({ epoch }) => ({ epoch, reason: redactedReason }));

  it('are read once each, whatever they are compared with', () => {
    let read = 0;
    const events = askedOf(steps, () => void (read += 1));
    expect(checkIntents(events, chainOf(intents), NAMED).result).toBe('pass');
    expect(read).toBeLessThanOrEqual(3 * steps.length);
  });

  it('do not pass where one is of another epoch, or for another reason', () => {
    const [first = { epoch: 0, reason: '' }, ...others] = intents;
    for (const wrong of [{ epoch: 300 }, { reason: 'another' }]) {
      const chain = chainOf([{ ...first, ...wrong }, ...others]);
      expect(checkIntents(askedOf(steps), chain, NAMED).result).toBe('fail');
    }
  });
});

const together = HAS_SECOND_VERIFIER ? describe : describe.skip;

together('the verifier in Python', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-many-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('judges 3,000 intents of 3,000 steps with long reasons', async () => {
    // All of one epoch: it would compare each reason with each.
    const steps = Array.from({ length: 3_000 }, (_, index) => ({
      ...{ epoch: 1, reason: `${'why '.repeat(250)} ${String(index)}` },
    }));
    const planned = { step: { name: STEP, effect: { kind: 'recordBaseline' } } };
    const history = historyOf(
      steps.map((each) => ({
        name: 'executeStep',
        input: { ...CONTEXT, ...each, planned, decide: { revision: 0 } },
        result: { summary: { mutations: 1 } },
      })),
    );
    const records = chainOf(steps);
    const execution = { runId, buildId: '', history, historyDigest: digestJson(history) };
    const file = join(folder, 'many.json');
    const content = { kind: 'AuditExport', ...NAMED, runId, records, executions: [execution] };
    await writeFile(file, sealed({ ...content, head: records.at(-1)?.hash ?? '' }));
    const [verdict] = await secondVerdicts(TRUST_FILE, [file]);
    expect(verdict?.checks['intents']).toEqual({ result: 'pass' });
    expect(verdict?.checks['digest']).toEqual({ result: 'pass' });
  });
});
