import { runProgram } from './run-program.js';
import type { Environment } from './process-environment.js';
import { OLDEST_SERVER } from './temporal-release.js';

/** Whether a file is a usable Temporal CLI, with the reason when it is not. */
export type CliVerdict =
  | { readonly kind: 'usable'; readonly server: string }
  | { readonly kind: 'unusable'; readonly why: string };

const ANSWER_WITHIN_MS = 20_000;

/** Runs a binary for its version: proves that it runs on this machine and which server it contains. */
export async function judgeCli(path: string, env: Environment): Promise<CliVerdict> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const { code, stdout, stderr } = await runProgram(path, ['--version'], { env, signal });
  if (code !== 0) return unusable(`\`${path} --version\` failed: ${firstLine(stderr)}`);
  const version = /Server (\d+)\.(\d+)\.\S*?(?=[,)])/.exec(stdout);
  if (version === null)
    return unusable(`${path} is not a Temporal CLI: it prints "${firstLine(stdout)}"`);
  const [major, minor] = [Number(version[1]), Number(version[2])];
  const server = version[0].slice('Server '.length);
  if (major < OLDEST_SERVER[0] || (major === OLDEST_SERVER[0] && minor < OLDEST_SERVER[1])) {
    return unusable(
      `${path} contains server ${server}; ${OLDEST_SERVER.join('.')} or newer is needed`,
    );
  }
  return { kind: 'usable', server };
}

function unusable(why: string): CliVerdict {
  return { kind: 'unusable', why };
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
