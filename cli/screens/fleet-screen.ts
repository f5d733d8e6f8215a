import { oneLine } from '../../domain/findings/plain-text.js';
import { flatTexts } from '../terminal/flat-texts.js';
import { entryOf } from '../../domain/findings/catalogue.js';
import type { RowPhase } from '../../domain/fleet/fleet-state.js';
import type { NeedYou } from '../../domain/fleet/need-you.js';
import { viewFleet, type FleetStanding, type FleetView } from '../../domain/fleet/fleet-view.js';
import type { RowGroup } from '../../domain/fleet/row-groups.js';
import type { FleetRunView } from '../fleets/fleet-run.js';
import type { Silence } from '../runs/ask-run.js';
import { tableLines, type TableColumn } from '../terminal/aligned-table.js';
import type { Theme } from '../terminal/theme.js';
import { forecastText } from './forecast-wording.js';
import { counted, shownCount, shownDuration, someNames } from '../terminal/wording.js';
import { typedCommand } from '../typed-command.js';
import {
  causeText,
  clockText,
  eventText,
  PHASE_WORDS,
  standingText,
  waitText,
} from '../terminal/fleet-wording.js';

export interface FleetScreenInput {
  readonly run: FleetRunView;
  /** Flags that name its server, for the commands that it shows. */
  readonly server: readonly string[];
  readonly nowMs: number;
  /** Columns; Infinity where output does not go to a screen. */
  readonly width: number;
  /** Most lines; the least urgent groups are left out. */
  readonly height: number;
}

/** As many lines as the smallest screen that people use has. */
export const FLEET_LINES = 50;

/** A fleet on one screen, however many clusters it has: who is needed, then where it is, then waves and groups. */
export function fleetScreen(given: FleetScreenInput, theme: Theme): readonly string[] {
  const { state, ...known } = given.run;
  const input = { ...given, run: { ...flatTexts(known), state } };
  const { run, height } = input;
  if (state === null) return silentLines(input, theme);
  const view = flatTexts(viewFleet(state, run.fleet));
  const top = [
    ...headline(input, view, theme),
    ...needLines(view.needs, input, theme),
    ...headerLines(input, view),
    ...tableLines(waveColumns(view, input.nowMs), { width: input.width, always: 2 }),
  ];
  const groups = groupLines(view, input, theme);
  const room = Math.max(1, height - top.length - 1);
  const shown = groups.length <= room ? groups : groups.slice(0, room - 1);
  const more = groups.length - shown.length;
  return [
    ...top,
    ...shown,
    ...(more === 0
      ? []
      : [
          `… ${counted(more, 'more group')}: ${typedCommand(['describe', run.fleet, ...input.server])}`,
        ]),
    ...nextLine(view, input, theme),
  ];
}

const STANDINGS: Readonly<
  Record<FleetStanding, readonly [mark: Parameters<Theme['mark']>[0], word: string]>
> = {
  progressing: ['running', 'Progressing'],
  held: ['held', 'Held'],
  waiting: ['waiting', 'Waiting'],
  paused: ['held', 'Paused'],
  frozen: ['held', 'Frozen'],
  stopping: ['running', 'Stopping'],
  stopped: ['held', 'Stopped'],
  done: ['ok', 'Ended'],
};

/** The word for a fleet's standing, for lists and logs. */
export function standingWord(run: FleetRunView): string {
  if (run.execution !== 'running' && run.execution !== 'completed') return ENDS[run.execution];
  return run.state === null
    ? silentStanding(run)
    : STANDINGS[viewFleet(run.state, run.fleet).standing][1];
}

function silentStanding({ silence }: FleetRunView): string {
  return silence?.code === 'CCM4020' ? 'NoServer' : 'NoAnswer';
}

const ENDS = {
  failed: 'Failed',
  cancelled: 'Cancelled',
  terminated: 'Terminated',
  timedOut: 'Failed',
} as const;

function headline(
  { run, nowMs }: FleetScreenInput,
  view: FleetView,
  theme: Theme,
): readonly string[] {
  const began = run.state?.beganMs ?? run.startedAtMs;
  const lasted = shownDuration((run.closedAtMs ?? nowMs) - began);
  const isCut = run.execution !== 'running' && run.execution !== 'completed';
  const [mark, word] = isCut
    ? (['failed', ENDS[run.execution]] as const)
    : STANDINGS[view.standing];
  const total = Object.values(view.counts).reduce((sum, count) => sum + count, 0);
  const proven = `${shownCount(view.counts.proven)}/${shownCount(total)} proven`;
  const needs = view.needs.length === 0 ? '' : ` · ${view.needs.length} need you`;
  const lines = [
    `${theme.paint('strong', run.fleet)}  ${theme.mark(mark)} ${word} · ${proven}${needs} · ${lasted}`,
  ];
  return isCut
    ? [
        ...lines,
        `${theme.mark('warning')} its run is gone: each cluster that was started ends by itself, and no other starts`,
      ]
    : lines;
}

const MOST_NEEDS = 8;

function needLines(
  needs: readonly NeedYou[],
  { nowMs, server }: FleetScreenInput,
  theme: Theme,
): readonly string[] {
  if (needs.length === 0) return [];
  const rest = needs.length - MOST_NEEDS;
  return [
    theme.paint('strong', 'NEED YOU'),
    ...needs.slice(0, MOST_NEEDS).flatMap((need) => {
      const since =
        need.sinceMs === null
          ? ''
          : ` · since ${clockText(need.sinceMs, nowMs)} (${shownDuration(nowMs - need.sinceMs)})`;
      const names = need.names.length < 2 ? '' : ` · ${someNames(need.names, 4)}`;
      const who = need.who === '' ? '' : ` · ${need.who}`;
      const others =
        need.others.length === 0 ? '' : `   or ${need.others.map((each) => each[0]).join(', ')}`;
      return [
        `  ${theme.mark(markOf(need))} ${need.subject}  ${need.why}${since}${who}${names}`,
        `    → ${typedCommand([...need.command, ...server])}${others}`,
      ];
    }),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ];
}

function markOf({ kind }: NeedYou): Parameters<Theme['mark']>[0] {
  return kind === 'failed' || kind === 'held' || kind === 'group' ? 'failed' : 'held';
}

function headerLines({ run, nowMs }: FleetScreenInput, view: FleetView): readonly string[] {
  const { state } = run;
  if (state === null) return [];
  const { moving, turning, inFlight, inFlightNow, unproven, unprovenLimit } = view.limits;
  const { burnt, atRisk, budget, caps, unlabelled } = view.limits;
  const slow = inFlightNow < inFlight ? ` (${inFlightNow} now: slow start)` : '';
  const back = turning === 0 ? '' : ` (${turning} roll back)`;
  const full = caps.filter(({ moving: own, others, cap }) => own + (others ?? 0) >= cap);
  const why = run.reason === '' ? '' : ` (${run.reason})`;
  const parts = [
    `${moving}/${inFlight} in flight${slow}${back}`,
    `${unproven}/${unprovenLimit} unproven`,
    `failure budget ${burnt}/${budget}${atRisk === 0 ? '' : `, ${atRisk} at risk`}`,
    ...full.map(fullCapText),
    ...(unlabelled === 0 ? [] : [`${counted(unlabelled, 'run')} of an older version in no cap`]),
  ];
  return [
    `By:        ${oneLine(state.requester)}${why} · revision ${state.revision} · began ${clockText(state.beganMs, nowMs)}`,
    `Limits:    ${parts.join(' · ')}`,
    `Rollback:  ${rollbackText(view)}`,
    ...forecastLines(run, nowMs),
  ];
}

function fullCapText({ group, moving, others, cap }: FleetView['limits']['caps'][number]): string {
  return `${group} ${moving}${others === null || others === 0 ? '' : ` and ${others} of others`}/${cap}`;
}

function forecastLines({ forecast = null }: FleetRunView, nowMs: number): readonly string[] {
  return forecast === null ? [] : [`Forecast:  ${forecastText(forecast, nowMs)}`];
}

function rollbackText({ reversible: { can, later, cannot, unknown } }: FleetView): string {
  const named = (names: readonly string[], words: string): string =>
    `${names.length} ${words}${names.length === 0 ? '' : ` (${someNames(names, 4)})`}`;
  const blocked = later.length === 0 ? '' : `${named(later, 'cannot now')} · `;
  return `${shownCount(can)} can · ${blocked}${named(cannot, 'cannot')}${unknown === 0 ? '' : ` · ${shownCount(unknown)} not known yet`}`;
}

const COLUMNS: readonly (readonly [string, readonly RowPhase[]])[] = [
  ['PROVEN', ['proven']],
  ['WAIT', ['waiting']],
  ['MOVING', ['active', 'stalled', 'parking']],
  ['HELD', ['parked']],
  ['FAILED', ['failed']],
  ['SOAK', ['soaking']],
  ['BACK', ['back']],
  ['SKIPPED', ['skipped']],
  ['STOPPED', ['stopped']],
];

/** A narrow screen drops columns from the right, never the wave and where it is. */
function waveColumns({ waves }: FleetView, nowMs: number): readonly TableColumn[] {
  return [
    { title: 'WAVE', cells: waves.map(({ name }) => name) },
    { title: 'STATE', cells: waves.map(({ standing }) => standingText(standing, nowMs)) },
    ...COLUMNS.map(([title, phases]) => ({
      title,
      cells: waves.map(({ counts }) => {
        const count = phases.reduce((sum, phase) => sum + counts[phase], 0);
        return count === 0 ? '-' : shownCount(count);
      }),
    })),
  ];
}

/** What is under way or wrong first; what is over last. */
const ORDER: readonly RowPhase[] = [
  ...(['failed', 'parked', 'parking', 'stalled', 'active', 'soaking', 'waiting'] as const),
  ...(['stopped', 'back', 'skipped', 'proven'] as const),
];

const MARKS: Readonly<Record<RowPhase, Parameters<Theme['mark']>[0]>> = {
  ...{ waiting: 'waiting', active: 'running', stalled: 'warning', parking: 'running' },
  ...{ parked: 'held', soaking: 'running', proven: 'ok', failed: 'failed' },
  ...{ back: 'ok', stopped: 'held', skipped: 'waiting' },
};

function groupLines(view: FleetView, input: FleetScreenInput, theme: Theme): readonly string[] {
  const sorted = [...view.groups].sort(
    (a, b) => ORDER.indexOf(a.phase) - ORDER.indexOf(b.phase) || b.names.length - a.names.length,
  );
  const named = view.waves.length > 1;
  return sorted.map((group) => {
    const wave = named ? `${view.waves[group.wave]?.name ?? ''}: ` : '';
    return `${theme.mark(MARKS[isQueued(group) ? 'waiting' : group.phase])} ${wave}${groupText(group, input.nowMs)}`;
  });
}

function phaseWord(group: RowGroup): string {
  return isQueued(group) ? 'queued' : PHASE_WORDS[group.phase];
}

/** It has begun, and waits for its guard. */
function isQueued({ phase, cause }: RowGroup): boolean {
  return phase === 'stalled' && cause === 'queued';
}

/** `4 soaking · eu-1, eu-2 …`, `11 waiting for unproven 20/20`. */
function groupText(group: RowGroup, nowMs: number, most = 4): string {
  const { phase, names, waitsFor, target, rollbackQueued, rehearses } = group;
  const back = target === 'kcm' && phase === 'active' ? ' back' : '';
  const queued = rollbackQueued ? ', to be rolled back' : '';
  const only = rehearses ? ', rehearsing' : '';
  const why = waitsFor === null ? causeText(group) : `waits for ${waitText(waitsFor, nowMs)}`;
  // Those that are proven are of interest by their number alone.
  const isMany = phase === 'proven' && names.length > most;
  return [
    `${shownCount(names.length)} ${phaseWord(group)}${back}${queued}${only}`,
    ...(why === '' ? [] : [why]),
    ...(isMany ? [] : [someNames(names, most)]),
  ].join(' · ');
}

function nextLine(
  view: FleetView,
  { nowMs, server }: FleetScreenInput,
  theme: Theme,
): readonly string[] {
  const [need] = view.needs;
  if (need !== undefined) return [`Next: ${typedCommand([...need.command, ...server])}`];
  if (view.next === null) return [];
  return [theme.paint('quiet', `Then: ${eventText(view.next, nowMs)}`)];
}

/** No worker answers: nothing is claimed about clusters that no one reports. */
function silentLines({ run, nowMs, server }: FleetScreenInput, theme: Theme): readonly string[] {
  const { code, detail } = run.silence ?? ({ code: 'CCM4018', detail: '' } as const);
  const why = run.reason === '' ? '' : ` (${run.reason})`;
  // Of one that has ended only its last execution is known, which says nothing of how long it took.
  const since = run.closedAtMs === null ? ` · ${shownDuration(nowMs - run.startedAtMs)}` : '';
  return [
    `${theme.paint('strong', run.fleet)}  ${theme.mark('warning')} ${silentWord(run)}${since}`,
    `By:    ${run.actor}${why}`,
    run.closedAtMs === null
      ? `State: ${code} ${entryOf(code).title}; ${GOES_ON[code] ?? GOES_ON_ALONE}`
      : `State: it has ended; its clusters can only be shown by workers of its last build, which do not answer (${code})`,
    ...(detail === '' ? [] : [`Why:   ${oneLine(detail)}`]),
    ...visibleLines(run),
    `Next: ${typedCommand(run.closedAtMs === null ? ['explain', code] : ['audit', 'export', run.fleet, '--out', `${run.fleet}.json`, ...server])}`,
  ];
}

const GOES_ON_ALONE = 'the clusters that were started go on by themselves';

/** Without the server nothing goes on, and nothing is lost. */
const GOES_ON: Readonly<Partial<Record<Silence['code'], string>>> = {
  CCM4020: 'no cluster is changed further until it answers, and then all go on where they were',
};

/** What the server knows without a worker. */
function silentWord(run: FleetRunView): string {
  if (run.execution === 'running') return silentStanding(run);
  return run.execution === 'completed' ? 'Ended' : standingWord(run);
}

/** Marked as what it is: it lags, and knows neither waves nor what waits. */
function visibleLines({ visible }: FleetRunView): readonly string[] {
  if (visible === undefined || visible === null) return [];
  const { phases, untaken, paused, outcomes, withoutOutcome } = visible;
  const open = [...countTexts(phases), ...(untaken === 0 ? [] : [`${untaken} not taken yet`])];
  const closed = [
    ...countTexts(outcomes),
    ...(withoutOutcome === 0 ? [] : [`${withoutOutcome} without outcome`]),
  ];
  const held = paused === 0 ? '' : ` (${shownCount(paused)} paused)`;
  return [
    "Runs:  by the server's search index, which lags; clusters that wait are not in it",
    `       open    ${open.length === 0 ? '0' : open.join(' · ')}${held}`,
    `       closed  ${closed.length === 0 ? '0' : closed.join(' · ')}`,
  ];
}

function countTexts(counts: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(counts).map(([word, count]) => `${shownCount(count)} ${word}`);
}
