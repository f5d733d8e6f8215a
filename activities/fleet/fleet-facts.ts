import type { Envelope } from '../../domain/authority/signed-envelope.js';
import { fleetLevels } from '../../domain/authority/member-leaves.js';
import type { MemberLevels } from '../../domain/authority/member-tree.js';
import type { RowPlan } from '../../domain/fleet/fleet-plan.js';
import type { FleetRef } from '../fleet-contract.js';
import type {
  FleetMemberPlan,
  FleetMigrationInput,
  FleetSettings,
  FleetWaveSettings,
} from '../fleet-input.js';
import { failure } from '../failures.js';
import type { RunDirectory } from './run-directory.js';

/** What activities need of a fleet. */
export interface FleetFacts {
  readonly fleet: string;
  readonly ticket: string;
  readonly waves: readonly (FleetWaveSettings & {
    readonly name: string;
    readonly scheduled: boolean;
  })[];
  readonly rows: readonly (FleetMemberPlan & Pick<RowPlan, 'name' | 'wave' | 'groups'>)[];
  /** What allows it, and the tree by which it covers its members; null where no one signed. */
  readonly authority: FleetAuthority | null;
}

export interface FleetAuthority {
  readonly start: Envelope;
  readonly levels: MemberLevels;
}

/** Reads the facts of a fleet's execution, once for as long as it is among the last few. */
export type ReadFacts = (fleet: FleetRef) => Promise<FleetFacts>;

const KEPT = 8;

export function createFactsReader(directory: Pick<RunDirectory, 'fleetInput'>): ReadFacts {
  const kept = new Map<string, FleetFacts>();
  return async ({ fleetWorkflowId, execution }) => {
    const known = kept.get(execution);
    if (known !== undefined) return known;
    const facts = factsOf(await directory.fleetInput(fleetWorkflowId, execution));
    for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size + 1 - KEPT))) {
      kept.delete(oldest);
    }
    kept.set(execution, facts);
    return facts;
  };
}

function factsOf({ fleet, ticket, given, carried }: FleetMigrationInput): FleetFacts {
  if (given !== null) return joined({ fleet, ticket }, given, given.plan.waves, given.plan.rows);
  if (carried === null) throw failure('InvalidInput', `${fleet}: its input has no plan`);
  const { texts } = carried.state;
  const rows = carried.state.rows.map(([name, groups, [wave]]) => ({
    ...{ name, wave, groups: groups.flatMap((each) => texts.slice(each, each + 1)) },
  }));
  return joined({ fleet, ticket }, carried, carried.state.waves, rows);
}

function joined(
  named: Pick<FleetFacts, 'fleet' | 'ticket'>,
  settings: FleetSettings,
  waves: readonly { readonly name: string; readonly scheduled: boolean }[],
  rows: readonly Pick<RowPlan, 'name' | 'wave' | 'groups'>[],
): FleetFacts {
  const joinedRows = settings.members.flatMap((each, index) =>
    rows.slice(index, index + 1).map(({ name, wave, groups }) => ({ ...each, name, wave, groups })),
  );
  return {
    ...named,
    authority: authorityOf(settings, rows),
    waves: settings.waves.flatMap((each, index) =>
      waves.slice(index, index + 1).map(({ name, scheduled }) => ({ ...each, name, scheduled })),
    ),
    rows: joinedRows,
  };
}

function authorityOf(
  settings: FleetSettings,
  rows: readonly Pick<RowPlan, 'wave'>[],
): FleetAuthority | null {
  const { authority: start } = settings;
  if (start === undefined) return null;
  const waveOf = rows.map(({ wave }) => wave);
  return { start, levels: fleetLevels(settings, waveOf) };
}
