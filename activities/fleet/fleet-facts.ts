import type { Envelope } from '../../domain/authority/signed-envelope.js';
import {
  type DemandingWave,
  type SignedTree,
  treeAsSigned,
} from '../../domain/authority/member-leaves.js';
import { readStatement } from '../../domain/authority/statement.js';
import type { RowPlan, WavePlan } from '../../domain/fleet/fleet-plan.js';
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

export interface FleetAuthority extends SignedTree {
  readonly start: Envelope;
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
  if (given !== null) return joined({ fleet, ticket }, given, given.plan);
  if (carried === null) throw failure('InvalidInput', `${fleet}: its input has no plan`);
  const { texts, waves, revision } = carried.state;
  const rows = carried.state.rows.map(([name, groups, [wave]]) => ({
    ...{ name, wave, groups: groups.flatMap((each) => texts.slice(each, each + 1)) },
  }));
  return joined({ fleet, ticket }, carried, { waves, rows, revision });
}

interface Planned {
  readonly waves: readonly (DemandingWave & Pick<WavePlan, 'name' | 'scheduled'>)[];
  readonly rows: readonly Pick<RowPlan, 'name' | 'wave' | 'groups'>[];
  readonly revision: number;
}

function joined(
  named: Pick<FleetFacts, 'fleet' | 'ticket'>,
  settings: FleetSettings,
  planned: Planned,
): FleetFacts {
  const { waves, rows } = planned;
  const joinedRows = settings.members.flatMap((each, index) =>
    rows.slice(index, index + 1).map(({ name, wave, groups }) => ({ ...each, name, wave, groups })),
  );
  return {
    ...named,
    authority: authorityOf(settings, planned),
    waves: settings.waves.flatMap((each, index) =>
      waves.slice(index, index + 1).map(({ name, scheduled }) => ({ ...each, name, scheduled })),
    ),
    rows: joinedRows,
  };
}

function authorityOf(settings: FleetSettings, planned: Planned): FleetAuthority | null {
  const { authority: start } = settings;
  if (start === undefined) return null;
  return { start, ...treeAsSigned(settings, planned, membersOf(start)) };
}

/** As the statement names them, checked by the workers that change clusters. */
function membersOf({ payload }: Envelope): string {
  return readStatement(Buffer.from(payload, 'base64').toString())?.members ?? '';
}
