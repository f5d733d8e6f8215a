import type { FleetMigration } from '../../../config/kinds/fleet-migration.js';
import type { WaveSpec } from '../../../config/kinds/wave.js';
import type { WrittenPolicy } from '../../../config/kinds/migration-policy.js';
import type { RehearsedWave } from './rehearsed-clusters.js';
import type { RehearsalSettings } from './rehearsal-settings.js';

export interface Rehearsed {
  readonly fleet: FleetMigration['spec'];
  readonly policies: readonly WrittenPolicy['spec'][];
  readonly waves: readonly RehearsedWave[];
}

/** What the rehearsal assumes, and what it leaves out of the files: each a line for people. */
export function rehearsalNotes(
  { fleet, policies, waves }: Rehearsed,
  settings: RehearsalSettings,
): readonly string[] {
  const { preset, soak, speed } = settings;
  const named = (test: (wave: WaveSpec) => boolean): string =>
    fleet.waves
      .filter(test)
      .map(({ name }) => name)
      .join(', ');
  const scheduled = named(
    ({ windows, excludedDates }) => windows.length + excludedDates.length > 0,
  );
  const approved = named(({ approvals }) => approvals !== undefined);
  const isHandoverApproved = policies.some(({ approvals }) => approvals.handover === 'required');
  const hasOwnGates = policies.some(({ gates }) => gates.metrics.own.length > 0);
  return [
    ...cutNotes(waves, settings),
    `each cluster is simulated: three nodes, left as ${preset}, at the versions of its policy; provider, images, manifest, access and elections are the simulator's`,
    `durations are the simulator's, at ${speed} simulated seconds a second; one worker serves all regions`,
    `soaks last ${soak}, and a start is tried again after 5s`,
    ...(scheduled === '' ? [] : [`windows and excluded dates are left out: waves ${scheduled}`]),
    ...dateNotes(fleet.rollout),
    ...(approved === '' ? [] : [`approvals are given by the rehearsal: waves ${approved}`]),
    ...(hasOwnGates ? ["gates of the policies' own (gates.metrics.own) are left out"] : []),
    ...(isHandoverApproved ? ['approvals of handovers are left out'] : []),
    ...(fleet.rollout.onFailure === 'hold'
      ? ['a cluster that is held is rolled back by the rehearsal']
      : []),
  ];
}

function cutNotes(
  waves: readonly RehearsedWave[],
  { clusters }: RehearsalSettings,
): readonly string[] {
  const all = waves.reduce((sum, wave) => sum + wave.all, 0);
  const taken = waves.reduce((sum, wave) => sum + wave.clusters.length, 0);
  if (taken === all) return [];
  const cut = waves.filter((wave) => wave.clusters.length < wave.all);
  const parts = cut.map((wave) => `wave ${wave.name} ${wave.clusters.length} of ${wave.all}`);
  return [
    `${all - taken} of ${all} clusters are left out (--clusters ${clusters}): ${parts.join(', ')}; limits in percent count the others`,
  ];
}

function dateNotes({ startAt, deadline }: FleetMigration['spec']['rollout']): readonly string[] {
  const given = [
    ...(startAt === undefined ? [] : ['startAt']),
    ...(deadline === undefined ? [] : ['deadline']),
  ];
  return given.length === 0 ? [] : [`${given.join(' and ')} left out`];
}
