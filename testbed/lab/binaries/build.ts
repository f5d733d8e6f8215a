import { createHash } from 'node:crypto';
import {
  createReadStream,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { textAt } from '../../base/json.js';
import type { Environment } from '../../../devserver/process-environment.js';
import { showGoProgress } from '../../../devserver/go-progress.js';
import { mustRun } from '../../../devserver/run-program.js';
import { buildFlags, GO_SETTINGS, goModule, moduleFolders, PROGRAMS } from './go-module.js';
import type { KubernetesVersion } from './kubernetes-version.js';
import { goSources } from './source-digest.js';

export interface BuildOptions {
  readonly version: KubernetesVersion;
  /** An empty folder. Binaries go to its `bin`, and the Go module that builds them to `module`. */
  readonly folder: string;
  readonly env: Environment;
  readonly report: (line: string) => void;
}

/** What was built and how; stored as `manifest.json` in the cache. */
export interface BuildManifest {
  readonly version: string;
  readonly go: string;
  readonly flags: readonly string[];
  readonly binaries: Readonly<Record<string, { readonly sha256: string; readonly bytes: number }>>;
}

/** Builds all programs of one version with Go; 3 to 4 minutes on 2 cores with empty Go caches, half a minute with full ones. */
export async function buildKubernetes(options: BuildOptions): Promise<BuildManifest> {
  const { version, folder, report } = options;
  const env = { ...options.env, ...GO_SETTINGS };
  report(`building Kubernetes ${version.text} with Go; the first time takes 3 to 4 minutes`);
  const module = await writeModule(options, env);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const progress = showGoProgress(version.text, report);
  try {
    const sources = PROGRAMS.map(({ source }) => source);
    // `go build` of several programs names each binary after its folder.
    const words = ['build', '-v', ...buildFlags(version), '-o', `${bin}/`, ...sources];
    await mustRun('go', words, { cwd: module, env, onErrorLine: progress.sawLine });
  } finally {
    progress.stop();
  }
  const go = (await mustRun('go', ['version'], { env })).trim();
  return { version: version.text, go, flags: buildFlags(version), binaries: await measured(bin) };
}

async function writeModule({ version, folder }: BuildOptions, env: Environment): Promise<string> {
  const module = join(folder, 'module');
  mkdirSync(module);
  const wanted = `k8s.io/kubernetes@v${version.text}`;
  const answer = await mustRun('go', ['mod', 'download', '-json', wanted], { cwd: module, env });
  const goMod = textAt(JSON.parse(answer), 'GoMod');
  if (goMod === '') throw new Error(`go mod download ${wanted} reported no go.mod: ${answer}`);
  writeFileSync(join(module, 'go.mod'), goModule(version, readFileSync(goMod, 'utf8')));
  for (const [source, target] of moduleFolders(version)) {
    cpSync(join(goSources(), source), join(module, target), { recursive: true });
  }
  return module;
}

async function measured(bin: string): Promise<BuildManifest['binaries']> {
  const binaries: Record<string, { sha256: string; bytes: number }> = {};
  for (const name of readdirSync(bin).toSorted()) {
    const hash = createHash('sha256');
    let bytes = 0;
    await pipeline(
      createReadStream(join(bin, name)),
      async function* count(chunks) {
        for await (const chunk of chunks as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          yield chunk;
        }
      },
      hash,
    );
    binaries[name] = { sha256: hash.digest('hex'), bytes };
  }
  return binaries;
}
