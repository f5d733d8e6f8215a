import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { oneAtATime } from '../../../devserver/one-at-a-time.js';
import { GO_SETTINGS } from '../binaries/go-module.js';
import { goSources } from '../binaries/source-digest.js';
import type { Environment } from '../../../devserver/process-environment.js';
import { labCacheFolder } from '../host/folders.js';
import { mustRun } from '../../../devserver/run-program.js';
import { thisProcess } from '../../../devserver/process-identity.js';
import { LIBRARY_VERSIONS } from './library-versions.js';

export interface OracleOptions {
  readonly env: Environment;
  readonly report: (line: string) => void;
}

const SOURCE = 'leader-migration-oracle';

/**
 * The oracle: a program around the real Leader Migration decoder of one Kubernetes minor. Built when the cache does
 * not have it, which takes about 20 seconds and needs Go, but neither root nor Linux.
 */
export async function ensureOracle(minor: number, { env, report }: OracleOptions): Promise<string> {
  const version = LIBRARY_VERSIONS.get(minor);
  if (version === undefined)
    throw new Error(`no version of k8s.io/controller-manager is listed for 1.${minor}`);
  const source = readFileSync(join(goSources(), SOURCE, 'main.go'));
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const entry = join(labCacheFolder(env), `oracle-${version}-${process.arch}-${digest}`);
  if (!existsSync(entry)) {
    await oneAtATime(join(labCacheFolder(env), 'oracle.lock'), report, async () => {
      if (!existsSync(entry)) await build(version, entry, { env, report });
    });
  }
  return join(entry, 'oracle');
}

/** Builds in a temporary folder and renames it: a killed build leaves nothing behind. */
async function build(
  version: string,
  entry: string,
  { env, report }: OracleOptions,
): Promise<void> {
  report(`building the oracle of k8s.io/controller-manager ${version}`);
  const folder = `${entry}.building-${thisProcess()}`;
  mkdirSync(folder, { recursive: true });
  try {
    copyFileSync(join(goSources(), SOURCE, 'main.go'), join(folder, 'main.go'));
    writeFileSync(join(folder, 'go.mod'), goModule(version));
    const words = ['build', '-trimpath', '-buildvcs=false', '-o', 'oracle', '.'];
    await mustRun('go', words, { cwd: folder, env: { ...env, ...GO_SETTINGS } });
    renameSync(folder, entry);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function goModule(version: string): string {
  return `module ccm-migrate/oracle\n\ngo 1.22.0\n\nrequire k8s.io/controller-manager v${version}\n`;
}
