import type { Logger } from 'pino';
import { ENDED_FLEET, gaugesOf } from '../domain/fleet/fleet-gauges.js';
import type { FleetMetrics } from './fleet-telemetry.js';
import type { FleetDirectory } from './temporal-fleets.js';

export interface FleetWatch {
  /** Reads all open fleets once. */
  readonly read: () => Promise<void>;
  /** Reads them now, and again and again until the function that it returns is called. */
  readonly begin: () => () => void;
}

interface Watched {
  readonly directory: FleetDirectory;
  readonly metrics: FleetMetrics;
  readonly log: Pick<Logger, 'warn'>;
  readonly nowMs?: () => number;
}

const EVERY_MS = 30_000;

/** Series are kept in memory, and each fleet costs a question. */
const MOST_FLEETS = 200;

/**
 * Reads the open fleets for their metrics. It asks instead of letting workflows emit: a fleet that waits for a person has no task for days, so that
 * after a restart, or when another worker takes the fleet over, figures emitted by tasks would be missing or those of long ago.
 * Questions leave no events, and a fleet that no worker can serve shows as unread.
 */
export function createFleetWatch({
  directory,
  metrics,
  log,
  nowMs = Date.now,
}: Watched): FleetWatch {
  /** When each fleet answered last, or became known. */
  const answeredMs = new Map<string, number>();

  const readOne = async (fleet: string, isListed: boolean): Promise<void> => {
    if (!isListed && !(await directory.isOpen(fleet))) {
      answeredMs.delete(fleet);
      metrics.show(fleet, ENDED_FLEET, 0);
      return;
    }
    const state = await directory.state(fleet);
    answeredMs.set(fleet, nowMs());
    metrics.show(fleet, gaugesOf(state, fleet, nowMs()), 0);
  };

  const read = async (): Promise<void> => {
    const listed = await directory.listOpen(MOST_FLEETS);
    metrics.showListed(nowMs());
    if (listed.length >= MOST_FLEETS) {
      log.warn(`metrics cover the first ${String(MOST_FLEETS)} open fleets only`);
    }
    for (const fleet of new Set([...listed, ...answeredMs.keys()])) {
      const sinceMs = answeredMs.get(fleet) ?? nowMs();
      answeredMs.set(fleet, sinceMs);
      await readOne(fleet, listed.includes(fleet)).catch((error: unknown) => {
        metrics.show(fleet, null, nowMs() - sinceMs);
        log.warn({ fleet, error: textOf(error) }, 'the fleet does not answer for its metrics');
      });
    }
  };

  return { read, begin: () => repeat(read, log) };
}

/** The next reading begins when the one before has ended. What fails shows in the metrics by their age. */
function repeat(read: () => Promise<void>, log: Watched['log']): () => void {
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  const round = async (): Promise<void> => {
    await read().catch((error: unknown) => {
      log.warn({ error: textOf(error) }, 'the server does not list fleets for their metrics');
    });
    if (!ended) timer = setTimeout(() => void round(), EVERY_MS);
  };
  void round();
  return () => {
    ended = true;
    if (timer !== null) clearTimeout(timer);
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}
