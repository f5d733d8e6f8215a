import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildWithGo, type GoProgram } from './build-with-go.js';
import { cacheFolder, isExecutable } from './cache.js';
import { oneAtATime } from './one-at-a-time.js';
import type { Environment } from './process-environment.js';
import { TEMPORAL_SERVER_VERSION, type Report } from './temporal-release.js';

/** Paths of Temporal's production programs. */
export interface ServerPrograms {
  readonly server: string;
  /** Creates and updates the schema of its database. */
  readonly sqlTool: string;
}

const version = TEMPORAL_SERVER_VERSION;
const SERVER: GoProgram = {
  ...{ what: 'the Temporal server', version },
  package: 'go.temporal.io/server/cmd/server',
};
const SQL_TOOL: GoProgram = {
  ...{ what: "Temporal's SQL tool", version },
  package: 'go.temporal.io/server/cmd/tools/sql',
};

/** Where one of them is in the cache, whether it exists or not. */
function cachedProgram(env: Environment, name: string): string {
  const file = `${name}-${TEMPORAL_SERVER_VERSION}-${process.platform}-${process.arch}`;
  return join(cacheFolder(env), file);
}

/**
 * Finds the production server in the project's cache or builds it there with Go: the release that docker-compose.yml
 * runs, for tests of its configuration. @throws {@link NoGo}, or what the build says.
 */
export async function findTemporalServer(
  env: Environment,
  report: Report,
): Promise<ServerPrograms> {
  return {
    server: await cachedOrBuilt(SERVER, cachedProgram(env, 'temporal-server'), env, report),
    sqlTool: await cachedOrBuilt(SQL_TOOL, cachedProgram(env, 'temporal-sql-tool'), env, report),
  };
}

async function cachedOrBuilt(
  program: GoProgram,
  path: string,
  env: Environment,
  report: Report,
): Promise<string> {
  if (await isExecutable(path)) return path;
  return oneAtATime(`${path}.lock`, report, async () => {
    // The previous holder of the lock may have built it.
    if (await isExecutable(path)) return path;
    const destination = `${path}.${String(process.pid)}.new`;
    await mkdir(cacheFolder(env), { recursive: true });
    try {
      await buildWithGo(program, { destination, env, report });
      await chmod(destination, 0o755);
      await rename(destination, path);
      return path;
    } finally {
      await rm(destination, { force: true });
    }
  });
}
