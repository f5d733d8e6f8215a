import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { failureReason } from './failure-reason.js';
import { freePort } from './free-port.js';
import {
  addMissingSearchAttributes,
  SEARCH_ATTRIBUTE_TYPES,
  setRetention,
} from './namespace-setup.js';
import { hasExited, stopProcess } from './stop-process.js';

export interface DevServerOptions {
  readonly cliPath: string;
  /** SQLite file that outlives the process; without it everything is in memory. */
  readonly dbFile?: string;
  /** 0 or absent: a free one. */
  readonly port?: number;
  /** Absent: no web UI. 0: a free port. */
  readonly uiPort?: number;
  /** The server's own log, JSON lines, appended. */
  readonly logFile: string;
  /** Whether the server outlives this process. Default: it is killed. */
  readonly outlivesUs?: boolean;
  /** Called with its pid as soon as it has one, long before it answers. */
  readonly onSpawn?: (pid: number) => void;
}

export interface DevServer {
  /** `host:port` of the gRPC frontend. */
  readonly address: string;
  readonly namespace: string;
  /** null without UI. */
  readonly uiUrl: string | null;
  readonly pid: number;
  /** Ends the server, SIGTERM first. Does nothing when it has already ended. */
  stop(): Promise<void>;
}

const IP = '127.0.0.1';
const NAMESPACE = 'default';
const READY_WITHIN_MS = 60_000;
const POLL_EVERY_MS = 100;
const STOP_WITHIN_MS = 5_000;
const PORT_ATTEMPTS = 3;
const PORT_TAKEN = 'address already in use';

/** Defaults suit one developer; three hundred clusters with a guard each exceed them. */
const DYNAMIC_CONFIGURATION = {
  'frontend.enableServerVersionCheck': 'false',
  'frontend.namespaceRPS': '10000',
  'frontend.rps': '10000',
  'frontend.namespaceCount': '10000',
  'history.rps': '20000',
  'matching.rps': '20000',
};

/**
 * Starts `temporal server start-dev` and resolves when it answers, its namespace keeps closed workflows long enough and
 * our search attributes exist. Restarted on the same `dbFile` it continues where it was.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const attempts = options.port === undefined || options.port === 0 ? PORT_ATTEMPTS : 1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Another process may take the free port before the server binds it.
      const taken = failureReason(error).includes(PORT_TAKEN);
      if (!taken || attempt >= attempts) throw error;
    }
  }
}

async function startOnce(options: DevServerOptions): Promise<DevServer> {
  const place = await placeOf(options);
  const child = spawnServer(options, place);
  // Without a listener a failed spawn ends this process; `hasEnded` detects it by the missing pid.
  child.once('error', () => undefined);
  if (child.pid !== undefined) options.onSpawn?.(child.pid);
  const killWithUs = (): void => void child.kill('SIGKILL');
  if (options.outlivesUs !== true) process.prependOnceListener('exit', killWithUs);
  const stop = async (): Promise<void> => {
    process.off('exit', killWithUs);
    await stopProcess(child, STOP_WITHIN_MS);
  };
  try {
    await untilReady(child, options, place);
  } catch (error) {
    await stop();
    throw error;
  }
  child.unref();
  return {
    address: place.address,
    namespace: NAMESPACE,
    uiUrl: place.uiPort === null ? null : `http://${IP}:${place.uiPort}`,
    pid: child.pid ?? 0,
    stop,
  };
}

interface Place {
  readonly port: number;
  readonly uiPort: number | null;
  readonly address: string;
}

/** A requested port is probed too: another server on it would answer in place of ours. */
async function placeOf(options: DevServerOptions): Promise<Place> {
  const port = await freePort(IP, options.port ?? 0);
  const uiPort = options.uiPort === undefined ? null : await freePort(IP, options.uiPort);
  return { port, uiPort, address: `${IP}:${port}` };
}

function spawnServer(options: DevServerOptions, place: Place): ChildProcess {
  const log = openSync(options.logFile, 'a', 0o600);
  // Its database holds every policy and command of the runs; a umask is the only way to restrict it to its user.
  const before = process.umask(0o077);
  try {
    return spawn(options.cliPath, serverArguments(options, place), {
      stdio: ['ignore', log, log],
      // Ctrl-C goes to the whole terminal group: the server would die before the processes that still write to it.
      detached: true,
      env: {},
    });
  } finally {
    process.umask(before);
    closeSync(log);
  }
}

function serverArguments(options: DevServerOptions, place: Place): readonly string[] {
  return [
    ...['server', 'start-dev', '--ip', IP, '--port', String(place.port)],
    ...['--namespace', NAMESPACE, '--log-level', 'warn', '--log-format', 'json'],
    ...(options.dbFile === undefined ? [] : databaseArguments(options.dbFile)),
    ...(place.uiPort === null ? ['--headless'] : ['--ui-port', String(place.uiPort)]),
    ...SEARCH_ATTRIBUTE_TYPES.flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ...Object.entries(DYNAMIC_CONFIGURATION).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
  ];
}

/**
 * With a write-ahead log a commit needs no wait for the disk: the server's default waits several times for each, and then the disk of
 * a small machine decides how fast workflows move. What was committed survives the end of the process; only the machine's own crash
 * can take the last moments, as a consistent older state.
 */
function databaseArguments(dbFile: string): readonly string[] {
  const pragmas = ['journal_mode=WAL', 'synchronous=NORMAL'];
  return ['--db-filename', dbFile, ...pragmas.flatMap((each) => ['--sqlite-pragma', each])];
}

async function untilReady(
  child: ChildProcess,
  options: DevServerOptions,
  place: Place,
): Promise<void> {
  const target = { cliPath: options.cliPath, address: place.address, namespace: NAMESPACE };
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const missing = await setRetention(target);
    if (hasExited(child)) throw await startFailure('ended at once', options.logFile);
    if (missing === null) return addMissingSearchAttributes(target);
    if (Date.now() > deadline)
      throw await startFailure(`does not answer (${missing})`, options.logFile);
    await sleep(POLL_EVERY_MS);
  }
}

async function startFailure(what: string, logFile: string): Promise<Error> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const lines = log.trim().split('\n');
  // The server may panic afterwards, so the line with the reason can be far from the end.
  const taken = lines.filter((line) => line.includes(PORT_TAKEN)).slice(-1);
  const told = [...new Set([...taken, ...lines.slice(-5)])].join('\n');
  return new Error(
    `the Temporal dev server ${what}; its log is ${logFile}, which ends with:\n${told}`,
  );
}
