import { type SearchAttributeUpdatePair, defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { FleetMigrationInput } from '../../activities/fleet-input.js';
import { PHASES, type FleetState, type RowPhase } from '../../domain/fleet/fleet-state.js';
import { countIn, type RowTally } from '../../domain/fleet/row-index.js';
import type { FleetOutcome } from '../messages/fleet-messages.js';
import type { LiveFleet } from './live-fleet.js';

const FLEET = defineSearchAttributeKey('Fleet', 'KEYWORD');
const PHASE = defineSearchAttributeKey('Phase', 'KEYWORD');
const OUTCOME = defineSearchAttributeKey('Outcome', 'KEYWORD');
const PAUSED = defineSearchAttributeKey('Paused', 'BOOL');

export interface FleetDisplay {
  readonly show: (problems: readonly string[]) => void;
  readonly showEnd: (outcome: FleetOutcome) => void;
}

/** Shows a fleet to those who ask the server; search attributes only when they change, because each upsert is an event. */
export function createFleetDisplay(
  { fleet: name }: FleetMigrationInput,
  fleet: LiveFleet,
): FleetDisplay {
  let paused: boolean | null = null;
  return {
    show: (problems) => {
      setCurrentDetails(details(fleet, problems));
      const isPaused = fleet.state.brakes.some(({ scope }) => scope.kind === 'fleet');
      if (isPaused === paused) return;
      const identity: SearchAttributeUpdatePair[] =
        paused === null
          ? [
              { key: FLEET, value: name },
              { key: PHASE, value: 'progressing' },
            ]
          : [];
      paused = isPaused;
      upsertSearchAttributes([...identity, { key: PAUSED, value: isPaused }]);
    },
    showEnd: ({ kind }) => {
      upsertSearchAttributes([
        { key: PHASE, value: 'ended' },
        { key: OUTCOME, value: kind },
      ]);
    },
  };
}

/** How many rows are in each phase that has any. */
export function countPhases({ rows }: FleetState): Readonly<Record<string, number>> {
  const counts = PHASES.map((phase) => [phase, countIn(rows, IN_PHASES, phase)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const IN_PHASES: RowTally<RowPhase> = { name: 'in phases', keysOf: ({ phase }) => [phase] };

/** Markdown for the Temporal UI. */
function details(
  { state, unservedRegions, unreached }: LiveFleet,
  problems: readonly string[],
): string {
  const counts = Object.entries(countPhases(state)).map(([phase, count]) => `${count} ${phase}`);
  const wave = state.waves.find(({ over }) => !over)?.name ?? 'last pass';
  return [
    `**${wave}** ${counts.join(', ')}`,
    ...state.brakes.map(({ kind, actor, reason }) => `- ${kind} by ${actor}: ${reason}`),
    ...state.groupHolds.map(({ group, signature }) => `- ${group} is held: ${signature}`),
    ...unservedRegions.map((region) => `- no worker serves region ${region}`),
    ...untold(unreached.length),
    ...problems.map((problem) => `- ${problem}`),
  ].join('\n\n');
}

function untold(count: number): readonly string[] {
  return count === 0 ? [] : [`- runs that could not be told, and are told again: ${count}`];
}
