import { describe, expect, it } from '@jest/globals';
import { USER_AGENTS } from '../../../../config/names.js';
import type { EvidenceIntent } from '../../../../domain/evidence/record.js';
import { brakeAccount, type BrakeFacts } from '../../../../testbed/bench/brake/brake-account.js';
import type { SimulatedRequest } from '../../../../testbed/demo/simulator-control.js';

const SIGNAL = 10_000;
/** The simulator's clock is ahead of the worker's. */
const AHEAD = 500;

function request(atMs: number, more: Partial<SimulatedRequest> = {}): SimulatedRequest {
  return {
    ...{ atMs, userAgent: USER_AGENTS.steps, verb: 'patch', resource: 'configmaps', name: 'any' },
    ...{ path: '/', mutating: true, fault: '', tookEffect: true },
    ...more,
  };
}

const guarded = (atMs: number): SimulatedRequest =>
  request(atMs, { userAgent: USER_AGENTS.guard, resource: 'leases', name: 'ccm-migrate' });

function intent(step: string, atMs: number): EvidenceIntent {
  return {
    ...{ id: String(atMs), runId: 'r', workflowId: 'w', cluster: 'c', epoch: 1, step },
    ...{ actor: 'a', reason: '', planDigest: '', at: new Date(atMs - AHEAD).toISOString() },
    ...{ verb: 'patch', object: 'o', before: '', after: '', proof: '' },
  };
}

/** Each write 20 ms after its intent. */
function facts(
  writes: readonly (readonly [string, number])[],
  more: Partial<BrakeFacts> = {},
): BrakeFacts {
  return {
    ...{ situation: 'pausedOwner', phase: 'changing', step: 'startCcm', isStopped: true, end: '' },
    ...{ signalAtMs: SIGNAL, seenClosedAtMs: null, overAtMs: null, aheadMs: AHEAD, stepBegins: [] },
    intents: writes.map(([step, atMs]) => intent(step, atMs)),
    journal: writes.map(([, atMs]) => request(atMs + 20)),
    ...more,
  };
}

describe('what a run wrote after a bad sign', () => {
  it('the last write counts, with its step, from the sign on', () => {
    const writes = [
      ['prepareCcm', 9_000],
      ['startCcm', 10_400],
      ['startCcm', 11_000],
    ] as const;
    expect(brakeAccount(facts(writes))).toMatchObject({
      ...{ lastNewMs: 1_020, newWrites: 2, finishing: 0, cures: 0 },
      lastNew: 'startCcm: patch configmaps any',
    });
  });

  it('a hard sign stops a step between two writes, so what ends a step that had begun is new, too', () => {
    const writes = [
      ['startCcm', 9_000],
      ['startCcm', 12_000],
    ] as const;
    expect(brakeAccount(facts(writes))).toMatchObject({ lastNewMs: 2_020, finishing: 0 });
  });

  it('a soft one lets a step end that had begun to write, and no other one begin', () => {
    const writes = [
      ['startCcm', 9_000],
      ['startCcm', 12_000],
      ['startCcm', 13_000],
      ['startCcm', 13_500],
      ['externalizeKcm', 14_000],
    ] as const;
    const stepBegins = [8_000, 12_900, 13_900].map((atMs) => atMs - AHEAD);
    const account = brakeAccount(facts(writes, { situation: 'cloudRefuses', stepBegins }));
    expect(account).toMatchObject({ finishing: 2, newWrites: 2, lastNewMs: 4_020 });
  });

  it('a step that had only begun to observe is a new one', () => {
    const stepBegins = [9_000 - AHEAD];
    const given = { situation: 'cloudRefuses', stepBegins } as const;
    const account = brakeAccount(facts([['startCcm', 10_001]], given));
    expect(account).toMatchObject({ finishing: 0, newWrites: 1 });
  });

  it('a repair of two owners cures, and of nothing else', () => {
    const writes = [['stopSecondOwner', 11_000]] as const;
    expect(brakeAccount(facts(writes, { situation: 'secondOwner' }))).toMatchObject({
      ...{ cures: 1, newWrites: 0, lastNewMs: null, lastNew: '' },
    });
    expect(brakeAccount(facts(writes))).toMatchObject({ cures: 0, newWrites: 1 });
  });

  it('once the harm is over the run may go on', () => {
    const writes = [
      ['startCcm', 10_500],
      ['startCcm', 12_000],
    ] as const;
    const account = brakeAccount(facts(writes, { overAtMs: 11_500, isStopped: false }));
    expect(account).toMatchObject({ lastNewMs: 520, newWrites: 1, isStopped: true });
  });

  it.each([
    ['a read', { mutating: false }],
    ['the fence', { resource: 'leases', name: 'ccm-migrate' }],
    ['the guard', { userAgent: USER_AGENTS.guard }],
    ['a manager', { userAgent: 'kube-controller-manager' }],
  ])('%s is no write of a step', (_what, more) => {
    const journal = [request(11_000, more)];
    expect(brakeAccount(facts([], { journal }))).toMatchObject({ lastNewMs: null, newWrites: 0 });
  });

  it('a write that was refused was begun all the same', () => {
    const journal = [request(11_000, { tookEffect: false })];
    expect(brakeAccount(facts([], { journal }))).toMatchObject({ lastNewMs: 1_000 });
  });

  it('the fence refuses from the write on that it was seen with, never before the sign', () => {
    const journal = [guarded(9_500), guarded(10_700), guarded(12_000)];
    const closed = (seenClosedAtMs: number | null): unknown =>
      brakeAccount(facts([], { journal, seenClosedAtMs })).closedMs;
    expect([closed(10_790), closed(9_990), closed(null)]).toEqual([700, 0, null]);
    expect(brakeAccount(facts([], { seenClosedAtMs: 10_790 })).closedMs).toBe(790);
  });
});
