import { setTimeout as sleep } from 'node:timers/promises';
import type { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Authority } from '../activities/dependencies.js';
import type { OpenedInventory } from './followed-inventory.js';

/** Something that a worker needs so that it serves its queues. */
export interface Need {
  /** As it is told where it is missing; the log says why. */
  readonly missing: string;
  /** Rejects while it is missing. */
  readonly ask: () => Promise<unknown>;
  /** How old the last answer may be while the next one is awaited; 0 where silence is an answer. */
  readonly keptMs: number;
}

/** A probe waits for one second unless it is told otherwise. */
const WITHIN_MS = 800;
/** Who asks more often gets the same answer. */
const EVERY_MS = 1_000;

interface Answer {
  readonly isThere: boolean;
  readonly atMs: number;
}

interface Asked {
  readonly nowMs: () => number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly withinMs?: number;
}

/** Names what is missing. One that does not answer is missing: what is not known is not ready. */
export function createReadiness(
  needs: readonly Need[],
  given: Asked,
): () => Promise<readonly string[]> {
  const asked = needs.map((need) => remembered(need, given));
  return async () => {
    const there = await Promise.all(asked.map((ask) => ask()));
    return needs.flatMap(({ missing }, index) => (there[index] === true ? [] : [missing]));
  };
}

function remembered(
  { missing, ask, keptMs }: Need,
  { nowMs, log, withinMs = WITHIN_MS }: Asked,
): () => Promise<boolean> {
  let last: Answer | null = null;
  let asking: Promise<boolean> | null = null;
  const ageMs = (): number => (last === null ? Infinity : nowMs() - last.atMs);
  const isThere = (): boolean => last?.isThere === true;
  const answered = (answer: boolean, why: string): boolean => {
    if (!answer && (last === null || last.isThere)) log.warn({ missing, why }, 'not ready');
    if (answer && last?.isThere === false) log.info({ missing }, 'no longer missing');
    last = { isThere: answer, atMs: nowMs() };
    asking = null;
    return answer;
  };
  return async () => {
    if (asking === null && ageMs() < EVERY_MS) return isThere();
    asking ??= ask().then(
      () => answered(true, ''),
      (error: unknown) => answered(false, error instanceof Error ? error.message : String(error)),
    );
    const answer = await Promise.race([asking, sleep(withinMs, null, { ref: false })]);
    return answer ?? (isThere() && ageMs() <= keptMs);
  };
}

interface Needed {
  readonly connection: Pick<NativeConnection, 'withDeadline' | 'workflowService'>;
  readonly namespace: string;
  readonly inventory: Pick<OpenedInventory, 'read'>;
  readonly authority: Pick<Authority, 'policy'> | null;
}

/** What a worker needs beside its own queues. */
export function workerNeeds({
  connection,
  namespace,
  inventory,
  authority,
}: Needed): readonly Need[] {
  return [
    {
      // Takes the rights of a worker: a server that refuses its token serves it nothing, though it answers.
      ask: () =>
        connection.withDeadline(Date.now() + WITHIN_MS, () =>
          connection.workflowService.describeNamespace({ namespace }),
        ),
      missing: 'temporal: does not answer, or refuses this worker',
      keptMs: 0,
    },
    fileNeed('inventory', () => inventory.read()),
    ...(authority === null ? [] : [fileNeed('access policy', () => authority.policy())]),
  ];
}

/** What has changed is read once it stays as it is, which takes seconds. */
const READING_MS = 15_000;

function fileNeed(what: string, read: () => Promise<unknown>): Need {
  return { missing: `${what}: cannot be used`, ask: read, keptMs: READING_MS };
}
