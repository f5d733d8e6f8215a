import type { ElectionGoal, StepEffect } from '../../domain/decision/step.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import { electionReached } from '../../domain/decision/steps/await-election.js';
import { SYSTEM_NAMESPACE } from '../../domain/manifests/paths.js';
import { factsOf } from '../../domain/ownership/cluster-facts.js';
import { sameLease } from '../../domain/vocabulary.js';
import { failure } from '../failures.js';
import { locksOf } from '../observe/identities.js';
import type { CachedRead } from '../observe/cached-reads.js';
import type { ConfigMapObject } from '../observe/objects.js';
import type { ObjectRef } from '../ports.js';
import { addMachine } from './add-machine.js';
import { compareWithStart } from './compare-with-start.js';
import { changeDaemonSet } from './change-daemon-set.js';
import { changeStaticPod, finishManifest, removeStaticPod } from './change-static-pod.js';
import { killManager } from './kill-manager.js';
import { isOurs, readObject, removeObject, removeOurObject } from './object-writes.js';
import { storeBaseline } from './record-baseline.js';
import { tryBalancer } from './try-balancer.js';
import { releaseProvenLease } from './release-lease.js';
import { leaseObjectRef } from './release-leases.js';
import { removeMachine } from './remove-machine.js';
import { setAccess } from './set-access.js';
import type { EffectReport, StepSession } from './step-session.js';
import {
  NO_OWNERSHIP_LOSS,
  observeAgain,
  note,
  policyOf,
  progress,
  timingsOf,
} from './step-session.js';
import { switchKubelets } from './switch-kubelets.js';

/** Executes the effect of a step. Every effect observes first: what is already done is not repeated. */
export async function executeEffect(session: StepSession): Promise<EffectReport> {
  const { effect } = session.input.step;
  switch (effect.kind) {
    case 'recordBaseline':
      return storeBaseline(session);
    case 'setAccess':
      return setAccess(session, effect);
    case 'changeManager':
      return changeManager(session, effect);
    case 'finishManifest':
      return finishManifest(session, effect.node, effect.manager);
    case 'endPausedManager':
      return killManager(session, effect.node, effect.manager);
    case 'addMachine':
      return addMachine(session, effect.machine, effect.side);
    case 'removeMachine':
      return removeMachine(session, effect.node, effect.release);
    case 'releaseLease':
      return releaseProvenLease(session, effect);
    case 'awaitElection':
      return awaitElection(session, effect.until);
    case 'switchKubelets':
      return switchKubelets(session, effect.to, effect.batchSize);
    case 'deleteMigrationLease':
      return deleteMigrationLease(session);
    case 'removeCcmWorkload':
      return removeCcmWorkload(session);
    case 'verify':
      return compareWithStart(session, effect.since);
    case 'probeBalancer':
      return tryBalancer(session, effect);
  }
}

async function changeManager(
  session: StepSession,
  { node: name, want, release }: Extract<StepEffect, { kind: 'changeManager' }>,
): Promise<EffectReport> {
  const node = session.before.nodes.find((each) => each.name === name);
  if (node === undefined) throw failure('PreconditionFailed', `node ${name} does not exist`);
  if (want.manager === 'ccm') {
    const { manifest } = node.ccm;
    const placed = manifest.state === 'present' ? manifest.source : policyOf(session).ccm.deployAs;
    if (placed === 'daemonSet') return changeDaemonSet(session, node, want, release);
    if (placed !== 'staticPod') throw foreignSource(name, placed);
  }
  if (want.role === 'parked' || want.role === 'stopped') {
    return removeStaticPod(session, { node, want, release });
  }
  return changeStaticPod(session, { node, want, release });
}

function foreignSource(node: string, source: string): Error {
  return failure(
    'NotSupported',
    `the CCM on ${node} is started by a ${source}, which this project does not change. Stop it by your own means`,
  );
}

/**
 * Waits until elections have the result that the next step needs. Changes nothing, so it may be interrupted at any
 * time.
 */
async function awaitElection(session: StepSession, until: ElectionGoal): Promise<EffectReport> {
  const { clock, scope } = session;
  const timings = timingsOf(session);
  const deadline = clock.nowMs() + timings.electionMs;
  let { snapshot } = session;
  for (;;) {
    if (electionReached(factsOf(snapshot.observation, 'ccm', policyOf(session)), until)) {
      note(session, `election reached: ${until}`);
      return { lost: null, snapshot };
    }
    if (clock.nowMs() >= deadline) break;
    progress(session, `waiting for the election: ${until}`);
    await clock.sleep(2 * timings.pollMs, scope.signal);
    snapshot = await observeAgain(session, snapshot, doubted(snapshot.observation));
  }
  throw failure(
    'EffectNotSeen',
    `the election did not reach ${until} within ${String(timings.electionMs / 1000)} s. ` +
      'Check the managers and their access to the Leases, then `ccm-migrate retry`',
  );
}

/** Who may not use the migration Lease, or whose right could not be read, does not stand by: that may change meanwhile. */
function doubted({ access }: ClusterObservation): readonly CachedRead[] {
  const { kcm, ccm } = access.mayUseMigrationLease;
  return kcm === 'yes' && ccm === 'yes' ? [] : ['rights'];
}

/** Deletes the migration Lease once nothing that runs, or could be started, takes part in it. */
async function deleteMigrationLease(session: StepSession): Promise<EffectReport> {
  const { lock } = policyOf(session);
  const users = session.before.nodes.flatMap((node) =>
    [node.kcm, node.ccm].flatMap(({ manifest, processes }) => [
      ...processes.map(({ config }) => config),
      ...(manifest.state === 'present' || manifest.state === 'parked' ? [manifest.config] : []),
    ]),
  );
  const user = users.find((config) => locksOf(config).some((each) => sameLease(each, lock)));
  if (user !== undefined) {
    throw failure(
      'PreconditionFailed',
      `a ${user.manager} still takes part in Lease ${lock.namespace}/${lock.name}`,
    );
  }
  const ref = leaseObjectRef(lock);
  const present = await readObject(session, ref);
  if (present === null) return NO_OWNERSHIP_LOSS;
  await removeObject(session, ref, present);
  note(session, `Lease ${lock.name} deleted`);
  return NO_OWNERSHIP_LOSS;
}

/** Removes the CCM's workload and its Leader Migration files, so that nothing restarts a CCM. Foreign ones stay. */
async function removeCcmWorkload(session: StepSession): Promise<EffectReport> {
  const { source, name } = session.before.ccmWorkload;
  if (source === 'none') return NO_OWNERSHIP_LOSS;
  const kind = source === 'deployment' ? 'Deployment' : 'DaemonSet';
  const ref = { apiVersion: 'apps/v1', kind, namespace: SYSTEM_NAMESPACE, name };
  const workload = await readObject(session, ref);
  if (workload !== null && !isOurs(workload)) {
    throw failure(
      'ForeignEdit',
      `${kind} ${SYSTEM_NAMESPACE}/${name} is managed by another tool: remove it there, then \`ccm-migrate retry\``,
    );
  }
  if (workload !== null) {
    await removeObject(session, ref, workload);
    note(session, `${kind} ${name} removed`);
  }
  for (const configMap of migrationConfigMaps(session)) {
    await removeOurObject(session, configMap);
  }
  return { lost: null, changed: ['workload'] };
}

function migrationConfigMaps({ cached }: StepSession): readonly ObjectRef[] {
  const names = [...cached.workload.configMaps.keys()]
    .map((path) => path.split('/')[0] ?? '')
    .filter((name) => name.startsWith('ccm-leader-migration-'));
  return [...new Set(names)].map((name) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap' satisfies NonNullable<ConfigMapObject['kind']>,
    namespace: SYSTEM_NAMESPACE,
    name,
  }));
}
