import { awaitedWord } from '../../domain/fleet/awaited-word.js';
import { flatTexts } from '../terminal/flat-texts.js';
import type { FleetState, Row, Wave } from '../../domain/fleet/fleet-state.js';
import { shownStanding } from '../../domain/fleet/fleet-view.js';
import { headroomOf } from '../../domain/fleet/headroom.js';
import { shownCause } from '../../domain/fleet/row-groups.js';
import { waitReasonWith } from '../../domain/fleet/wait-reasons.js';
import { tableLines } from '../terminal/aligned-table.js';
import {
  clockText,
  causeText,
  PHASE_WORDS,
  phasesText,
  standingText,
  waitText,
} from '../terminal/fleet-wording.js';
import type { Theme } from '../terminal/theme.js';
import { typedCommand } from '../typed-command.js';

interface ListedCluster {
  readonly name: string;
  readonly wave: string;
  readonly phase: Row['phase'];
  readonly target: Row['target'];
  readonly canary: boolean;
  readonly labels: readonly string[];
  readonly sinceMs: number;
  readonly cause: Row['cause'];
  readonly signature: string;
  readonly waitsFor: string | null;
  readonly waitText: string;
  readonly reversibility: Row['reversibility'];
}

/** Each cluster with what it waits for. */
export function listedClusters(
  state: FleetState,
  rows: readonly Row[],
  nowMs: number,
): readonly ListedCluster[] {
  const headroom = headroomOf(state);
  return rows.map((row) => {
    const reason = waitReasonWith(state, headroom, row);
    const { name, phase, target, canary, sinceMs, signature, reversibility } = row;
    return {
      ...{ name, phase, target, canary, sinceMs, signature, reversibility },
      cause: shownCause(row),
      wave: state.waves[row.wave]?.name ?? '',
      labels: row.groups,
      waitsFor: reason?.kind ?? null,
      waitText: reason === null ? '' : waitText(reason, nowMs),
    };
  });
}

/** A narrow screen drops columns from the right, never the first three. */
export function clusterTable(
  given: readonly ListedCluster[],
  { nowMs, width }: { readonly nowMs: number; readonly width: number },
): readonly string[] {
  const clusters = flatTexts(given);
  const column = (title: string, cell: (each: ListedCluster) => string) => ({
    title,
    cells: clusters.map(cell),
  });
  return tableLines(
    [
      column('CLUSTER', ({ name }) => name),
      column('STATE', ({ phase }) => PHASE_WORDS[phase]),
      column('WAVE', ({ wave, canary }) => (canary ? `${wave} (canary)` : wave)),
      column('SINCE', ({ sinceMs }) => clockText(sinceMs, nowMs)),
      column('INFO', infoText),
      column('ROLLBACK', ({ reversibility }) => reversibility),
      column('LABELS', ({ labels }) => labels.join(',')),
    ],
    { width, always: 3 },
  );
}

function infoText({ waitText: waits, signature, cause }: ListedCluster): string {
  if (waits !== '') return `waits for ${waits}`;
  return causeText({ cause, signature }) || '-';
}

export function waveTable(
  state: FleetState,
  { nowMs, width }: { readonly nowMs: number; readonly width: number },
): readonly string[] {
  const { waves, rows } = state;
  return tableLines(
    [
      { title: 'WAVE', cells: waves.map(({ name }) => name) },
      {
        title: 'STATE',
        cells: waves.map((wave) => standingText(shownStanding(state, wave), nowMs)),
      },
      {
        title: 'CLUSTERS',
        cells: waves.map(({ index }) => phasesText(rows.filter(({ wave }) => wave === index))),
      },
    ],
    { width, always: 2 },
  );
}

/** What each wave asks of whom, and who gave it when; approvals that expired do not count. */
export function approvalLines(
  state: FleetState,
  theme: Theme,
  { nowMs, server }: { readonly nowMs: number; readonly server: readonly string[] },
): readonly string[] {
  const lines = state.waves.flatMap((wave) =>
    (['before', 'after'] as const).flatMap((when) =>
      approvalLine(state, flatTexts(wave), when, theme, nowMs),
    ),
  );
  const all = [...lines, ...runApprovalLines(state, theme, server)];
  return all.length === 0 ? ['no wave asks for an approval, and no cluster waits for one'] : all;
}

/** A handover that its policy lets no run begin without an approval: given to the run, not to the fleet. */
function runApprovalLines(
  { rows, waves, requester }: FleetState,
  theme: Theme,
  server: readonly string[],
): readonly string[] {
  return rows
    .filter((row) => awaitedWord(row) === 'approval')
    .map(
      ({ name, wave }) =>
        `${theme.mark('waiting')} ${name} in wave ${waves[wave]?.name ?? ''}: its handover (anyone but ${requester}) · ${typedCommand(['approve', name, ...server])}`,
    );
}

function approvalLine(
  { policy, requester }: FleetState,
  wave: Wave,
  when: 'before' | 'after',
  theme: Theme,
  nowMs: number,
): readonly string[] {
  const quorum = wave.approvals[when];
  if (quorum === 0) return [];
  const all = when === 'before' ? wave.approvedBefore : wave.approvedAfter;
  const given = all.filter(({ atMs }) => nowMs < atMs + policy.approvalExpiryMs);
  const of = wave.approvers === null ? `anyone but ${requester}` : wave.approvers.join(', ');
  const by = given.map(({ actor, atMs }) => `${actor} ${clockText(atMs, nowMs)}`).join(', ');
  const rejected =
    wave.rejected === null ? '' : ` · rejected by ${wave.rejected.actor}: ${wave.rejected.reason}`;
  const mark = theme.mark(given.length >= quorum ? 'ok' : 'waiting');
  return [
    `${mark} wave ${wave.name} ${when}: ${given.length} of ${quorum} (${of})${by === '' ? '' : ` · ${by}`}${rejected}`,
  ];
}

const MOST_ANSWERS = 20;

/** Who told the fleet what, newest first. */
export function commandLines({ answers }: FleetState, nowMs: number): readonly string[] {
  const all = flatTexts(Object.values(answers)).sort((a, b) => b.atMs - a.atMs);
  if (all.length === 0) return [];
  return [
    'Commands:',
    ...all
      .slice(0, MOST_ANSWERS)
      .map(
        ({ verb, actor, atMs, state, detail }) =>
          `  ${clockText(atMs, nowMs)} ${actor}: ${verb} ${state}: ${detail}`,
      ),
  ];
}
