import { existsSync, mkdirSync, statfsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { cgroupVersion } from './cgroups.js';
import type { Environment } from '../../../devserver/process-environment.js';
import { labCacheFolder, STATE_ROOT } from './folders.js';
import type { HostFacts } from './requirements.js';
import { runProgram } from '../../../devserver/run-program.js';

/** Directories of system programs that an ordinary user's PATH may lack. */
const SYSTEM_PATHS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Probes this machine for `requirements.ts`; changes nothing. */
export async function probeHost(env: Environment): Promise<HostFacts> {
  const isLinux = process.platform === 'linux';
  const go = await runProgram('go', ['version'], { env: { ...env } });
  return {
    platform: process.platform,
    arch: process.arch,
    userId: process.getuid?.() ?? -1,
    go: go.code === 0 ? go.stdout : null,
    namespaceProblem: isLinux ? await namespaceProblem() : null,
    hasOverlay: isLinux && (await hasOverlay()),
    cgroups: isLinux ? cgroupVersion() : 'none',
    isThere: (program) => isThere(program, env['PATH'] ?? ''),
    freeBytes: (place) => freeBytes(place === 'state' ? STATE_ROOT : labCacheFolder(env)),
  };
}

async function namespaceProblem(): Promise<string | null> {
  const kinds = ['--mount', '--uts', '--ipc', '--net', '--pid', '--fork'];
  const { code, stderr } = await runProgram('unshare', [...kinds, 'true']);
  return code === 0 ? null : stderr.trim();
}

async function hasOverlay(): Promise<boolean> {
  const { code } = await runProgram('grep', ['-qw', 'overlay', '/proc/filesystems']);
  if (code === 0) return true;
  return (await runProgram('modprobe', ['overlay'])).code === 0;
}

function isThere(program: string, path: string): boolean {
  if (isAbsolute(program)) return existsSync(program);
  return [...path.split(delimiter), ...SYSTEM_PATHS].some((folder) =>
    existsSync(join(folder, program)),
  );
}

/** Free bytes of the file system that holds, or will hold, the folder. */
function freeBytes(folder: string): number {
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  const { bavail, bsize } = statfsSync(there);
  return bavail * bsize;
}

/** Creates a folder that only root may enter. */
export function rootOnlyFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}
