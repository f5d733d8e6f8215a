import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { cgroupDoor } from './cgroups.js';

export interface LabProcessSpec {
  /** For messages. */
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** It enters this cgroup before it becomes the program, so that cleaning finds it and all its children. */
  readonly cgroup: string;
  /** Network namespace in which it runs; the machine's own by default. */
  readonly namespace?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Everything it prints is appended here. */
  readonly logFile: string;
}

/** A process of the lab that this process started. */
export interface LabProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** How it ended, once it has. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  signal(signal: NodeJS.Signals): void;
}

/** For the environment of who calls into the lab: a proxy of this machine's user knows neither nodes nor names there. */
export const NO_PROXY = { NO_PROXY: '*', no_proxy: '*' } as const;

/** Starts a process in its cgroup and namespace. Everything it needs is its own: it has no pipe to this process. */
export function startLabProcess(spec: LabProcessSpec): LabProcess {
  const door = cgroupDoor(spec.cgroup);
  // Not `ip netns exec`: that mounts a /sys without cgroups.
  const inside =
    spec.namespace === undefined ? [] : ['nsenter', `--net=/run/netns/${spec.namespace}`];
  // `exec` keeps the number: what is signalled is the program itself.
  const words = ['-c', 'echo 0 > "$0" && exec "$@"', door, ...inside, ...spec.command];
  const log = openSync(spec.logFile, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn('sh', words, {
      env: { ...spec.env },
      stdio: ['ignore', log, log],
      // Ctrl-C at the terminal goes to the whole foreground group; the lab ends its processes itself.
      detached: true,
    });
  } finally {
    closeSync(log);
  }
  const { pid } = child;
  if (pid === undefined) throw new Error(`${spec.name} cannot be started: no sh`);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit ${code ?? '?'}`));
    child.once('error', (error) => resolve(error.message));
  });
  child.unref();
  return {
    name: spec.name,
    pid,
    logFile: spec.logFile,
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    signal: (signal) => void child.kill(signal),
  };
}
