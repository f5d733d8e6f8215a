import type { GuardMemory, GuardReport } from '../../activities/contract.js';
import { createGuardActivities } from '../../activities/index.js';
import type { KubernetesApi } from '../../activities/ports.js';
import type { Environment } from './environment.js';

/** A guard that runs beside a story, as a worker runs it. */
export interface Beside {
  readonly beats: { readonly atMs: number; readonly memory: GuardMemory }[];
  readonly told: string[];
  readonly warnings: string[];
  end(): Promise<GuardReport>;
}

export interface GuardOptions {
  readonly memory?: GuardMemory;
  readonly lastHeartbeat?: unknown;
  readonly mayHaveWritten?: { readonly sinceMs: number };
  /** Changes the guard's own connection to the API server. */
  readonly api?: (api: KubernetesApi) => Partial<KubernetesApi>;
}

/** Guards of a failed story are stopped with it. */
const running = new Map<AbortController, Promise<unknown>>();

export function guardBeside(
  environment: Environment,
  { memory, lastHeartbeat, mayHaveWritten, api }: GuardOptions = {},
): Beside {
  environment.standIn.present = false;
  const over = new AbortController();
  const beats: Beside['beats'] = [];
  const [told, warnings]: [string[], string[]] = [[], []];
  const { guardDependencies: given, clock, context } = environment;
  const { guardCluster } = createGuardActivities({
    ...given,
    connect: async (cluster) => {
      const connection = await given.connect(cluster);
      return { ...connection, api: { ...connection.api, ...api?.(connection.api) } };
    },
    scope: () => ({
      ...{ signal: over.signal, lastHeartbeat },
      heartbeat: (details) => {
        beats.push({ atMs: clock.nowMs(), memory: JSON.parse(JSON.stringify(details)) });
      },
    }),
    log: {
      info: (message) => void warnings.push(message),
      warn: (message) => void warnings.push(message),
    },
    announceBreach: async (breaches) => {
      told.push(breaches.map(({ code }) => code).join());
    },
  });
  const guarding = environment.takePart(() =>
    guardCluster({
      ...{ ...context, nonce: 'guard', memory: memory ?? null },
      ...(mayHaveWritten === undefined ? {} : { mayHaveWritten }),
    }),
  );
  running.set(over, guarding);
  return {
    ...{ beats, told, warnings },
    end: () => {
      over.abort(new Error('the run is over'));
      return guarding;
    },
  };
}

/** Ends the guards of a story, failed or not. */
export async function endGuards(): Promise<void> {
  for (const over of running.keys()) over.abort(new Error('the story is over'));
  await Promise.allSettled(running.values());
  running.clear();
}
