import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../devserver/process-environment.js';
import { labCacheFolder } from '../host/folders.js';
import { writeImages, type ImageName } from '../images/write-images.js';
import { isRunning, thisProcess } from '../../../devserver/process-identity.js';
import { buildKubernetes } from './build.js';
import type { ProgramName } from './go-module.js';
import { buildableVersion, type KubernetesVersion } from './kubernetes-version.js';
import { oneAtATime } from '../../../devserver/one-at-a-time.js';
import { sourceDigest } from './source-digest.js';

/** Programs and images of one Kubernetes version in the cache. */
export interface Release {
  readonly version: string;
  /** Absolute path of a program. */
  readonly program: (name: ProgramName) => string;
  /** Folder of the programs. */
  readonly bin: string;
  /** Absolute path of an image's archive. */
  readonly image: (name: ImageName) => string;
}

export interface CacheOptions {
  readonly env: Environment;
  readonly report: (line: string) => void;
}

/** Whether a version is already built. */
export function isCached(version: string, env: Environment): boolean {
  return existsSync(join(entryOf(buildableVersion(version), env), 'manifest.json'));
}

/** A version from the cache; builds it first when it is missing. */
export async function ensureRelease(text: string, options: CacheOptions): Promise<Release> {
  const version = buildableVersion(text);
  const entry = entryOf(version, options.env);
  if (!isCached(text, options.env)) {
    const lock = join(labCacheFolder(options.env), 'build.lock');
    await oneAtATime(lock, options.report, async () => {
      // The previous holder of the lock may have built it.
      if (!isCached(text, options.env)) await install(version, entry, options);
    });
  }
  return {
    version: text,
    bin: join(entry, 'bin'),
    program: (name) => join(entry, 'bin', name),
    image: (name) => join(entry, 'images', `${name}.tar`),
  };
}

function entryOf(version: KubernetesVersion, env: Environment): string {
  const name = `${version.text}-${process.arch}-${sourceDigest(version)}`;
  return join(labCacheFolder(env), name);
}

/**
 * Builds in a temporary folder and renames it: no reader sees a partial result, and a killed build leaves nothing
 * behind.
 */
async function install(
  version: KubernetesVersion,
  entry: string,
  { env, report }: CacheOptions,
): Promise<void> {
  const cache = labCacheFolder(env);
  removeDeadBuilds(cache);
  const folder = join(cache, `.building-${thisProcess()}-${version.text}`);
  mkdirSync(folder, { recursive: true });
  try {
    const manifest = await buildKubernetes({ version, folder, env, report });
    report(`making images of ${version.text}`);
    await writeImages(version.text, join(folder, 'bin'), join(folder, 'images'));
    writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    rmSync(entry, { recursive: true, force: true });
    renameSync(folder, entry);
    report(`Kubernetes ${version.text} is in ${entry}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function removeDeadBuilds(cache: string): void {
  if (!existsSync(cache)) return;
  for (const name of readdirSync(cache)) {
    const [, identity] = /^\.building-(\d+:\d+)-/.exec(name) ?? [];
    if (identity === undefined || isRunning(identity)) continue;
    rmSync(join(cache, name), { recursive: true, force: true });
  }
}
