import { runFailure } from '../run-failure.js';
import type { FleetMail, FleetMailbox } from './fleet-mailbox.js';

const LANES = ['starts', 'messages', 'sweep', 'openings', 'others'] as const;
export type LaneName = (typeof LANES)[number];

/** Calls of activities. Of each kind one is in flight; meanwhile what comes next collects, so that one call takes it. */
export interface FleetLanes {
  readonly isFree: (name: LaneName) => boolean;
  readonly isIdle: () => boolean;
  /** Occupies a lane until the call has ended. `giveBack` undoes what was taken for a call that failed. */
  readonly run: (name: LaneName, call: () => Promise<FleetMail>, giveBack: () => void) => void;
  /** When a lane that failed is tried again; null when none has. */
  readonly retryAtMs: () => number | null;
  /** Why lanes failed, for people. */
  readonly problems: () => readonly string[];
}

interface Lane {
  busy: boolean;
  notBeforeMs: number;
  problem: string;
}

const AGAIN_AFTER_MS = 30_000;

export function openLanes(mailbox: FleetMailbox): FleetLanes {
  const lanes: Record<LaneName, Lane> = {
    starts: freeLane(),
    messages: freeLane(),
    sweep: freeLane(),
    openings: freeLane(),
    others: freeLane(),
  };
  const all = (): readonly Lane[] => LANES.map((name) => lanes[name]);
  const run = async (name: LaneName, ...[call, giveBack]: Work): Promise<void> => {
    const lane = lanes[name];
    try {
      const mail = await call();
      Object.assign(lane, freeLane());
      mailbox.put(mail);
    } catch (error) {
      giveBack();
      fail(mailbox, lane, name, error);
    }
  };
  return {
    isFree: (name) => !lanes[name].busy && lanes[name].notBeforeMs <= Date.now(),
    isIdle: () => all().every(({ busy }) => !busy),
    run: (name, ...work) => {
      lanes[name].busy = true;
      void run(name, ...work);
    },
    retryAtMs: () => {
      const times = all().map(({ notBeforeMs }) => notBeforeMs);
      const later = times.filter((atMs) => atMs > Date.now());
      return later.length === 0 ? null : Math.min(...later);
    },
    problems: () => all().flatMap(({ problem }) => (problem === '' ? [] : [problem])),
  };
}

type Work = readonly [call: () => Promise<FleetMail>, giveBack: () => void];

function freeLane(): Lane {
  return { busy: false, notBeforeMs: 0, problem: '' };
}

/** What no retry cured is tried again later: what it was for is not lost, and people see why it waits. */
function fail(mailbox: FleetMailbox, lane: Lane, name: LaneName, error: unknown): void {
  lane.busy = false;
  const failure = runFailure(error);
  if (failure === null) {
    mailbox.fail(error);
    return;
  }
  lane.problem = `${name}: ${failure.message}`;
  lane.notBeforeMs = Date.now() + AGAIN_AFTER_MS;
  mailbox.put({ kind: 'event', event: { kind: 'tick' } });
}
