import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { privateFolder } from '../../cli/state-folder.js';

/** Where one demo keeps its files: a folder of its own, so that two demos do not collide. */
export interface DemoLayout {
  readonly root: string;
  readonly database: string;
  readonly logs: string;
  /** Files of the process that serves the cluster. */
  readonly cluster: string;
  /** Files of the worker: evidence. */
  readonly worker: string;
  readonly config: string;
  /** The key that commands sign with, and the policy that trusts it. */
  readonly access: string;
  /** Whether the folder is ours to delete. */
  readonly temporary: boolean;
}

export async function demoLayout(chosen: string | null): Promise<DemoLayout> {
  const root =
    chosen === null ? await mkdtemp(join(tmpdir(), 'ccm-migrate-demo-')) : resolve(chosen);
  const layout: DemoLayout = {
    root,
    database: join(root, 'temporal.db'),
    logs: join(root, 'logs'),
    cluster: join(root, 'cluster'),
    worker: join(root, 'worker'),
    config: join(root, 'fleet'),
    access: join(root, 'access'),
    temporary: chosen === null,
  };
  for (const folder of [root, layout.logs, layout.cluster, layout.worker, layout.config]) {
    await privateFolder(folder);
  }
  return layout;
}

/** The command that finds the processes of a demo which has not started all of them. */
export function findsProcesses({ root }: DemoLayout): string {
  return `ps -ef | grep -e ${root} -e workers/main.js`;
}

/**
 * What starts in the folder of a demo. Where the start is interrupted a folder of ours is deleted, because it has keys; where it
 * failed, its logs are needed.
 */
export async function startedIn<T>(
  { root, temporary }: DemoLayout,
  signal: AbortSignal,
  starting: Promise<T>,
): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (signal.aborted && temporary) await rm(root, { recursive: true, force: true });
    throw error;
  }
}
