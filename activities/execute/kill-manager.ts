import {
  heldByAnother,
  pausedManagers,
  whyNotEnded,
} from '../../domain/decision/steps/end-paused-manager.js';
import type { ManagerProcess } from '../../domain/observation/observation.js';
import { findLease, holderText, type PlacedProcess } from '../../domain/ownership/owners.js';
import type { Manager } from '../../domain/vocabulary.js';
import { failure } from '../failures.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import { processDigest, processName } from '../fence/find-effect.js';
import { START_TOLERANCE_MS } from '../observe/identities.js';
import type { HostState, ProcessName } from '../ports.js';
import { hostOf } from './manager-processes.js';
import type { EffectReport, StepSession } from './step-session.js';
import {
  NO_OWNERSHIP_LOSS,
  note,
  ownershipLossOf,
  requestOptions,
  timingsOf,
  waitFor,
} from './step-session.js';

/**
 * Ends a manager's process that a signal has stopped, and proves that it is gone: what the kubelet starts afterwards is
 * another process. Its host is read again right before, and compares id, start and state once more with the signal itself.
 * Its Leases stay as they are: the next observation shows a dead holder.
 */
export async function killManager(
  session: StepSession,
  node: string,
  manager: Manager,
): Promise<EffectReport> {
  const paused = pausedManagers(session.before).find(
    (each) => each.node.name === node && each.manager === manager,
  );
  if (paused === undefined) return NO_OWNERSHIP_LOSS;
  const why = whyNotEnded(session.before, paused);
  if (why !== null) throw notThatOne(paused, why);
  const host = await hostOf(session, node);
  const named = stillPaused(host, paused);
  await fencedMutation(
    session,
    {
      verb: 'endProcess',
      object: processName(node, named.pid),
      before: processDigest(host.bootId, named),
      after: '',
      proof: reasonOf(session, paused.process),
    },
    () =>
      session.ports.processes.kill(
        node,
        named,
        { epoch: session.token.epoch },
        requestOptions(session),
      ),
  );
  const after = await awaitEnd(session, node, { bootId: host.bootId, named });
  note(session, `paused ${manager} of ${node} ended (pid ${String(named.pid)})`);
  return ownershipLossOf(session, node, [manager], after.nowMs);
}

/** The observed process on the host as it is now. @throws `PreconditionFailed` when it is not exactly that one. */
function stillPaused({ processes }: HostState, paused: PlacedProcess): ProcessName {
  const { manager, process } = paused;
  const [found, ...others] = processes.filter(({ pid }) => pid === process.pid);
  if (found === undefined) throw notThatOne(paused, 'it has ended');
  if (others.length > 0 || found.manager !== manager) {
    throw notThatOne(paused, 'its process id is no longer its own');
  }
  const { pid, startTicks, startedAtMs } = found;
  if (startTicks === null) throw notThatOne(paused, 'the agent of its node reports no start');
  const apartMs = Math.abs(startedAtMs - (process.startedAtMs ?? Number.NaN));
  if (!(apartMs <= START_TOLERANCE_MS)) throw notThatOne(paused, 'it was started at another time');
  if (!found.paused) throw notThatOne(paused, 'it runs again');
  return { pid, startTicks };
}

function notThatOne({ node, manager, process }: PlacedProcess, why: string): Error {
  return failure(
    'PreconditionFailed',
    `process ${String(process.pid)} of the ${manager} on ${node.name} is not ended: ${why}. The run observes again`,
  );
}

/** For the evidence: why it was ended. */
function reasonOf({ before }: StepSession, process: ManagerProcess): string {
  const started = new Date(process.startedAtMs ?? Number.NaN).toISOString();
  const lost = heldByAnother(before, process);
  const lease = lost === null ? undefined : findLease(before, lost);
  const holder = lease === undefined ? 'it holds its Leases itself' : holderText(lease);
  return `stopped by a signal, started ${started}; ${holder}`;
}

/** Waits until its host shows it no more. Returns the host's last answer. */
async function awaitEnd(
  session: StepSession,
  node: string,
  { bootId, named }: { readonly bootId: string; readonly named: ProcessName },
): Promise<HostState> {
  return waitFor(session, {
    what: `the end of process ${String(named.pid)} on ${node}`,
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => {
      const host = await hostOf(session, node);
      const isThere = host.processes.some(
        ({ pid, startTicks }) => pid === named.pid && startTicks === named.startTicks,
      );
      return isThere && host.bootId === bootId ? null : host;
    },
  });
}
