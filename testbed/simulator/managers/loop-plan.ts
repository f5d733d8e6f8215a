import { MANAGER_NAMES } from '../../base/manager-names.js';
import {
  ALIASES,
  REGISTERED_NAMES,
  TOKEN_CONTROLLER,
  WILDCARD_COMPONENT,
  type LoopName,
} from '../versions/behaviour.js';
import { valueFor } from '../versions/by-minor.js';
import type { LoopSettings } from './settings.js';

/** The loops that a process starts under each lock. */
export interface LoopPlan {
  readonly underMain: readonly LoopName[];
  readonly underMigration: readonly LoopName[];
  /** Whether the process ever attempts the migration lock. */
  readonly contendsForMigrationLock: boolean;
}

const KCM_LOOPS: readonly LoopName[] = ['service', 'route', 'cloud-node-lifecycle', 'nodeipam'];
const CCM_LOOPS: readonly LoopName[] = ['cloud-node', 'cloud-node-lifecycle', 'service', 'route'];

/** Upstream's filter (kubernetes/controller-manager pkg/leadermigration), applied to the loops that the flags enable. */
export function planLoops(settings: LoopSettings): LoopPlan {
  const candidates = settings.manager === 'kcm' ? KCM_LOOPS : CCM_LOOPS;
  const startable = candidates.filter((loop) => isEnabled(settings, registered(settings, loop)));
  const loops = startable.filter((loop) => hasWhatItNeeds(settings, loop));
  return {
    underMain: loops.filter((loop) => lockOf(settings, loop) === 'main'),
    underMigration: loops.filter((loop) => lockOf(settings, loop) === 'migration'),
    contendsForMigrationLock: settings.migration !== null && passesTokenGate(settings),
  };
}

function registered(settings: LoopSettings, loop: LoopName): string {
  return valueFor(REGISTERED_NAMES, settings.minor)[loop];
}

/** Not listed: main lock. Listed for this component or for all: migration lock. Listed for another: not started. */
function lockOf(settings: LoopSettings, loop: LoopName): 'main' | 'migration' | 'none' {
  const component = settings.migration?.components.get(registered(settings, loop));
  if (component === undefined) return 'main';
  const isEverybody = component === '*' && valueFor(WILDCARD_COMPONENT, settings.minor);
  return component === MANAGER_NAMES[settings.manager] || isEverybody ? 'migration' : 'none';
}

/** `--controllers`: an explicit name or its negation wins, then `*`. Source: kubernetes/controller-manager app/helper.go. */
function isEnabled(settings: LoopSettings, name: string): boolean {
  const aliases = valueFor(ALIASES, settings.minor);
  const listed = settings.flags.list('controllers', ['*']).map((entry) => {
    const isNegated = entry.startsWith('-');
    const bare = isNegated ? entry.slice(1) : entry;
    return `${isNegated ? '-' : ''}${aliases[bare] ?? bare}`;
  });
  const explicit = listed.find((entry) => entry === name || entry === `-${name}`);
  return explicit === undefined ? listed.includes('*') : explicit === name;
}

function passesTokenGate(settings: LoopSettings): boolean {
  if (settings.manager === 'ccm') return true;
  const { name, gatesMigration } = valueFor(TOKEN_CONTROLLER, settings.minor);
  return !gatesMigration || isEnabled(settings, name);
}

function hasWhatItNeeds(settings: LoopSettings, loop: LoopName): boolean {
  const { flags, manager } = settings;
  if (loop === 'nodeipam') return flags.bool('allocate-node-cidrs', false);
  if (manager === 'kcm' && !hasInTreeCloud(settings)) return false;
  if (loop !== 'route') return true;
  // A CCM reads --configure-cloud-routes alone. Source: kubernetes/cloud-provider app/core.go v0.21.0 and later.
  return (
    flags.bool('configure-cloud-routes', true) &&
    (manager === 'ccm' || flags.bool('allocate-node-cidrs', false))
  );
}

function hasInTreeCloud(settings: LoopSettings): boolean {
  return settings.cloudProvider !== '' && settings.cloudProvider !== 'external';
}

/** The error that ends a process whose route controller starts with an empty or invalid `--cluster-cidr`. */
export function routeError(settings: LoopSettings): string | undefined {
  const cidr = settings.flags.text('cluster-cidr', '');
  return /^[0-9a-f.:]+\/\d+(,[0-9a-f.:]+\/\d+)?$/i.test(cidr)
    ? undefined
    : `invalid CIDR address: "${cidr}"`;
}
