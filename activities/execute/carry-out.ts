import type { StepEffect } from '../../domain/step.js';
import { failure } from '../failures.js';
import { addMachine } from './add-machine.js';
import { awaitElection } from './await-election.js';
import { changeDaemonSet } from './change-daemon-set.js';
import { changeStaticPod } from './change-static-pod.js';
import { deleteMigrationLease } from './delete-migration-lease.js';
import { finishManifest } from './finish-manifest.js';
import { recordBaseline } from './record-baseline.js';
import { releaseLease } from './release-lease.js';
import { removeMachine } from './remove-machine.js';
import { removeCcmWorkload } from './remove-workload.js';
import { setAccess } from './set-access.js';
import type { EffectReport, StepSession } from './step-session.js';
import { policyOf } from './step-session.js';
import { switchKubelets } from './switch-kubelets.js';
import { takeAwayStaticPod } from './take-away.js';
import { verify } from './verify.js';

/** Executes the effect of a step. Every effect observes first: what is already done is not repeated. */
export async function carryOut(session: StepSession): Promise<EffectReport> {
  const { effect } = session.input.step;
  switch (effect.kind) {
    case 'recordBaseline':
      return recordBaseline(session);
    case 'setAccess':
      return setAccess(session, effect);
    case 'changeManager':
      return changeManager(session, effect);
    case 'finishManifest':
      return finishManifest(session, effect.node, effect.manager);
    case 'addMachine':
      return addMachine(session, effect.machine, effect.side);
    case 'removeMachine':
      return removeMachine(session, effect.node, effect.release);
    case 'releaseLease':
      return releaseLease(session, effect);
    case 'awaitElection':
      return awaitElection(session, effect.until);
    case 'switchKubelets':
      return switchKubelets(session, effect.to, effect.batchSize);
    case 'deleteMigrationLease':
      return deleteMigrationLease(session);
    case 'removeCcmWorkload':
      return removeCcmWorkload(session);
    case 'verify':
      return verify(session, effect.since);
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
    return takeAwayStaticPod(session, { node, want, release });
  }
  return changeStaticPod(session, { node, want, release });
}

function foreignSource(node: string, source: string): Error {
  return failure(
    'NotSupported',
    `the CCM on ${node} is started by a ${source}, which this project does not change. Stop it by your own means`,
  );
}
