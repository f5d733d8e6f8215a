import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { showGoProgress } from './go-progress.js';
import { packageFile } from './package-files.js';
import { runProgram } from './run-program.js';
import type { Environment } from './process-environment.js';
import { TEMPORAL_CLI_VERSION, type Report } from './temporal-release.js';

/** A program that the Go module in tools/temporal builds. */
export interface GoProgram {
  /** With its article: `the Temporal CLI`. */
  readonly what: string;
  readonly package: string;
  readonly version: string;
}

const CLI: GoProgram = {
  what: 'the Temporal CLI',
  package: 'github.com/temporalio/cli/cmd/temporal',
  version: TEMPORAL_CLI_VERSION,
};

/** This machine builds nothing. */
export class NoGo extends Error {
  override readonly name = 'NoGo';
}

export interface GoBuild {
  readonly destination: string;
  readonly env: Environment;
  readonly report: Report;
}

/** `go install …@v1.8.2` cannot: the CLI's own go.mod has a replace directive (temporalio/cli#907). */
export function buildCliWithGo(build: GoBuild): Promise<void> {
  return buildWithGo(CLI, build);
}

/**
 * Builds a program from source with the small Go module in tools/temporal, whose go.sum pins every byte.
 * Takes 4 to 5 minutes on 2 cores with empty Go caches, seconds with full ones.
 */
export async function buildWithGo(program: GoProgram, input: GoBuild): Promise<void> {
  const module = packageFile('tools', 'temporal');
  if (!existsSync(join(module, 'go.mod'))) {
    throw new Error('tools/temporal/go.mod is not in this installation');
  }
  const version = await runProgram('go', ['version'], { env: input.env });
  if (version.code !== 0) throw new NoGo('no Go on PATH');
  input.report(
    `building ${program.what} ${program.version} with Go; the first time takes 4 to 5 minutes`,
  );
  const progress = showGoProgress(program.what, input.report);
  try {
    const args = [
      'build',
      '-v',
      '-trimpath',
      '-ldflags',
      '-s -w',
      '-o',
      input.destination,
      program.package,
    ];
    const built = await runProgram('go', args, {
      cwd: module,
      env: { ...input.env, CGO_ENABLED: '0', GOWORK: 'off' },
      onErrorLine: progress.sawLine,
    });
    if (built.code !== 0) throw new Error(`go build failed: ${lastLines(built.stderr)}`);
  } finally {
    progress.stop();
  }
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-5).join('\n');
}
