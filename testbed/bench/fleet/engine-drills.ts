import type { WorkflowHandle } from '@temporalio/client';
import type { FleetCommand } from '../../../domain/fleet/fleet-command.js';
import { hasEnded, isMoving } from '../../../domain/fleet/fleet-rows.js';
import type { FleetState } from '../../../domain/fleet/fleet-state.js';
import { fleetCommandSignal } from '../../../workflows/messages/fleet-messages.js';
import type { Engine } from './engine.js';
import type { Interval } from './journal-account.js';

/** What is done to the fleet while it moves. */
export interface Drills {
  /** Server and worker are killed once each. */
  readonly kill: boolean;
  /** The fleet is paused once with all its slots taken, and resumed. */
  readonly pause: boolean;
  /** The fleet is stopped when it only waits for a person to judge a group. */
  readonly stopHeld: boolean;
}

/** What the drills did. */
export interface DrillRecord {
  readonly killed: readonly string[];
  /** The time after the word to pause in which no step may begin; null without the drill. */
  readonly paused: Interval | null;
  /** Clusters that changed when the word to pause was given. */
  readonly movingAtPause: number;
}

export interface OpenDrills {
  /** Called with each state that was read. */
  readonly act: (state: FleetState) => Promise<void>;
  readonly record: () => DrillRecord;
}

/** Shares of the clusters that have ended. */
const KILL_AT = { server: 0.3, worker: 0.6 } as const;

/** A step may still begin so long after the word to pause. */
const PAUSE_GRACE_MS = 5_000;
const PAUSE_LASTS_MS = 30_000;

export function openDrills(
  { pids }: Pick<Engine, 'pids'>,
  fleet: WorkflowHandle,
  drills: Drills,
  report: (line: string) => void,
): OpenDrills {
  const killed: ('server' | 'worker')[] = [];
  const pause = openPause(fleet, report);
  const kill = ({ rows }: FleetState): void => {
    const share = rows.filter(hasEnded).length / rows.length;
    for (const name of ['server', 'worker'] as const) {
      if (share < KILL_AT[name] || killed.includes(name)) continue;
      killed.push(name);
      report(`killing the ${name}`);
      process.kill(pids()[name], 'SIGKILL');
    }
  };
  return {
    act: async (state) => {
      if (drills.kill) kill(state);
      if (drills.pause) await pause.act(state);
      if (drills.stopHeld && onlyWaits(state)) await order(fleet, 'stop');
    },
    record: () => ({ killed, ...pause.record() }),
  };
}

function openPause(
  fleet: WorkflowHandle,
  report: (line: string) => void,
): {
  readonly act: (state: FleetState) => Promise<void>;
  readonly record: () => Omit<DrillRecord, 'killed'>;
} {
  let pausedMs: number | null = null;
  let paused: Interval | null = null;
  let movingAtPause = 0;
  return {
    act: async ({ rows, policy }) => {
      if (pausedMs === null) {
        const moving = rows.filter(isMoving).length;
        if (moving < policy.inFlight) return;
        report(`pausing with ${moving} in flight`);
        movingAtPause = moving;
        pausedMs = Date.now();
        await order(fleet, 'pause');
      } else if (paused === null && Date.now() - pausedMs > PAUSE_LASTS_MS) {
        paused = { fromMs: pausedMs + PAUSE_GRACE_MS, toMs: Date.now() };
        await order(fleet, 'resume');
      }
    },
    record: () => ({ paused, movingAtPause }),
  };
}

/** A command that is sent again has no further effect. */
function onlyWaits({ rows, groupHolds }: FleetState): boolean {
  const isQuiet = rows.every((row) => hasEnded(row) || row.phase === 'waiting');
  return isQuiet && groupHolds.length > 0 && !rows.every(hasEnded);
}

async function order(fleet: WorkflowHandle, verb: 'pause' | 'resume' | 'stop'): Promise<void> {
  const command: FleetCommand = {
    ...{ commandId: `bench ${verb}`, actor: 'bench', reason: 'drill', fleetRun: null },
    ...{ scope: { kind: 'fleet' }, order: { verb } },
  };
  await fleet.signal(fleetCommandSignal, command);
}
