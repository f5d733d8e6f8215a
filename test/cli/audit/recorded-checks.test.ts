import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { AuditCheck } from '../../../cli/audit/audit-check.js';
import { checkDecisions, checkSteps } from '../../../cli/audit/check-decisions.js';
import { checkHeads } from '../../../cli/audit/check-heads.js';
import { checkRecordedRun } from '../../../cli/audit/check-invariants.js';
import { checkOutcome } from '../../../cli/audit/check-outcome.js';
import { recordedRun } from '../../../cli/audit/recorded-run.js';
import { EMPTY_CHAIN } from '../../../domain/evidence/chain.js';
import {
  type PackedObservation,
  unpackObservation,
} from '../../../domain/observation/packed-observation.js';
import { clusterOf, UNTOUCHED } from '../../support/cluster-builder.js';
import {
  command,
  CONTEXT,
  historyOf,
  lateSoak,
  ONLY,
  payloads,
  recordedBy,
  type Written,
  type WrittenActivity,
} from './written-run.js';

const OWN = 'sha256:own';
const CONVERTER = loadDataConverter();
/** Two control-plane nodes before the migration. */
const START = clusterOf(UNTOUCHED);
/** The state that the guide leaves on 1.28 and later: both managers call the cloud. */
const TWO_OWNERS = clusterOf({
  nodes: [
    { kcm: 'inTree', ccm: 'off' },
    { kcm: 'inTree', ccm: 'none' },
  ],
  kcmLeader: 0,
  ccmLeader: 0,
  migration: 'free',
});

async function checked(written: readonly Written[], ownCode = OWN): Promise<readonly AuditCheck[]> {
  const run = await recordedRun([historyOf(written)], CONVERTER);
  if (run.kind === 'unreadable') throw new Error(run.why);
  const { events } = run;
  return [checkDecisions(events, ownCode), checkSteps(events), checkRecordedRun(events)];
}

async function wrong(written: readonly Written[], ownCode = OWN): Promise<readonly string[]> {
  const checks = await checked(written, ownCode);
  return checks
    .filter(({ result }) => result !== 'pass')
    .map(({ check, result }) => `${check} ${result}`);
}

const WHOLE = recordedBy(OWN, START);
const FIRST_STEP = WHOLE.findIndex(({ name }) => name === 'executeStep');

function changed(
  at: number,
  change: (one: WrittenActivity) => WrittenActivity,
): readonly WrittenActivity[] {
  return WHOLE.map((one, index) => (index === at ? change(one) : one));
}

/** A history of these records; null where no history can be made of them. */
function historyIn(text: string): object | null {
  try {
    return historyOf(JSON.parse(text) as readonly Written[]);
  } catch {
    return null;
  }
}

function merge(value: unknown, change: object): object {
  return { ...(value as object), ...change };
}

describe('the audit of a recorded run', () => {
  it('passes a run whose decisions follow, whose steps were decided and whose invariants hold', async () => {
    const steps = WHOLE.filter(({ name }) => name === 'executeStep').length;
    expect(steps).toBeGreaterThan(5);
    expect(await checked(WHOLE)).toEqual([
      {
        check: 'decisions',
        result: 'pass',
        detail: `${String(steps + 1)} decisions follow from the recorded observations`,
      },
      { check: 'steps', result: 'pass', detail: `${String(steps)} steps, each as decided` },
      {
        check: 'invariants',
        result: 'pass',
        detail: `hold over ${String(steps + 1)} observations and ${String(steps)} steps`,
      },
    ]);
  });

  it('passes a run that a command turned during a soak, which ended after the next decision', async () => {
    const [fence, observed, ...steps] = recordedBy(OWN, START, 60, 1) as WrittenActivity[];
    const last = steps.at(-1);
    if (fence === undefined || observed === undefined || last === undefined)
      throw new Error('no run');
    const turned = [fence, observed, lateSoak(observed), ...steps, lateSoak(last)];
    expect(await wrong(turned)).toEqual([]);
    const undecided = [fence, lateSoak(observed), ...steps];
    expect(await wrong(undecided)).toContain('steps fail');
  });

  it('ends as the newest decision says, whatever arrives after it', async () => {
    const decided = (revision: number, kind: string): Written => ({
      name: 'soak',
      input: { policy: {}, decide: {} },
      result: { decision: { revision, next: { kind } }, decidedBy: OWN },
    });
    const result = payloads({ kind: 'done' });
    const end = { workflowExecutionCompletedEventAttributes: { result } };
    const history = historyOf([decided(1, 'done'), decided(0, 'step')], ONLY, [end]);
    const run = await recordedRun([history], CONVERTER);
    const events = run.kind === 'read' ? run.events : [];
    expect((await checkOutcome(events, history, CONVERTER)).result).toBe('pass');
  });

  it.each<[string, readonly Written[], readonly string[]]>([
    [
      'a replaced observation',
      changed(FIRST_STEP - 1, (one) => ({
        ...one,
        result: merge(one.result, {
          observation: (WHOLE.at(-1)?.result as { readonly observation: unknown }).observation,
        }),
      })),
      ['decisions fail'],
    ],
    [
      'a record that is no observation',
      changed(FIRST_STEP - 1, (one) => ({
        ...one,
        result: merge(one.result, { observation: {} }),
      })),
      ['decisions fail'],
    ],
    [
      'a decision reduced to its number',
      changed(FIRST_STEP - 1, (one) => ({
        ...one,
        result: merge(one.result, { decision: { revision: 0 } }),
      })),
      ['decisions fail', 'steps fail'],
    ],
    [
      'a step without a decision',
      [...WHOLE.slice(0, FIRST_STEP), ...WHOLE.slice(FIRST_STEP + 1)],
      ['steps fail'],
    ],
    [
      'a step under judgements that changed since its decision',
      changed(FIRST_STEP, (one) => ({
        ...one,
        input: merge(one.input, {
          decide: { ...(one.input as { readonly decide: object }).decide, revision: 7 },
        }),
      })),
      ['decisions fail', 'steps fail'],
    ],
    [
      'a step under a fence that another run holds',
      [
        ...WHOLE.slice(0, FIRST_STEP),
        { name: 'takeFence', input: CONTEXT, result: { epoch: 2, displaced: '' } },
        ...WHOLE.slice(FIRST_STEP),
      ],
      ['invariants fail'],
    ],
    [
      'a step during a pause',
      [...WHOLE.slice(0, FIRST_STEP), command('pause'), ...WHOLE.slice(FIRST_STEP)],
      ['invariants fail'],
    ],
  ])('detects %s', async (_case, written, expected) => {
    expect((await wrong(written)).filter((each) => expected.includes(each))).toEqual(expected);
  });

  it('finds each head that the history reported in the chain, and misses one that is not', async () => {
    const head = (records: number, hash: string): Written => ({
      ...{ name: 'takeFence', input: CONTEXT },
      result: { epoch: records, displaced: '', evidence: { records, hash } },
    });
    const chain = [{ hash: 'sha256:1' }, { hash: 'sha256:2' }];
    const judge = async (...written: readonly Written[]): Promise<string> => {
      const run = await recordedRun([historyOf(written)], CONVERTER);
      if (run.kind === 'unreadable') return run.why;
      const { result, detail } = checkHeads(run.events, chain, { kind: 'none' });
      return `${result}: ${detail}`;
    };
    const old: Written = { name: 'takeFence', input: CONTEXT, result: { epoch: 1, displaced: '' } };
    expect(await judge(old)).toBe('pass: 0 reported, each in the chain');
    const good = [head(0, EMPTY_CHAIN.hash), head(1, 'sha256:1'), head(2, 'sha256:2')];
    expect(await judge(...good)).toBe('pass: 3 reported, each in the chain');
    expect(await judge(head(2, 'sha256:1'))).toMatch(
      /^fail: .*event 3 reported record 2 as sha256:1/,
    );
    expect(await judge(head(3, 'sha256:3'), head(4, 'x'))).toMatch(/^fail: .*\(and 1 more\)$/);
    const torn: Written = { ...old, result: { epoch: 1, displaced: '', evidence: {} } };
    expect(await judge(torn)).toMatch(/no evidence.records$/);
  });

  it('reports every check for any single changed character of the record, and never throws', async () => {
    const text = JSON.stringify(WHOLE);
    const flip = fc.record({
      at: fc.integer({ min: 0, max: text.length - 1 }),
      by: fc.integer({ min: 1, max: 127 }),
    });
    await fc.assert(
      fc.asyncProperty(flip, async ({ at, by }) => {
        const character = String.fromCharCode(text.charCodeAt(at) ^ by);
        const history = historyIn(`${text.slice(0, at)}${character}${text.slice(at + 1)}`);
        const run = history && (await recordedRun([history], CONVERTER));
        if (run?.kind !== 'read') return;
        const { events } = run;
        const checks = [checkDecisions(events, OWN), checkSteps(events), checkRecordedRun(events)];
        expect(checks).toHaveLength(3);
      }),
      { numRuns: Number(process.env['CCM_TEST_FLIPS'] ?? 300) },
    );
  });

  it('accepts steps back while an alert pauses the run, and no step forward, nor one while a person does', async () => {
    const midway = WHOLE[FIRST_STEP + 2]?.result as { readonly observation: PackedObservation };
    const back = recordedBy(OWN, unpackObservation(midway.observation), 60, 0, 'kcm');
    const broken = async (run: readonly Written[], ...pauses: readonly Written[]) => {
      const first = run.findIndex((one) => 'name' in one && one.name === 'executeStep');
      expect(first).toBeGreaterThan(0);
      return (await wrong([...run.slice(0, first), ...pauses, ...run.slice(first)])).length > 0;
    };
    const alert = command('pause', 'automation/am');
    expect(await broken(back, alert)).toBe(false);
    expect(await broken(back, alert, command('pause'))).toBe(true);
    expect(await broken(back, alert, command('pause'), command('resume'))).toBe(false);
    expect(await broken(WHOLE, alert)).toBe(true);
  });

  it('accepts a pause in which no step began, and a failed step that was retried', async () => {
    const [step] = WHOLE.slice(FIRST_STEP);
    if (step === undefined) throw new Error('there is a step');
    const paused = [command('pause'), command('pause'), command('resume')];
    const again = { ...step, result: null };
    expect(
      await wrong([...WHOLE.slice(0, FIRST_STEP), ...paused, again, ...WHOLE.slice(FIRST_STEP)]),
    ).toEqual([]);
  });

  it('takes a probe that was decided for a step that was decided', async () => {
    const [before, step] = WHOLE.slice(FIRST_STEP - 1);
    const { planned } = (step?.input ?? {}) as { readonly planned: object };
    const probe = {
      ...planned,
      step: { name: 'probeBalancer', effect: { kind: 'probeBalancer' } },
    };
    const { decision } = (before?.result ?? {}) as { readonly decision: object };
    const steps = async (due: object): Promise<string | undefined> => {
      const told = { ...decision, ...due };
      const run = await recordedRun(
        [
          historyOf([
            { ...before, result: merge(before?.result, { decision: told }) } as WrittenActivity,
            { ...step, input: merge(step?.input, { planned: probe }) } as WrittenActivity,
          ]),
        ],
        CONVERTER,
      );
      return run.kind === 'read' ? checkSteps(run.events).result : run.why;
    };
    expect([await steps({ probe }), await steps({})]).toEqual(['pass', 'fail']);
  });

  it('does not judge decisions of another build, and names that build', async () => {
    const other = changed(FIRST_STEP - 1, (one) => ({
      ...one,
      result: merge(one.result, {
        decidedBy: 'sha256:other',
        decision: merge((one.result as { readonly decision: object }).decision, { owner: 'both' }),
      }),
    }));
    const [decisions] = await checked(other);
    expect(decisions).toMatchObject({
      result: 'unproven',
      detail: expect.stringContaining('sha256:other'),
    });
    // The decision of this build passes without that exception.
    expect(await wrong(recordedBy('sha256:other', START))).toEqual([]);
  });

  it('judges a run by what it did, not by the state that it found', async () => {
    expect(await wrong(recordedBy(OWN, TWO_OWNERS))).toEqual([]);
  });

  it('reports where a record has an unknown encoding', async () => {
    const history = historyOf([
      {
        event: {
          workflowExecutionSignaledEventAttributes: {
            signalName: 'command',
            input: { payloads: ['x'] },
          },
        },
      },
    ]);
    expect(await recordedRun([history], CONVERTER)).toEqual({
      kind: 'unreadable',
      why: 'execution 1, event 2 is in an encoding unknown here',
    });
  });
});
