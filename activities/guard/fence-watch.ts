import type { RunContext } from '../contract.js';
import type { ActivityClock } from '../dependencies.js';
import { failureTypeOf } from '../failures.js';
import {
  FENCE,
  type FenceRecord,
  fenceNotes,
  leaseTime,
  readFence,
  renewalLimitMs,
} from '../fence/fence-record.js';
import { listFence } from '../fence/read-fence.js';
import { gateNote } from '../fence/gate-notes.js';
import type { LeaseObject } from '../lease-reading.js';
import { onAbort } from '../on-abort.js';
import type { KubernetesApi } from '../ports.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { RunTimings } from '../../domain/policy.js';

/** Wakes an idle guard. */
export interface FenceWatch {
  /**
   * Waits until the fence needs its guard, at most `ms`; whether it does. Ends early, without error, when the attempt ends.
   */
  rest(known: FenceRecord, ms: number): Promise<boolean>;
  /** Ends the current rest, or the next one at once: something else than the fence needs the guard. */
  interrupt(): void;
  /** Ends the watch; the next `rest` begins another one. */
  close(): void;
}

export interface Watching {
  readonly api: KubernetesApi;
  readonly clock: ActivityClock;
  readonly timings: RunTimings;
  readonly signal: AbortSignal;
}

/** Whether writes are blocked until the guard renews it, or may come at any time. */
export function needsGuard({ mode, guardedEpoch, epoch }: FenceRecord): boolean {
  return mode === 'active' || guardedEpoch !== epoch;
}

/** What a watch reported since the last rest; null when the fence is gone. */
type News = { readonly fence: FenceRecord | null } | null;

/**
 * One watch on one Lease, kept across rests while it lives. When it ends or fails, only the fence is read instead: at first
 * after one guard interval, so that a step is still noticed within a second, then less and less often up to the idle interval
 * while no watch survives (a proxy that cuts streams, a credential without the watch right).
 */
export function openFenceWatch(watching: Watching): FenceWatch {
  return new LastingWatch(watching);
}

class LastingWatch implements FenceWatch {
  private readonly watching: Watching;
  private stream: AbortController | null = null;
  private news: News = null;
  private failures = 0;
  private interrupted = false;
  private ring = (): void => undefined;

  constructor(watching: Watching) {
    this.watching = watching;
  }

  interrupt(): void {
    this.interrupted = true;
    this.ring();
  }

  close(): void {
    this.stream?.abort(new Error('the guard polls the fence'));
    this.stream = null;
    this.news = null;
  }

  async rest(known: FenceRecord, ms: number): Promise<boolean> {
    const { clock, signal } = this.watching;
    const untilMs = clock.nowMs() + ms;
    if (this.stream === null) this.news = null;
    for (;;) {
      if (this.interrupted) {
        this.interrupted = false;
        return true;
      }
      if (this.news !== null && wakes(known, this.news.fence)) {
        this.news = null;
        return true;
      }
      const leftMs = untilMs - clock.nowMs();
      if (signal.aborted || leftMs <= 0) return false;
      if (this.stream === null) await this.begin(known, leftMs);
      else await this.nap(leftMs);
    }
  }

  /** The first watch continues from what the guard has read; a later one reads the fence first, after a delay. */
  private async begin(known: FenceRecord, leftMs: number): Promise<void> {
    const { api, timings, signal } = this.watching;
    if (this.failures === 0) {
      this.follow(known.resourceVersion);
      return;
    }
    const pauseMs = timings.guardMs * 2 ** (this.failures - 1);
    await this.nap(Math.min(leftMs, pauseMs, timings.guardIdleMs));
    if (signal.aborted) return;
    try {
      const { fence } = await listFence(api, { timeoutMs: timings.requestMs });
      this.news = { fence };
      this.follow(fence?.resourceVersion ?? '0');
    } catch {
      // The guard's next round reports what is wrong.
      this.failures += 1;
    }
  }

  private follow(resourceVersion: string): void {
    const { clock, timings } = this.watching;
    const own = new AbortController();
    this.stream = own;
    const beganMs = clock.nowMs();
    const told = (fence: FenceRecord | null): void => {
      if (this.stream !== own) return;
      this.news = { fence };
      this.ring();
    };
    void readEvents({ ...this.watching, signal: own.signal }, resourceVersion, told)
      .catch(() => undefined)
      .then(() => {
        if (this.stream !== own) return;
        this.stream = null;
        // A watch that lasted a whole rest is not a problem: servers end all watches.
        const held = clock.nowMs() - beganMs >= timings.guardIdleMs;
        this.failures = held ? 1 : this.failures + 1;
        this.ring();
      });
  }

  private async nap(ms: number): Promise<void> {
    const { clock, signal } = this.watching;
    const bell = new AbortController();
    this.ring = () => {
      bell.abort(new Error('something changed'));
    };
    const leave = onAbort(signal, this.ring);
    await clock.sleep(ms, bell.signal).catch(() => undefined);
    leave();
  }
}

/** The minimum default of API servers; the reader lists again after it. */
const WATCH_SECONDS = 300;

async function readEvents(
  { api, timings, signal }: Omit<Watching, 'clock'>,
  resourceVersion: string,
  told: (fence: FenceRecord | null) => void,
): Promise<void> {
  const { apiVersion, kind, namespace, name } = FENCE;
  const events = api.watch<LeaseObject>(
    { apiVersion, kind, namespace },
    {
      fieldSelector: `metadata.name=${name}`,
      resourceVersion,
      timeoutSeconds: WATCH_SECONDS,
      timeoutMs: timings.requestMs,
      signal,
    },
  );
  for await (const { type, object } of events) {
    if (type === 'BOOKMARK') continue;
    told(type === 'DELETED' ? null : readFence(object));
  }
}

function wakes(known: FenceRecord, now: FenceRecord | null): boolean {
  return now === null || now.runId !== known.runId || now.epoch !== known.epoch || needsGuard(now);
}

/** Input from one observation for the renewal of the fence. */
export interface Renewal {
  /** The API server's clock at the observation, epoch ms. */
  readonly serverTimeMs: number;
  readonly breach: { readonly changed: boolean; readonly text: string };
  /** What the gates on metrics say; empty where none is judged. */
  readonly metrics: readonly GateVerdict[];
  /** First round of this attempt of the guard: a step waiting for it must not wait for another interval. */
  readonly isFirst: boolean;
}

/**
 * Renews the fence when its interval has passed; at once when the breaches changed, in an unconfirmed epoch, and in the first
 * round. It records the epoch that it read: only that opens the fence. Times are the API server's. A conflict means that a
 * step or a take-over wrote at the same moment; the next round observes again.
 */
export async function renewFence(
  api: KubernetesApi,
  context: Pick<RunContext, 'timings'>,
  fence: FenceRecord,
  renewal: Renewal,
): Promise<boolean> {
  const { serverTimeMs, breach, metrics } = renewal;
  if (!isDue(context, fence, renewal)) return false;
  const noted = {
    ...(breach.changed ? { breach: breach.text } : {}),
    ...(metrics.length === 0
      ? {}
      : { gates: gateNote(metrics), gatesAt: String(Math.round(serverTimeMs)) }),
  };
  const patch = {
    metadata: {
      // The guard must not open what it has not read: any write in between makes this a conflict.
      resourceVersion: fence.resourceVersion,
      annotations: fenceNotes({ guardedEpoch: String(fence.epoch), ...noted }),
    },
    spec: {
      renewTime: leaseTime(serverTimeMs),
      leaseDurationSeconds: Math.ceil(renewalLimitMs(context, fence.mode) / 1000),
    },
  };
  try {
    await api.mergePatch(FENCE, patch, { timeoutMs: context.timings.requestMs });
    return true;
  } catch (error) {
    if (failureTypeOf(error) === 'Conflict') return false;
    throw error;
  }
}

function isDue(
  context: Pick<RunContext, 'timings'>,
  { guardedEpoch, epoch, mode, renewedAtMs }: FenceRecord,
  { serverTimeMs, breach, isFirst }: Renewal,
): boolean {
  if (isFirst || breach.changed || guardedEpoch !== epoch || renewedAtMs === null) return true;
  const { guardMs, guardIdleMs } = context.timings;
  // A slightly early round must not leave the renewal to a late one.
  const earlyMs = (mode === 'idle' ? guardIdleMs : guardMs) / 2;
  const age = serverTimeMs - renewedAtMs;
  // Another API server, or this one before its clock was corrected, is ahead: its time would keep the fence from being renewed.
  if (age < -earlyMs) return true;
  return age + earlyMs >= renewalLimitMs(context, mode) / 3;
}
