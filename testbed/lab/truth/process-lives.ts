import type { MetricsSeen, ProcessBegan, MonitorLine } from '../process-monitor/monitor-line.js';

/** The lifetime of one manager's process, as the process monitor recorded it. Epoch ms. */
export interface ProcessLife extends Omit<ProcessBegan, 'kind'> {
  /** When it was found to have ended; null while it lives. */
  readonly endedMs: number | null;
  /** When it was last seen alive: it ended between the two. */
  readonly lastSeenMs: number;
  /** When it was stopped (SIGSTOP). */
  readonly pauses: readonly { readonly fromMs: number; readonly toMs: number | null }[];
  readonly metrics: readonly MetricsSeen[];
}

export interface MonitorAccount {
  readonly lives: readonly ProcessLife[];
  /** End of the monitored period; 0 when nothing was monitored yet. */
  readonly knownUntilMs: number;
}

/** The process monitor's account of one cluster. */
export function processLives(lines: readonly MonitorLine[], cluster: string): MonitorAccount {
  const lives = new Map<string, ProcessLife>();
  let knownUntilMs = 0;
  for (const line of lines) {
    if (line.kind === 'observing') {
      knownUntilMs = line.atMs;
    } else if (line.kind === 'began') {
      if (line.cluster === cluster) lives.set(line.id, newLife(line));
    } else {
      const life = lives.get(line.id);
      if (life !== undefined) lives.set(line.id, { ...life, ...changeBy(line, life) });
    }
  }
  const all = [...lives.values()].map((life) =>
    life.endedMs === null ? { ...life, lastSeenMs: knownUntilMs } : life,
  );
  return { lives: all, knownUntilMs };
}

function newLife({ kind: _, ...began }: ProcessBegan): ProcessLife {
  return { ...began, endedMs: null, lastSeenMs: began.atMs, pauses: [], metrics: [] };
}

type LaterLine = Exclude<MonitorLine, ProcessBegan | { readonly kind: 'observing' }>;

function changeBy(line: LaterLine, life: ProcessLife): Partial<ProcessLife> {
  switch (line.kind) {
    case 'ended':
      return { endedMs: line.atMs, lastSeenMs: line.lastSeenMs };
    case 'paused':
      return { pauses: [...life.pauses, { fromMs: line.atMs, toMs: null }] };
    case 'woke':
      return {
        pauses: life.pauses.map((pause) =>
          pause.toMs === null ? { ...pause, toMs: line.atMs } : pause,
        ),
      };
    case 'metrics':
      return { metrics: [...life.metrics, line] };
    case 'metricsMissing':
      return {};
  }
}
