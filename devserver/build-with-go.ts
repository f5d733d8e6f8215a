import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from './run-program.js';
import { TEMPORAL_CLI_VERSION, type Environment, type Report } from './temporal-release.js';

const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const REPORT_EVERY_MS = 10_000;

/**
 * Builds the CLI from source with the small Go module in tools/temporal, whose go.sum pins every byte.
 * `go install …@v1.8.2` cannot: the CLI's own go.mod has a replace directive (temporalio/cli#907).
 * Takes 4 to 5 minutes on 2 cores with empty Go caches, seconds with full ones.
 */
export async function buildCliWithGo(input: {
  readonly destination: string;
  readonly env: Environment;
  readonly report: Report;
}): Promise<void> {
  const module = toolsModule();
  const version = await runProgram('go', ['version'], { env: input.env });
  if (version.code !== 0) throw new Error('no Go on PATH');
  const progress = showProgress(input.report);
  try {
    const args = [
      'build',
      '-v',
      '-trimpath',
      '-ldflags',
      '-s -w',
      '-o',
      input.destination,
      PACKAGE,
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

function showProgress(report: Report): { sawLine: (line: string) => void; stop: () => void } {
  const startedAt = Date.now();
  let packages = 0;
  let last = 'fetching modules';
  report(
    `building the Temporal CLI ${TEMPORAL_CLI_VERSION} with Go; the first time takes 4 to 5 minutes`,
  );
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    report(`building the Temporal CLI: ${seconds} s, ${packages} packages compiled, now ${last}`);
  }, REPORT_EVERY_MS);
  return {
    sawLine: (line) => {
      if (!line.startsWith('go: ')) packages += 1;
      last = line;
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}

/** tools/temporal is searched upward from this file: the sources and dist/ differ in depth. */
function toolsModule(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'tools', 'temporal', 'go.mod'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('tools/temporal/go.mod is not in this installation');
    folder = parent;
  }
  return join(folder, 'tools', 'temporal');
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-5).join('\n');
}
