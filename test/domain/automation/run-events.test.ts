import { describe, expect, it } from '@jest/globals';
import {
  runBegan,
  runEnded,
  eventsOfStatus,
  RUN_EVENT_KINDS,
  type EventfulRun,
} from '../../../domain/automation/run-events.js';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import type { ClusterStatus } from '../../../workflows/messages.js';
import { statusOf } from '../../cli/given-runs.js';

const RUN: EventfulRun = {
  workflowId: 'cluster-migration/uid-1',
  runId: 'first-1',
  cluster: 'prod-1',
  fleet: '',
};
const asked = { targetReason: 'asked by ana@corp: CHG-4711' };
const given = (changes: Partial<ClusterStatus> = {}) =>
  eventsOfStatus(RUN, statusOf({ ...asked, ...changes }));
const kinds = (changes: Partial<ClusterStatus>) => given(changes).map(({ kind }) => kind);
const ids = (changes: Partial<ClusterStatus>) => given(changes).map(({ id }) => id);

const gate = (verdict: GateVerdict['verdict']): GateVerdict => ({
  ...{ gate: 'nodesReady', hardness: 'hard', verdict, detail: 'cp-2', code: 'CCM3001' },
});
const HELD: Partial<ClusterStatus> = {
  ...{ inFlight: 'held', holdReason: 'gates', whoActs: 'person', sinceMs: 5 },
  findings: ['cp-2', 'cp-3'].map((subject) => ({
    ...{ code: 'CCM3001', severity: 'error' as const, subject, seen: 'not Ready' },
    ...{ why: '', fix: '', source: '' },
  })),
};
const PAUSED: Partial<ClusterStatus> = {
  ...{ pause: 'paused', sinceMs: 7 },
  pausedBy: { actor: 'automation/am', reason: 'alert errors' },
};

describe('what a status says has happened', () => {
  it('a run that goes on tells nothing, and neither does one that is being stopped', () => {
    expect(given()).toEqual([]);
    expect(given({ targetReason: 'stopped by ana@corp' })).toEqual([]);
  });

  it('a hold is told once for as long as it lasts, with its codes', () => {
    const [event] = given(HELD);
    expect(event).toMatchObject({
      ...{ kind: 'held', atMs: 5, run: RUN },
      what: { holdReason: 'gates', whoActs: 'person', codes: ['CCM3001'] },
    });
    expect(ids({ ...HELD, advice: 'later' })).toEqual(ids(HELD));
    expect(ids({ ...HELD, sinceMs: 6 })).not.toEqual(ids(HELD));
    expect(ids({ ...HELD, findings: [] })).not.toEqual(ids(HELD));
  });

  it('a reason to hold is no hold while a step goes on', () => {
    expect(kinds({ ...HELD, inFlight: 'stepping' })).toEqual([]);
    expect(kinds({ ...HELD, holdReason: 'none' })).toEqual([]);
  });

  it('a pause is told, and whether an alert did it; the note of its end is the same pause', () => {
    expect(given(PAUSED)).toMatchObject([
      { kind: 'paused', atMs: 7, what: { actor: 'automation/am', byAutomation: true } },
    ]);
    const noted = { actor: 'automation/am', reason: 'alert errors; over' };
    expect(ids({ ...PAUSED, pausedBy: noted })).toEqual(ids(PAUSED));
    const person = { actor: 'ana@corp', reason: '' };
    expect(given({ ...PAUSED, pausedBy: person })[0]?.what['byAutomation']).toBe(false);
  });

  it('one that is about to pause, or that ends, is not paused', () => {
    expect(kinds({ ...PAUSED, pause: 'pausing' })).toEqual([]);
    expect(kinds({ ...PAUSED, pausedBy: null })).toEqual([]);
  });

  it('a held run that is paused tells its pause alone: the time is that of the pause', () => {
    expect(kinds({ ...HELD, ...PAUSED })).toEqual(['paused']);
  });

  it('a change of direction is told, and another one again', () => {
    const back = { target: 'kcm', targetReason: 'rolled back by ana@corp: slow' } as const;
    const again = { target: 'ccm', targetReason: 'rolled forward by ana@corp: mended' } as const;
    expect(given(back)).toMatchObject([
      { kind: 'turned', atMs: null, what: { target: 'kcm', byAutomation: false } },
    ]);
    expect(ids(again)).not.toEqual(ids(back));
  });

  it('a gate that fails is told once; one that could not be measured is no failure', () => {
    expect(given({ gates: [gate('fail'), gate('error'), gate('inconclusive')] })).toMatchObject([
      { kind: 'gateFailed', what: { gate: 'nodesReady', hardness: 'hard', code: 'CCM3001' } },
    ]);
  });

  it('the gate comes before the turn that it caused', () => {
    const turned = { targetReason: 'rolled back by policy onBreach: CCM3001' };
    expect(kinds({ ...turned, gates: [gate('fail')] })).toEqual(['gateFailed', 'turned']);
  });
});

describe('the id of an event', () => {
  it('does not depend on when it is noticed, and differs by run and kind', () => {
    const end = { execution: 'completed', outcome: 'done' };
    expect(runBegan(RUN, null).id).toBe(runBegan(RUN, 3).id);
    expect(runEnded(RUN, 4, { ...end, outcome: null }).id).toBe(runEnded(RUN, 4, end).id);
    const other = { ...RUN, runId: 'first-2' };
    const all = [runBegan(RUN, 3), runBegan(other, 3), runEnded(RUN, 4, end)].map(({ id }) => id);
    expect(new Set(all).size).toBe(3);
  });

  it('every kind is told by something', () => {
    const status = { ...HELD, gates: [gate('fail')], targetReason: 'rolled back by x: y' };
    const told = [
      ...[runBegan(RUN, 1), runEnded(RUN, 2, { execution: 'failed', outcome: null })],
      ...[...given(status), ...given(PAUSED)],
    ];
    expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(RUN_EVENT_KINDS));
  });
});
