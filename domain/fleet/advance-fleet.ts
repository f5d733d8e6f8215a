import { admit } from './admit-rows.js';
import { applyCommand } from './fleet-commands.js';
import type { FleetEvent, FleetTransition } from './fleet-events.js';
import type { FleetState } from './fleet-state.js';
import { applyReport, applySweep } from './member-reports.js';
import { unchanged } from './fleet-rows.js';
import { withOthers } from './other-runs.js';
import { applyStartAnswer } from './start-answers.js';
import { parkOverdue } from './timed.js';
import { withWaves } from './waves.js';

/**
 * The rule of a fleet as a pure function: an event comes in, the actions on its members come out. The workflow, the forecast,
 * what-if, rehearsals and benchmarks run this same code. Time comes from events only and never goes back.
 */
export function advanceFleet(state: FleetState, event: FleetEvent): FleetTransition {
  const now: FleetState = { ...state, nowMs: Math.max(state.nowMs, event.atMs) };
  const applied = apply(now, event);
  const parked = parkOverdue(applied.state);
  const admitted = admit(withWaves(parked.state));
  return {
    state: admitted.state,
    actions: [...applied.actions, ...parked.actions, ...admitted.actions],
  };
}

function apply(state: FleetState, event: FleetEvent): FleetTransition {
  switch (event.kind) {
    case 'report':
      return applyReport(state, event.report);
    case 'startAnswered':
      return applyStartAnswer(state, event);
    case 'swept':
      return applySweep(state, event);
    case 'command':
      return applyCommand(state, event.command, event.automation);
    case 'tick':
      return unchanged(state);
    case 'opening':
      return unchanged(withOpenings(state, event));
    case 'otherRuns':
      return unchanged(withCounts(state, event));
  }
}

function withCounts(
  state: FleetState,
  { revision, askedAtMs, counts, unlabelled }: Extract<FleetEvent, { kind: 'otherRuns' }>,
): FleetState {
  if (revision !== state.revision) return state;
  const otherRuns = withOthers(state.otherRuns, { atMs: askedAtMs, counts, unlabelled });
  return { ...state, otherRuns };
}

function withOpenings(
  state: FleetState,
  { wave: index, openings }: Extract<FleetEvent, { kind: 'opening' }>,
): FleetState {
  const waves = state.waves.map((wave) => (wave.index === index ? { ...wave, openings } : wave));
  return { ...state, waves };
}
