import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('software-token.c', import.meta.url));

/** A FIDO token in software, in a folder of its own; null where none can be built: a C compiler and the headers of OpenSSL 3. */
export function builtToken(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'ccm-migrate-token-'));
  const token = join(folder, 'token.so');
  const words = ['-shared', '-fPIC', '-o', token, SOURCE, '-lcrypto'];
  if (spawnSync('cc', words, { stdio: 'ignore' }).status === 0) return token;
  rmSync(folder, { recursive: true });
  return null;
}
