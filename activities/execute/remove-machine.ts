import type { ReleaseSequence } from '../../domain/decision/step.js';
import type { ControlPlaneNode } from '../../domain/observation/observation.js';
import { MANAGERS } from '../../domain/vocabulary.js';
import { failure } from '../failures.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import type { CollectedSnapshot } from '../observe/collect-snapshot.js';
import type { Machine, Machines } from '../ports.js';
import { machinesOf } from './add-machine.js';
import { drainNode } from './drain-node.js';
import { takeAway } from './change-static-pod.js';
import { machineKey, machineObject } from './machine-key.js';
import { readObject, removeObject } from './object-writes.js';
import { renewedAmong } from './release-lease.js';
import { leasesHeldBy, releaseLeases, terminatedWithMachine } from './release-leases.js';
import type { EffectReport, StepSession } from './step-session.js';
import {
  NO_OWNERSHIP_LOSS,
  observeAgain,
  observeUntil,
  ownershipLossOf,
  note,
  progress,
  requestOptions,
  safePoint,
  timingsOf,
} from './step-session.js';

/**
 * Removes a control-plane machine: cordon and drain, then its provider deletes it (etcd member first, by contract), its
 * absence is proven there, its Node is removed, and what its managers held is released with that proof.
 */
export async function removeMachine(
  session: StepSession,
  nodeName: string,
  release: ReleaseSequence,
): Promise<EffectReport> {
  const machines = machinesOf(session);
  const node = session.before.nodes.find(({ name }) => name === nodeName);
  const listed = await machines.list(requestOptions(session));
  const machine = machineOf(listed, nodeName);
  if (machine === null) {
    if (node === undefined) return NO_OWNERSHIP_LOSS;
    await requireSilent(session, listed, node);
  }
  const going: Going = { machines, node: nodeName, name: machine?.name ?? nodeName };
  let handed = NO_OWNERSHIP_LOSS;
  if (machine !== null) {
    if (node !== undefined) await drainNode(session, node);
    safePoint(session);
    if (node !== undefined) handed = await handOverFirst(session, node, release);
    await removeAtProvider(session, machines, machine);
  }
  const lost = handed.lost === null ? ownershipLossOf(session, nodeName, MANAGERS, null) : handed;
  await requireGone(session, going);
  note(session, `machine ${going.name} deleted at its provider`);
  if (node !== undefined) await releaseAll(session, going, node, release);
  return { ...lost, snapshot: await observeWithoutNode(session, nodeName) };
}

/** A machine that is being removed, as its provider and the cluster name it. */
interface Going {
  readonly machines: Machines;
  readonly node: string;
  readonly name: string;
}

/**
 * That no machine is listed for a node does not show that it is gone: an answer can leave it out or name it without its Node,
 * and a provisioner may never have known it. Only a node that neither answers nor is Ready may be without one; until then
 * nothing is written. A Node stays Ready for 40 s after its machine has gone (`--node-monitor-grace-period`).
 */
async function requireSilent(
  session: StepSession,
  listed: readonly Machine[],
  { name, reachable }: ControlPlaneNode,
): Promise<void> {
  const nodeless = listed.find(
    ({ node, state }) => node === null && state !== 'ordered' && state !== 'booting',
  );
  if (nodeless !== undefined) {
    throw notProvenGone(name, `machine ${nodeless.name} is ${nodeless.state} and may be its own`);
  }
  if (reachable) throw notProvenGone(name, 'the node answers');
  const seen = await observeUntil(session, {
    what: `Node ${name} to be no longer Ready`,
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => {
      const { observation } = await observeAgain(session, session.snapshot, []);
      const node = observation.nodes.find((each) => each.name === name);
      if (node?.reachable === true) return 'answers';
      return node?.ready === 'yes' ? null : 'silent';
    },
  });
  if (seen !== 'silent') throw notProvenGone(name, seen === null ? 'it is Ready' : 'it answers');
}

function notProvenGone(node: string, seen: string): Error {
  return failure(
    'NoProof',
    `the machines API lists no machine of Node ${node}, but ${seen}: it is not proven gone. ` +
      'See why it is not listed with its Node, then `ccm-migrate retry`',
  );
}

/**
 * A holder on a reachable node is stopped before its machine: its host proves that at once, while the provider confirms only
 * after the machine is deleted (5 s without an owner against 2 s in the simulator).
 */
async function handOverFirst(
  session: StepSession,
  node: ControlPlaneNode,
  release: ReleaseSequence,
): Promise<EffectReport> {
  let handed = NO_OWNERSHIP_LOSS;
  for (const manager of MANAGERS) {
    const { manifest, processes } = node[manager];
    const holds = processes.some(({ identity }) => identity !== null);
    if (!node.reachable || !holds || manifest.state !== 'present') continue;
    if (manifest.source !== 'staticPod') continue;
    // Kept aside: the provider may refuse to delete the machine.
    const report = await takeAway(session, { node, manager, release, isKept: true });
    handed = report.lost === null ? handed : report;
  }
  return handed;
}

/** By its Node; by its own name only where it is listed without a Node. */
function machineOf(listed: readonly Machine[], node: string): Machine | null {
  return (
    listed.find((each) => each.node === node) ??
    listed.find((each) => each.node === null && each.name === node) ??
    null
  );
}

async function removeAtProvider(
  session: StepSession,
  machines: Machines,
  { name, state }: Machine,
): Promise<void> {
  if (state === 'deleting') return;
  const key = await machineKey(session, { verb: 'removeMachine', machine: name, content: null });
  const guard = { epoch: session.token.epoch, idempotencyKey: key };
  progress(session, `machine ${name} is being deleted`);
  await fencedMutation(
    session,
    { verb: 'removeMachine', object: machineObject(name), before: name, after: '' },
    () => machines.remove(name, guard, requestOptions(session)),
  );
}

/** Two answers in a row must leave it out: one alone may come from a provisioner that has just started. */
async function requireGone(session: StepSession, going: Going): Promise<void> {
  let absences = 0;
  const gone = await observeUntil(session, {
    what: `the end of machine ${going.name}`,
    withinMs: timingsOf(session).effectMs,
    snapshot: async () => {
      absences = (await isListed(session, going)) ? 0 : absences + 1;
      return absences > 1 ? true : null;
    },
  });
  if (gone !== null) return;
  throw failure(
    'EffectNotSeen',
    `machine ${going.name} is still at its provider. See why there, then \`ccm-migrate retry\``,
  );
}

async function isListed(session: StepSession, { machines, name, node }: Going): Promise<boolean> {
  const listed = await machines.list(requestOptions(session));
  return listed.some((each) => each.name === name || each.node === node);
}

/** Releases what the managers of a machine held that is gone; a Lease that is still written has a live holder, whatever is listed. */
async function releaseAll(
  session: StepSession,
  going: Going,
  node: ControlPlaneNode,
  release: ReleaseSequence,
): Promise<void> {
  const silent = await leasesHeldBy(session, node);
  const renewed = silent.length === 0 ? null : await renewedAmong(session, silent);
  if (renewed !== null) {
    throw failure(
      'NoProof',
      `machine ${going.name} is not listed at its provider any more, but ${renewed.holder} renews Lease ` +
        `${renewed.namespace}/${renewed.name}: it runs. Stop it there, then \`ccm-migrate retry\``,
    );
  }
  const stillThere = (): Promise<boolean> => isListed(session, going);
  for (const manager of MANAGERS) {
    const terminated = terminatedWithMachine(node, manager, { stillThere, silent });
    if (terminated !== null) await releaseLeases(session, terminated, release);
  }
}

/**
 * The provider removes the Node last, by contract. If it still exists in the step's last observation, we wait a moment and
 * then remove it, unless its machine still answers.
 */
async function observeWithoutNode(session: StepSession, name: string): Promise<CollectedSnapshot> {
  const { snapshot } = session;
  const pods = snapshot.live.controlPlanePods.filter(({ spec }) => spec?.nodeName !== name);
  const observe = (): Promise<CollectedSnapshot> => observeAgain(session, snapshot, [], pods);
  const isThere = ({ observation }: CollectedSnapshot): boolean =>
    observation.nodes.some((node) => node.name === name);
  const gone = await observeUntil(session, {
    what: `the end of Node ${name}`,
    withinMs: 4 * timingsOf(session).pollMs,
    snapshot: async () => {
      const seen = await observe();
      return isThere(seen) ? null : seen;
    },
  });
  if (gone !== null) return gone;
  const last = await observe();
  if (last.observation.nodes.some((node) => node.name === name && node.reachable)) {
    throw failure(
      'NoProof',
      `the machine of Node ${name} is not listed at its provider any more, but it answers: the Node stays. ` +
        'See why there, then `ccm-migrate retry`',
    );
  }
  const ref = { apiVersion: 'v1', kind: 'Node', name };
  const node = await readObject(session, ref);
  if (node !== null) await removeObject(session, ref, node);
  return observe();
}
