import { durationSeconds, parseArguments, textFlag } from '../../domain/managers/arguments.js';
import { COMPONENTS } from '../../domain/managers/controller-names.js';
import type { Manager } from '../../domain/vocabulary.js';
import { mirrorPodName } from '../node-paths.js';
import { lockRole } from '../observe/lock-role.js';
import type { HostProcess, HostState } from '../ports.js';
import type { StepSession } from './step-session.js';
import { note, requestOptions, timingsOf, waitFor } from './step-session.js';

/** Waits until the host shows no process of the manager, in any pod or container. Returns the host's last answer. */
export async function awaitProcessGone(
  session: StepSession,
  node: string,
  manager: Manager,
): Promise<HostState> {
  const host = await waitFor(session, {
    what: `the end of the ${manager} process on ${node}`,
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => {
      const state = await hostOf(session, node);
      return state.processes.some((process) => process.manager === manager) ? null : state;
    },
  });
  note(session, `no ${manager} process on ${node}`);
  return host;
}

export async function hostOf(session: StepSession, node: string): Promise<HostState> {
  return session.ports.processes.host(node, requestOptions(session));
}

/**
 * Real kubelets take 0.5 to 2.3 s from the end of a process to that of its mirror pod, and 2 to 3 s to start the next process: asked
 * sooner or more often, they show nothing new.
 */
const MIRROR_MS = 1_000;
const START_MS = 500;

/**
 * Waits until the static pod's mirror object is gone. A manifest that is written before that starts its process
 * only at the kubelet's next resync, 12 to 16 s later instead of 2 to 3 s (P12). `endedAtMs`: when the end of the process was
 * awaited, on our clock; null where it had ended before.
 */
export async function awaitMirrorPodGone(
  session: StepSession,
  node: string,
  manager: Manager,
  endedAtMs: number | null,
): Promise<void> {
  const { clock, ports } = session;
  const name = mirrorPodName(manager, node);
  const everyMs = Math.min(4 * timingsOf(session).pollMs, MIRROR_MS);
  const earlyMs = endedAtMs === null ? 0 : endedAtMs + everyMs - clock.nowMs();
  if (earlyMs > 0) await clock.sleep(earlyMs);
  await waitFor(session, {
    what: `the end of mirror pod ${name}`,
    withinMs: timingsOf(session).effectMs,
    everyMs,
    snapshot: async () => {
      const ref = { apiVersion: 'v1', kind: 'Pod', namespace: 'kube-system', name };
      return (await ports.api.get(ref, requestOptions(session))) === null ? true : null;
    },
  });
}

/** How a new process is distinguished from the old one. */
export interface NewProcess {
  readonly node: string;
  readonly manager: Manager;
  /** Arguments after the program, from the manifest. */
  readonly words: readonly string[];
  /** Earlier processes of the manager. */
  readonly oldPids: ReadonlySet<number>;
}

/**
 * Waits until exactly one process of the manager runs stably with the wanted arguments: it takes part in its main election
 * or, without metrics, has lived for two retry periods (its election is then presumed).
 */
export async function awaitNewProcess(session: StepSession, wanted: NewProcess): Promise<void> {
  const { node, manager } = wanted;
  const { process, metrics } = await waitFor(session, {
    what: `the new ${manager} process on ${node}`,
    withinMs: timingsOf(session).effectMs,
    everyMs: Math.min(2 * timingsOf(session).pollMs, START_MS),
    snapshot: async () => {
      const host = await hostOf(session, node);
      const found = newProcessOn(host, wanted);
      if (found === null) return null;
      const seen = await metricsOf(session, node, manager);
      return electsOrLasts(host, wanted, found, seen) ? { process: found, metrics: seen } : null;
    },
  });
  const unread = metrics.why === '' ? '' : `; its election is presumed: ${metrics.why}`;
  note(session, `${manager} of ${node} runs as wanted (pid ${String(process.pid)})${unread}`);
}

/** The one process of the manager, if it is new and has the wanted arguments. */
export function newProcessOn(
  { processes }: HostState,
  { manager, words, oldPids }: NewProcess,
): HostProcess | null {
  const all = processes.filter((process) => process.manager === manager);
  const [only] = all;
  if (only === undefined || all.length > 1 || oldPids.has(only.pid) || only.paused) return null;
  return sameArguments(only.arguments, words) ? only : null;
}

function sameArguments(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}

function electsOrLasts(
  host: HostState,
  { manager, words }: NewProcess,
  process: HostProcess,
  { text }: Metrics,
): boolean {
  const flags = parseArguments(words);
  const lock = textFlag(flags, 'leader-elect-resource-name') ?? COMPONENTS[manager];
  const role = lockRole(text, lock);
  if (role === 'held' || role === 'waiting') return true;
  const retry = durationSeconds(textFlag(flags, 'leader-elect-retry-period') ?? '2s') ?? 2;
  return role === 'unknown' && host.nowMs - process.startedAtMs >= 2 * retry * 1000;
}

/** `/metrics` of a manager: null when nothing listens, or with the reason when they could not be read. */
interface Metrics {
  readonly text: string | null;
  readonly why: string;
}

/** Asks a manager's own metrics; that they cannot be read is no error. */
export async function metricsOf(
  session: StepSession,
  node: string,
  manager: Manager,
): Promise<Metrics> {
  try {
    const text = await session.ports.processes.metrics(node, manager, requestOptions(session));
    return { text, why: '' };
  } catch (error) {
    return { text: null, why: error instanceof Error ? error.message : String(error) };
  }
}
