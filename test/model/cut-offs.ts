import { predictEffect } from '../../domain/model/predict-effect.js';
import { endProcesses, withManifest, withSlot } from '../../domain/model/processes.js';
import { wantedConfig } from '../../domain/model/wanted-config.js';
import type { ClusterObservation, ManagerSlot } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { StepEffect } from '../../domain/decision/step.js';
import { MANAGERS, type Manager } from '../../domain/vocabulary.js';

/** A step that ended in the middle, and the state that it left. */
export interface CutOff {
  readonly label: string;
  readonly observation: ClusterObservation;
}

/**
 * Every state that a step leaves when the worker dies inside it, in the order of its writes. A Lease that is not emptied yet has a dead
 * holder: elections treat it like an empty one, as it expires.
 */
export function cutOffsOf(
  observation: ClusterObservation,
  effect: StepEffect,
  policy: MigrationPolicy,
): readonly CutOff[] {
  switch (effect.kind) {
    case 'changeManager':
      return changeCutOffs(observation, effect, policy);
    case 'addMachine':
      return joinCutOffs(observation, effect, policy);
    case 'removeMachine':
      return [
        {
          label: 'its managers end and its Node stays',
          observation: MANAGERS.reduce(
            (current, manager) =>
              withManifest(
                endProcesses(current, effect.node, manager),
                effect.node,
                manager,
                putAside(current, effect.node, manager),
              ),
            observation,
          ),
        },
      ];
    case 'recordBaseline':
    case 'setAccess':
    case 'finishManifest':
    case 'endPausedManager':
    case 'releaseLease':
    case 'awaitElection':
    case 'switchKubelets':
    case 'deleteMigrationLease':
    case 'removeCcmWorkload':
    case 'verify':
    case 'probeBalancer':
      return [];
  }
}

/** Manifest removed; process gone; in a change without a successor also before its Leases are emptied. */
function changeCutOffs(
  observation: ClusterObservation,
  { node, want }: Extract<StepEffect, { kind: 'changeManager' }>,
  policy: MigrationPolicy,
): readonly CutOff[] {
  if (want.role === 'parked' || want.role === 'stopped') {
    const unreleased = { kind: 'changeManager', node, want, release: 'none' } as const;
    const after = predictEffect(observation, unreleased, policy);
    return [
      ...stillRunning(observation, after, node, want.role),
      { label: 'its Leases are not emptied', observation: after },
    ];
  }
  const successor = wantedConfig(want, observation, policy);
  const manifest = { state: 'interrupted', successorHash: '', successor } as const;
  const taken = (slot: ManagerSlot): ManagerSlot => ({ ...slot, manifest });
  return [
    {
      label: 'its process is about to end',
      observation: withSlot(observation, node, want.manager, taken),
    },
    {
      label: 'its successor is not written',
      observation: withSlot(
        endProcesses(observation, node, want.manager),
        node,
        want.manager,
        taken,
      ),
    },
  ];
}

/** A KCM whose successor is staged already and whose process has not ended; a CCM without any manifest has unknown settings. */
function stillRunning(
  observation: ClusterObservation,
  after: ClusterObservation,
  node: string,
  role: 'parked' | 'stopped',
): readonly CutOff[] {
  const parked = after.nodes.find(({ name }) => name === node)?.kcm.manifest;
  if (role === 'stopped' || parked === undefined) return [];
  return [
    {
      label: 'its process is about to end',
      observation: withManifest(observation, node, 'kcm', parked),
    },
  ];
}

/** The kubelet of a new machine starts its managers one after the other. */
function joinCutOffs(
  observation: ClusterObservation,
  effect: Extract<StepEffect, { kind: 'addMachine' }>,
  policy: MigrationPolicy,
): readonly CutOff[] {
  const joined = predictEffect(observation, effect, policy);
  return MANAGERS.map((manager) => ({
    label: `only its ${manager} waits for its first start`,
    observation: withSlot(joined, effect.machine, manager, (slot) => ({ ...slot, processes: [] })),
  }));
}

/** The manifest as a removal leaves it: beside, for the case that the provider refuses. */
function putAside(
  { nodes }: ClusterObservation,
  name: string,
  manager: Manager,
): ManagerSlot['manifest'] {
  const before = nodes.find((node) => node.name === name)?.[manager].manifest;
  if (before?.state !== 'present' || before.source !== 'staticPod') return { state: 'absent' };
  return { state: 'parked', hash: '', config: before.config };
}
