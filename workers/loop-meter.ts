import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import {
  admitsGuards,
  loopUtilisation,
  withReading,
  type LoopLimits,
  type LoopReading,
} from '../domain/loop-admission.js';

/** Whether this process takes new guards now. */
export interface GuardGate {
  readonly admits: () => boolean;
  /** Calls it each time when guards are admitted again. */
  readonly onAdmitting: (listener: () => void) => void;
}

export interface LoopMeter extends GuardGate {
  /** Reads the loop once. */
  readonly measure: () => void;
  /** Reads it now, and again and again until the function that it returns is called. */
  readonly begin: () => () => void;
}

interface Metered {
  readonly limits: LoopLimits;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Shows each reading; `utilisation` is null before the first whole window. */
  readonly show: (utilisation: number | null, admits: boolean) => void;
  readonly read?: () => LoopReading;
}

const EVERY_MS = 1_000;

/**
 * Measures how busy the event loop of this process is. Its timer is late on a busy loop, which costs nothing: the loop counts its own
 * times, whenever they are read.
 */
export function createLoopMeter({ limits, log, show, read = readLoop }: Metered): LoopMeter {
  const listeners: (() => void)[] = [];
  let readings: readonly LoopReading[] = [];
  let admits = true;

  const measure = (): void => {
    readings = withReading(readings, read());
    const utilisation = loopUtilisation(readings);
    const admitted = admits;
    admits = admitsGuards(admitted, utilisation, limits);
    show(utilisation, admits);
    if (admits === admitted) return;
    if (!admits) {
      log.warn({ utilisation }, 'this worker is busy and takes no new guards; those it has go on');
      return;
    }
    log.info({ utilisation }, 'this worker takes new guards again');
    for (const listener of listeners) listener();
  };

  return {
    measure,
    admits: () => admits,
    onAdmitting: (listener) => {
      listeners.push(listener);
    },
    begin: () => {
      measure();
      const timer = setInterval(measure, EVERY_MS);
      return () => {
        clearInterval(timer);
      };
    },
  };
}

function readLoop(): LoopReading {
  const { active, idle } = performance.eventLoopUtilization();
  return { atMs: performance.now(), activeMs: active, idleMs: idle };
}
