import { setTimeout as sleep } from 'node:timers/promises';
import { fetchInside } from '../nodes/fetch-inside.js';
import { readManagerMetrics } from './reported-loops.js';
import type { Watched } from './process-watch.js';
import type { MonitorLine, MonitorOptions } from './monitor-line.js';

/** Each query starts a process, so rounds are infrequent: they confirm what locks and processes show. */
const BETWEEN_ROUNDS_MS = 3_000;
/** A younger process does not listen yet. */
const LISTENS_AFTER_MS = 3_000;

const PORTS = { kcm: 10257, ccm: 10258 } as const;

/** Queries every living manager for what it runs and leads, in rounds, until this process ends. */
export async function metricsRounds(
  living: () => readonly Watched[],
  clients: MonitorOptions['clients'],
  say: (line: MonitorLine) => void,
): Promise<never> {
  for (;;) {
    for (const watched of living()) {
      const age = Date.now() - watched.startedAtMs;
      if (!watched.paused && age >= LISTENS_AFTER_MS) say(await ask(watched, clients));
    }
    await sleep(BETWEEN_ROUNDS_MS);
  }
}

async function ask(watched: Watched, clients: MonitorOptions['clients']): Promise<MonitorLine> {
  const { id, manager, networkNamespace } = watched;
  const fromMs = Date.now();
  const missing = (why: string): MonitorLine => ({
    ...{ kind: 'metricsMissing', id, atMs: Date.now(), why },
  });
  const client = clients[watched.cluster];
  if (client === undefined) return missing('there is no client certificate for this cluster');
  try {
    const url = `https://127.0.0.1:${PORTS[manager]}/metrics`;
    const { status, text } = await fetchInside(networkNamespace, url, client);
    if (status !== 200) return missing(`status ${status}`);
    return { kind: 'metrics', id, fromMs, toMs: Date.now(), ...readManagerMetrics(text) };
  } catch (error) {
    return missing(error instanceof Error ? error.message : String(error));
  }
}
