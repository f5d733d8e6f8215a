import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { cgroupEntryFile } from './cgroups.js';

export interface LabProcessSpec {
  /** For messages. */
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** It enters this cgroup before it executes the program, so that cleaning finds it and all its children. */
  readonly cgroup: string;
  /** Network namespace to run in; the machine's own by default. */
  readonly namespace?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** All its output is appended here. */
  readonly logFile: string;
}

/** A process of the lab that this process started. */
export interface StartedProcess {
  readonly logFile: string;
  /** How it ended: resolves on its exit. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  signal(signal: NodeJS.Signals): void;
}

/** For processes that connect to the lab: the user's proxy cannot reach its nodes or resolve its names. */
export const NO_PROXY = { NO_PROXY: '*', no_proxy: '*' } as const;

/** Starts a process in its cgroup and namespace. It shares no pipe with this process, so it can outlive it. */
export function startLabProcess(spec: LabProcessSpec): StartedProcess {
  const endpoint = cgroupEntryFile(spec.cgroup);
  // Not `ip netns exec`: that mounts a /sys without cgroups.
  const inside =
    spec.namespace === undefined ? [] : ['nsenter', `--net=/run/netns/${spec.namespace}`];
  // `exec` keeps the pid: signals reach the program itself.
  const words = ['-c', 'echo 0 > "$0" && exec "$@"', endpoint, ...inside, ...spec.command];
  const log = openSync(spec.logFile, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn('sh', words, {
      env: { ...spec.env },
      stdio: ['ignore', log, log],
      // Ctrl-C at the terminal goes to the whole foreground group; the lab stops its processes itself.
      detached: true,
    });
  } finally {
    closeSync(log);
  }
  if (child.pid === undefined) throw new Error(`${spec.name} cannot be started: no sh`);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit ${code ?? '?'}`));
    child.once('error', (error) => resolve(error.message));
  });
  child.unref();
  return {
    logFile: spec.logFile,
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    signal: (signal) => void child.kill(signal),
  };
}
