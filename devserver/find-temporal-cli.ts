import { delimiter, join } from 'node:path';
import { buildCliWithGo } from './build-with-go.js';
import { cachedCliPath, installIntoCache, isExecutable } from './cache.js';
import { DOWNLOAD_SERVICE, downloadCli } from './download-cli.js';
import { failureReason } from './failure-reason.js';
import { oneAtATime } from './one-at-a-time.js';
import { judgeCli } from './server-version.js';
import type { Environment } from './process-environment.js';
import { TEMPORAL_CLI_VERSION, type Report } from './temporal-release.js';

export type CliSource = 'TEMPORAL_CLI_PATH' | 'PATH' | 'cache' | 'download' | 'go build';

export interface FoundCli {
  readonly path: string;
  readonly source: CliSource;
}

/** No source gave a usable Temporal CLI. The message lists what was tried and every remedy. */
export class TemporalCliUnavailable extends Error {
  override readonly name = 'TemporalCliUnavailable';
}

export interface FindCliOptions {
  readonly env: Environment;
  readonly report: Report;
  /** Where to download from; the SDKs' service unless a test sets another one. */
  readonly downloadService?: string;
}

/**
 * Finds or prepares a Temporal CLI: `TEMPORAL_CLI_PATH`, `temporal` on PATH, the project's cache, a download, a build
 * with Go. A CLI named explicitly is used or refused, never skipped. Rejects with {@link TemporalCliUnavailable} when
 * nothing works.
 */
export async function findTemporalCli(options: FindCliOptions): Promise<FoundCli> {
  const { env, report } = options;
  const named = env['TEMPORAL_CLI_PATH'];
  if (named !== undefined && named !== '') return namedCli(named, env);
  return (await cliOnPath(env, report)) ?? (await cachedCli(env)) ?? (await makeCli(options));
}

async function namedCli(path: string, env: Environment): Promise<FoundCli> {
  const verdict = await judgeCli(path, env);
  if (verdict.kind === 'usable') return { path, source: 'TEMPORAL_CLI_PATH' };
  throw new TemporalCliUnavailable(
    `TEMPORAL_CLI_PATH cannot be used: ${verdict.why}. Unset it to have a CLI prepared, or name a Temporal CLI (the CLI, not the server binary).`,
  );
}

async function cliOnPath(env: Environment, report: Report): Promise<FoundCli | null> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'temporal');
    if (folder === '' || !(await isExecutable(path))) continue;
    const verdict = await judgeCli(path, env);
    if (verdict.kind === 'usable') return { path, source: 'PATH' };
    report(`skipping ${path}: ${verdict.why}`);
  }
  return null;
}

async function cachedCli(env: Environment): Promise<FoundCli | null> {
  const path = cachedCliPath(env);
  return (await isExecutable(path)) ? { path, source: 'cache' } : null;
}

async function makeCli(options: FindCliOptions): Promise<FoundCli> {
  const { env, report } = options;
  return oneAtATime(`${cachedCliPath(env)}.lock`, report, async () => {
    // The previous holder of the lock may have prepared it.
    const made = await cachedCli(env);
    return made ?? downloadOrBuild(options);
  });
}

async function downloadOrBuild(options: FindCliOptions): Promise<FoundCli> {
  const { env, report } = options;
  const failures: string[] = [];
  const ways: readonly [CliSource, (destination: string) => Promise<void>][] = [
    [
      'download',
      (destination) =>
        downloadCli({
          service: options.downloadService ?? DOWNLOAD_SERVICE,
          destination,
          env,
          report,
        }),
    ],
    ['go build', (destination) => buildCliWithGo({ destination, env, report })],
  ];
  for (const [source, make] of ways) {
    try {
      const path = await installIntoCache(env, make);
      report(`the Temporal CLI ${TEMPORAL_CLI_VERSION} is ready (${source}): ${path}`);
      return { path, source };
    } catch (error) {
      const why = failureReason(error);
      report(`${source}: not possible (${why})`);
      failures.push(`  ${source}: ${why}`);
    }
  }
  throw new TemporalCliUnavailable(nothingWorked(failures));
}

function nothingWorked(failures: readonly string[]): string {
  return [
    'No Temporal CLI could be found or prepared:',
    '  TEMPORAL_CLI_PATH: not set',
    '  PATH: no usable `temporal`',
    ...failures,
    'Do one of these and try again:',
    `  - install the Temporal CLI (https://docs.temporal.io/cli/setup-cli), version ${TEMPORAL_CLI_VERSION} or near it`,
    '  - set TEMPORAL_CLI_PATH to a Temporal CLI that you have',
    '  - install Go 1.26.4 or newer, with its module proxy reachable: the CLI is then built once',
  ].join('\n');
}
