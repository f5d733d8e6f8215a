import type { ClusterStatus } from '../../workflows/messages.js';
import type { OwnershipFigures } from '../../domain/ownership-trace.js';
import type { Owner } from '../../domain/vocabulary.js';
import type { RunView } from '../runs/run-view.js';
import { typable } from '../runs/typable.js';
import { counted } from '../terminal/counted.js';
import { shownDuration } from '../terminal/duration.js';
import { stepTitle } from '../terminal/step-title.js';
import type { Theme } from '../terminal/theme.js';
import { headline } from './headline.js';
import { wrapped } from './wrapped.js';

export type Row = readonly [name: string, text: string];

export interface HeaderInput {
  readonly view: RunView;
  /** The status last known. */
  readonly status: ClusterStatus | null;
  readonly nowMs: number;
  readonly extra: readonly Row[];
  /** Also what each step did, as its proof says. */
  readonly detailed?: boolean;
  /** Columns of the screen; absent where nobody looks at one. */
  readonly width?: number;
}

/** What a run is, its state first; rows that are wider than the screen go on below, in their own column. */
export function header(input: HeaderInput, theme: Theme): readonly string[] {
  const { view, status, nowMs, extra } = input;
  const rows: readonly Row[] = [
    ...(status === null ? [] : statusRows(status)),
    ...leaderRows(input),
    ...outageRows(view, nowMs),
    ...(status === null || view.outcome !== null ? [] : waitRows(status, view)),
    ...outcomeRows(view),
    ...extra,
    ['Run', runWords(view)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 1;
  return [
    `${theme.paint('strong', view.cluster)}  ${headline(view, theme, nowMs)}`,
    ...rows.flatMap(([name, text]) =>
      wrapped(text, (input.width ?? Infinity) - width - 1).map(
        (line, index) => `${(index === 0 ? `${name}:` : '').padEnd(width)} ${line}`,
      ),
    ),
  ];
}

function statusRows(status: ClusterStatus): readonly Row[] {
  const { target, mandate, phase, step, nextStep, stepsDone } = status;
  const done = `${counted(stepsDone.length, 'step')} done`;
  const going = step === null ? null : stepTitle(step);
  const coming = nextStep === null ? '' : `, next ${stepTitle(nextStep)}`;
  const asked = mandate.reason === '' ? mandate.actor : `${mandate.actor}: ${mandate.reason}`;
  return [
    ['Target', `${target.toUpperCase()} · asked for by ${asked}`],
    ['Phase', `${phase} · ${going ?? `no step under way${coming}`} · ${done}`],
  ];
}

/** Who leads is said with its age, and nothing is said of a time that nobody saw. */
function leaderRows({ view, status, nowMs }: HeaderInput): readonly Row[] {
  const { contact, outcome } = view;
  if (outcome !== null) {
    return outcome.guard === null ? [] : [['Leader', `${figures(outcome.guard)}, by the guard`]];
  }
  if (contact === null) return [];
  const { seen, outage } = contact;
  if (seen === null) {
    const owner = status?.owner ?? 'unknown';
    const known = owner === 'unknown' ? 'not known yet' : ownerWords(owner, []);
    return [['Leader', `${known} · the guard has seen nothing yet`]];
  }
  const age = shownDuration(nowMs - seen.atMs);
  const who = ownerWords(seen.owner, seen.nodes);
  const now =
    outage === null
      ? `${who}, seen ${age} ago`
      : `not known since ${clock(seen.atMs)} (${age}); then ${who}`;
  return [['Leader', `${now} · ${figures(seen.ownership)}`]];
}

const OWNERS: Readonly<Record<Owner, string>> = {
  kcm: 'KCM',
  ccm: 'CCM',
  none: 'none',
  both: 'KCM and CCM at once',
  unknown: 'not known',
};

export function ownerWords(owner: Owner, nodes: readonly string[]): string {
  return nodes.length === 0 ? OWNERS[owner] : `${OWNERS[owner]} on ${nodes.join(', ')}`;
}

/** What the guard counted. What it could not see is said only where there is some. */
export function figures(seen: OwnershipFigures): string {
  const { overlapSeconds, orphanSeconds, unknownSeconds, moves } = seen;
  const unknown =
    unknownSeconds > 0 ? `, not known for ${shownDuration(unknownSeconds * 1000)}` : '';
  return (
    `${counted(moves, 'move')}, two leaders for ${shownDuration(overlapSeconds * 1000)}, ` +
    `none for ${shownDuration(orphanSeconds * 1000)}${unknown}`
  );
}

function outageRows({ contact }: RunView, nowMs: number): readonly Row[] {
  if (contact === null) return [];
  const { outage, seen } = contact;
  const away = seen?.away ?? [];
  const nodes: readonly Row[] =
    away.length > 0 && outage === null ? [['Nodes', `no answer from ${away.join(', ')}`]] : [];
  if (outage === null) return nodes;
  const { sinceMs, tries, error, nextTryAtMs } = outage;
  const next =
    nextTryAtMs === null || nextTryAtMs <= nowMs
      ? ''
      : `, next in ${shownDuration(nextTryAtMs - nowMs)}`;
  const since = `since ${clock(sinceMs)} (${shownDuration(nowMs - sinceMs)})`;
  const tried = tries === 1 ? '1 try' : `${String(tries)} tries`;
  return [['Cluster', `unreachable ${since}, ${tried}${next}: ${error}`]];
}

function waitRows(status: ClusterStatus, view: RunView): readonly Row[] {
  const { advice, nextCommand, otherCommands, reversibility } = status;
  return [
    ...(advice === '' ? [] : ([['Waits', advice]] as const)),
    ['Rollback', reversibility],
    ...commandRows(nextCommand, otherCommands, view),
  ];
}

function commandRows(next: string, others: readonly string[], view: RunView): readonly Row[] {
  if (next === '') return [];
  return [
    ['Next', typable(next, view)],
    ...others.map((other) => ['or', typable(other, view)] as const),
  ];
}

function outcomeRows(view: RunView): readonly Row[] {
  if (view.outcome === null) return [];
  const { summary, clusterState, reversibility, nextCommand, otherCommands } = view.outcome;
  return [
    ['Outcome', summary],
    ['Cluster', clusterState],
    ['Rollback', reversibility],
    ...commandRows(nextCommand, otherCommands, view),
  ];
}

function runWords({ workflowId, startedAtMs, actor, reason }: RunView): string {
  const by = actor === '' ? '' : ` by ${actor}`;
  const why = reason === '' ? '' : ` (${reason})`;
  return `${workflowId} · started ${clock(startedAtMs)}${by}${why}`;
}

/** Times of day are UTC, as everywhere in logs of Kubernetes. */
function clock(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}
