import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';

const run = promisify(execFile);
const PROGRAM = 'tools/audit-verify/audit_verify.py';

/** OpenSSL before 3, and LibreSSL, verify no Ed25519 on the command line. */
export const HAS_SECOND_VERIFIER =
  spawnSync('python3', ['--version']).status === 0 &&
  /^OpenSSL 3/.test(String(spawnSync('openssl', ['version']).stdout));

export interface SecondVerdict {
  readonly file: string;
  readonly accepted: boolean;
  readonly checks: Readonly<Record<string, { readonly result: string; readonly why?: string }>>;
}

/**
 * What the verifier that shares no code says of files, or of all in a folder; none where it cannot run. `trust`: an
 * AccessPolicy; `more`: further words of its command line.
 */
export async function secondVerdicts(
  trust: string,
  paths: readonly string[],
  more: readonly string[] = [],
): Promise<readonly SecondVerdict[]> {
  if (!HAS_SECOND_VERIFIER) return [];
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-trust-'));
  try {
    const file = join(folder, 'trust.json');
    await writeFile(file, JSON.stringify(parse(trust)));
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
    const options = { env, maxBuffer: 2 ** 30 };
    // It ends with another status where it accepts not all of them.
    const said = await run('python3', [PROGRAM, '--trust', file, ...more, ...paths], options).catch(
      (error: unknown) => error as { stdout: string },
    );
    const lines = said.stdout.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as SecondVerdict);
  } finally {
    await rm(folder, { recursive: true });
  }
}
