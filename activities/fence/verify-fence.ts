import { hardGates } from '../../domain/gates/hard-gates.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { ActivityClock } from '../dependencies.js';
import type { KubernetesApi } from '../ports.js';
import { breachLines } from './fence-record.js';
import type { FenceToken, FenceVerdict } from './read-fence.js';
import { type FenceReading, getFence, judgeFence, requireOpen, wakeFence } from './read-fence.js';

/** The fence from an observation, with the cluster of the same observation. */
export interface SeenWithFence extends FenceReading {
  readonly observation: ClusterObservation;
}

/** One step that asks to pass the fence. */
export interface Passage {
  readonly api: KubernetesApi;
  readonly clock: ActivityClock;
  readonly token: FenceToken;
  /** Ends the wait: nothing was written yet. */
  readonly signal: AbortSignal;
}

/** Guard observations to wait for until a cured breach is cleared. */
const GUARD_ROUNDS = 3;

/**
 * Passes when the fence is open. An idle fence is woken and closed; then, as for one not confirmed in this epoch, this waits
 * for the guard's next renewal, at most `guardWaitMs`. A breach cured by the previous step remains until the guard observes
 * again: when our own observation no longer shows it, this waits for that too. Only the guard removes a breach from the
 * fence. Returns whether it waited, so that the caller observes again.
 */
export async function verifyFence(passage: Passage, seen: SeenWithFence): Promise<boolean> {
  const { api, clock, token, signal } = passage;
  const { pollMs, requestMs, guardMs, guardWaitMs } = token.timings;
  const unguardedUntilMs = clock.nowMs() + guardWaitMs;
  let breachUntilMs = Infinity;
  let reading: FenceReading = seen;
  for (let waited = false; ; waited = true) {
    const verdict = await judgeAwake(passage, reading);
    if (verdict.kind === 'open') return waited;
    switch (patienceWith(passage, verdict, { ...seen, fence: reading.fence })) {
      case 'none':
        requireOpen(verdict);
        break;
      case 'guard':
        if (clock.nowMs() >= unguardedUntilMs) requireOpen(verdict);
        break;
      case 'cure':
        breachUntilMs = Math.min(breachUntilMs, clock.nowMs() + GUARD_ROUNDS * guardMs);
        if (clock.nowMs() >= breachUntilMs) requireOpen(verdict);
    }
    await clock.sleep(pollMs, signal);
    reading = await getFence(api, { timeoutMs: requestMs });
  }
}

/** The verdict on a fence that is not idle; an idle one of ours is woken, which closes it. */
async function judgeAwake(
  { api, token }: Passage,
  { fence, serverTimeMs }: FenceReading,
): Promise<FenceVerdict> {
  const verdict = judgeFence(token, fence, serverTimeMs);
  if (fence?.mode !== 'idle' || isLost(verdict)) return verdict;
  await wakeFence(api, token, fence);
  return judgeFence(token, { ...fence, guardedEpoch: 0 }, serverTimeMs);
}

function isLost(verdict: FenceVerdict): boolean {
  return verdict.kind === 'closed' && verdict.type === 'FenceLost';
}

function patienceWith(
  { token }: Passage,
  { type }: Extract<FenceVerdict, { kind: 'closed' }>,
  now: SeenWithFence,
): 'none' | 'guard' | 'cure' {
  if (type === 'Unguarded') return 'guard';
  return type === 'Breach' && !isStillSeen(token, now) ? 'cure' : 'none';
}

function isStillSeen({ policy }: FenceToken, { fence, observation }: SeenWithFence): boolean {
  const noted = breachLines(fence?.breach ?? '').map(({ code }) => code);
  return hardGates(observation, {
    controllers: policy.lock.controllers,
    nodes: policy.nodes,
    orphanMs: 0,
    orphanBudgetMs: policy.orphanBudgetMs,
    inventory: null,
  }).some(({ verdict, code }) => verdict !== 'pass' && noted.includes(code));
}
