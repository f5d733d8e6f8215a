import { type SearchAttributeUpdatePair, defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { isPaused } from '../domain/run/alert-pauses.js';
import { turnsAtMs } from '../domain/run/turn-time.js';
import { stepSubject } from '../domain/run/run-findings.js';
import type { RunState } from '../domain/run/run-state.js';
import { nextActions } from '../domain/run/next-actions.js';
import { doingKey, phaseOf } from '../domain/run/run-status.js';
import { shownHold } from '../domain/run/shown-hold.js';
import type { ClusterMigrationInput, RunSince } from './messages.js';

const FLEET = defineSearchAttributeKey('Fleet', 'KEYWORD');
const WAVE = defineSearchAttributeKey('Wave', 'KEYWORD');
const CLUSTER = defineSearchAttributeKey('Cluster', 'KEYWORD');
const REGION = defineSearchAttributeKey('Region', 'KEYWORD');
const PHASE = defineSearchAttributeKey('Phase', 'KEYWORD');
const OUTCOME = defineSearchAttributeKey('Outcome', 'KEYWORD');
const PAUSED = defineSearchAttributeKey('Paused', 'BOOL');

/** A run as shown: its status, and since when it has been in its current activity. */
export interface ShownRun {
  state: RunState;
  since: RunSince | null;
}

/** Publishes the status of a run; search attributes only when they change, because each upsert is an event. */
export function createStatusPublisher(input: ClusterMigrationInput, run: ShownRun): () => void {
  let phase = '';
  let paused = false;
  return () => {
    const { state } = run;
    const doing = doingKey(state);
    if (run.since?.doing !== doing) run.since = { doing, atMs: Date.now() };
    setCurrentDetails(details(state));
    const next = phaseOf(state);
    const isHeld = isPaused(state);
    const pairs: SearchAttributeUpdatePair[] = [
      ...(phase === '' ? identity(input) : []),
      ...(next === phase ? [] : [{ key: PHASE, value: next }]),
      ...(isHeld === paused && phase !== '' ? [] : [{ key: PAUSED, value: isHeld }]),
      ...(state.inFlight.kind === 'ended'
        ? [{ key: OUTCOME, value: state.inFlight.outcome.kind }]
        : []),
    ];
    phase = next;
    paused = isHeld;
    if (pairs.length > 0) upsertSearchAttributes(pairs);
  };
}

function identity({
  fleet,
  wave,
  cluster,
  region,
}: ClusterMigrationInput): SearchAttributeUpdatePair[] {
  return [
    { key: FLEET, value: fleet },
    { key: WAVE, value: wave },
    { key: CLUSTER, value: cluster.name },
    { key: REGION, value: region },
  ];
}

/** Markdown for the Temporal UI. */
function details(state: RunState): string {
  const { inFlight, direction, done, fence } = state;
  const { advice, commands } = nextActions(state);
  const doing = inFlight.kind === 'stepping' ? stepSubject(inFlight.planned.step) : inFlight.kind;
  return [
    `**${doing}** target ${direction.target.toUpperCase()} (${direction.reason}), epoch ${String(fence.epoch)}, ${String(done.steps.length)} steps done`,
    ...(shownHold(state)?.findings ?? []).map(
      ({ code, subject, seen }) => `- ${code} ${subject}: ${seen}`,
    ),
    ...(advice === '' ? [] : [advice]),
    ...turning(turnsAtMs(state)),
    `Next: ${commands.map((each) => `\`${each}\``).join(' or ')}`,
  ].join('\n\n');
}

function turning(atMs: number | null): readonly string[] {
  if (atMs === null) return [];
  return [`It rolls back at ${new Date(atMs).toISOString()} unless a person decides.`];
}
