import type { FleetScope } from '../../domain/fleet/fleet-command.js';
import type { FleetState, Row } from '../../domain/fleet/fleet-state.js';
import { didYouMean } from '../../config/nearest-name.js';
import { UsageError } from '../cli-error.js';

/** What an operator types to mean a fleet or a part of it. */
export interface FleetPath {
  readonly fleet: string;
  readonly part:
    | { readonly kind: 'all' }
    /** By its name, or by its number counted from 1. */
    | { readonly kind: 'wave'; readonly wave: string }
    | { readonly kind: 'cluster'; readonly cluster: string };
  /** As typed, for messages. */
  readonly text: string;
}

const CLUSTER_RUN = 'cluster-migration/';
const FLEET_RUN = 'fleet-migration/';

/** `FLEET`, `FLEET/wave/NAME`, `FLEET/CLUSTER`; null for the workflow id of a cluster's run. */
export function fleetPath(written: string): FleetPath | null {
  if (written.startsWith(CLUSTER_RUN)) return null;
  const path = written.startsWith(FLEET_RUN) ? written.slice(FLEET_RUN.length) : written;
  const [fleet = '', second, ...rest] = path.split('/');
  const text = path;
  if (second === undefined) return { fleet, part: { kind: 'all' }, text };
  const third = rest.join('/');
  if (second === 'wave' && third !== '')
    return { fleet, part: { kind: 'wave', wave: third }, text };
  const cluster = [second, ...rest].join('/');
  return { fleet, part: { kind: 'cluster', cluster }, text };
}

/** Whether a text can only mean a fleet or a part of one. */
export function isOnlyFleet(written: string): boolean {
  return (
    written.startsWith(FLEET_RUN) || (written.includes('/') && !written.startsWith(CLUSTER_RUN))
  );
}

/**
 * The scope of a command. A single label is a group, so that it also means what failures of that group held; several
 * labels, or labels within a wave, are the rows that have all of them.
 * @throws UsageError where the fleet has nothing of that name or label.
 */
export function scopeOf(
  state: FleetState,
  { part, fleet }: FleetPath,
  labels: readonly string[],
): FleetScope {
  const [label, second] = labels;
  const known = new Set(state.rows.flatMap(({ groups }) => groups));
  const missing = labels.find((each) => !known.has(each));
  if (missing !== undefined) {
    throw new UsageError(
      `-l ${missing}: no cluster of ${fleet} has this label${didYouMean(missing, [...known])}`,
    );
  }
  if (part.kind === 'all' && label === undefined) return { kind: 'fleet' };
  if (part.kind === 'all' && label !== undefined && second === undefined)
    return { kind: 'group', group: label };
  if (part.kind === 'wave' && label === undefined)
    return { kind: 'wave', wave: waveIndex(state, fleet, part.wave) };
  const rows = rowsOfPart(state, fleet, part).filter(({ groups }) =>
    labels.every((each) => groups.includes(each)),
  );
  if (rows.length === 0) throw new UsageError(`no cluster of ${fleet} has all of these labels`);
  return { kind: 'rows', rows: rows.map(({ index }) => index) };
}

function rowsOfPart(state: FleetState, fleet: string, part: FleetPath['part']): readonly Row[] {
  switch (part.kind) {
    case 'all':
      return state.rows;
    case 'wave': {
      const index = waveIndex(state, fleet, part.wave);
      return state.rows.filter(({ wave }) => wave === index);
    }
    case 'cluster':
      return [clusterRow(state, fleet, part.cluster)];
  }
}

/** @throws UsageError when the fleet has no such cluster. */
export function clusterRow(state: FleetState, fleet: string, name: string): Row {
  const found = state.rows.find((row) => row.name === name);
  if (found !== undefined) return found;
  const names = state.rows.map((row) => row.name);
  throw new UsageError(`fleet ${fleet} has no cluster ${name}${didYouMean(name, names)}`);
}

/** A name wins over a number: a wave may be called 2. */
function waveIndex({ waves }: FleetState, fleet: string, written: string): number {
  const named = waves.find(({ name }) => name === written);
  const numbered = /^[1-9]\d*$/.test(written) ? waves[Number(written) - 1] : undefined;
  const found = named ?? numbered;
  if (found !== undefined) return found.index;
  const names = waves.map(({ name }) => name);
  throw new UsageError(
    `fleet ${fleet} has no wave ${written} (${names.join(', ')})${didYouMean(written, names)}`,
  );
}
