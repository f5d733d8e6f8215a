import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { API_VERSION } from '../../config/kinds/envelope.js';
import { plainJson } from '../../domain/findings/plain-text.js';
import type { ClusterStatus } from '../../workflows/messages.js';
import type { Cli } from '../cli.js';
import { isText, screen, startStream } from '../cli.js';
import { CliError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { patientReads } from '../runs/patient-reads.js';
import type { RunView } from '../runs/run-view.js';
import { viewRun } from '../runs/run-view.js';
import { sameServer } from '../typed-command.js';
import { createPainter } from './painter.js';
import { runTree, transitions } from './run-tree.js';

export interface FollowOptions {
  readonly until: WatchUntil;
  /** Epoch ms; null waits without limit. */
  readonly deadlineMs: number | null;
  /** More rows for the header of the tree, re-read at each refresh. */
  readonly extra?: (view: RunView) => Promise<readonly (readonly [string, string])[]>;
}

export interface Followed {
  readonly exitStatus: ExitStatus;
  readonly view: RunView;
  /** The last status that a worker reported; the run's final status, when a worker still answers. */
  readonly status: ClusterStatus | null;
}

const POLL_EVERY_MS = 500;
const SIGN_OF_LIFE_MS = 60_000;

/**
 * Watches a run until it reaches the requested state: on a screen as a repainted tree, elsewhere as one line per
 * transition.
 */
export async function followRun(
  cli: Cli,
  client: Client,
  workflowId: string,
  options: FollowOptions,
): Promise<Followed> {
  const show = cli.output === 'jsonl' ? records(cli) : isText(cli) ? people(cli) : () => undefined;
  let before: RunView | null = null;
  let status: ClusterStatus | null = null;
  const observed = statusReads(cli, client, workflowId);
  for (;;) {
    const view = await observed();
    status = view.status ?? status;
    const extra = (await options.extra?.(view)) ?? [];
    show({ view, status, extra, before });
    const exitStatus =
      exitStatusFor(view, options.until) ?? (isOver(options, cli) ? lateness(cli) : null);
    if (exitStatus !== null) return { exitStatus, view, status };
    before = view;
    await sleep(POLL_EVERY_MS, undefined, { signal: cli.signal }).catch(() => undefined);
  }
}

/** What is read at each observation; a server that is away is waited for. */
function statusReads(cli: Cli, client: Client, workflowId: string): () => Promise<RunView> {
  const read = async (): Promise<RunView> => {
    try {
      return await viewRun(client, workflowId);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw gone(workflowId);
      throw error;
    }
  };
  return patientReads(cli, read, (last, silence) => ({
    ...last,
    ...{ status: null, silence, contact: null },
  }));
}

function gone(workflowId: string): CliError {
  const what = `the server knows no run ${workflowId} any more`;
  return new CliError('CCM4022', what, { exitStatus: 'failed' });
}

function isOver({ deadlineMs }: FollowOptions, { signal }: Cli): boolean {
  return signal.aborted || (deadlineMs !== null && Date.now() >= deadlineMs);
}

function lateness({ signal }: Cli): ExitStatus {
  return signal.aborted ? 'interrupted' : 'timedOut';
}

interface Shown {
  readonly view: RunView;
  readonly status: ClusterStatus | null;
  readonly extra: readonly (readonly [string, string])[];
  readonly before: RunView | null;
}

function people(cli: Cli): (shown: Shown) => void {
  if (!cli.terminal.outIsScreen) return logLines(cli);
  const painter = createPainter(cli.terminal);
  const server = sameServer(cli.options);
  return ({ view, status, extra }) => {
    const input = { view, status, nowMs: Date.now(), extra, server, ...screen(cli) };
    painter.paint(runTree(input, cli.theme));
  };
}

/** One line per transition, and a sign of life each minute, so that a log never looks hung. */
function logLines({ terminal, theme, options }: Cli): (shown: Shown) => void {
  const server = sameServer(options);
  let lastLineMs = Date.now();
  let told: RunView['status'] = null;
  return ({ view, before, extra }) => {
    const lines = [...transitions(before, view, theme, told, server)];
    told = view.status ?? told;
    if (lines.length === 0 && Date.now() - lastLineMs >= SIGN_OF_LIFE_MS) lines.push('no change');
    if (lines.length === 0) return;
    lastLineMs = Date.now();
    const suffix = extra.map(([name, text]) => `${name.toLowerCase()} ${text}`).join(' · ');
    const tail = suffix === '' ? '' : `  [${suffix}]`;
    const at = new Date().toISOString();
    terminal.out(lines.map((line, index) => `${at} ${line}${index === 0 ? tail : ''}\n`).join(''));
  };
}

/** One record for each observation that differs from the one before. */
function records(cli: Cli): (shown: Shown) => void {
  startStream(cli);
  let before = '';
  return ({ view }) => {
    const text = plainJson({ apiVersion: API_VERSION, kind: 'RunStatus', ...view });
    if (text !== before) cli.terminal.out(`${text}\n`);
    before = text;
  };
}

/** What a watch waits for. `settled`: the run has ended, or waits for an operator. */
export type WatchUntil = 'settled' | 'ended' | 'done' | 'rolledBack' | 'paused' | 'held';

export const GOALS: readonly WatchUntil[] = [
  'settled',
  'ended',
  'done',
  'rolledBack',
  'paused',
  'held',
];

/** How a watch ends with this observation; null while there is more to wait for. */
export function exitStatusFor(view: RunView, goal: WatchUntil): ExitStatus | null {
  if (view.execution !== 'running') return endOf(view, goal);
  const { status } = view;
  if (status === null) return endOfSilence(view, goal);
  if (goal === 'paused' && status.pause === 'paused') return 'reached';
  const stands = standsStill(view);
  if (goal === 'held' && (stands || status.holdReason !== 'none')) return 'reached';
  return stands && goal !== 'ended' ? standingAs(status) : null;
}

/** A worker that returns cures silence; one that runs another build does not. */
function endOfSilence({ silence }: RunView, goal: WatchUntil): ExitStatus | null {
  return silence?.code === 'CCM4029' && goal !== 'ended' ? 'halted' : null;
}

/** A gate without data is distinguished from one that failed: measuring again may be enough. */
function standingAs({ holdReason, gates }: ClusterStatus): ExitStatus {
  const unjudged = gates.length > 0 && gates.every(({ verdict }) => verdict !== 'fail');
  return holdReason === 'gates' && unjudged ? 'inconclusive' : 'halted';
}

/** Waits until an operator acts. An approval is expected, and a hold caused by the environment ends without one. */
function standsStill({ status }: RunView): boolean {
  return status !== null && STANDS_STILL[status.holdReason] && status.whoActs !== 'environment';
}

const STANDS_STILL: Readonly<Record<ClusterStatus['holdReason'], boolean>> = {
  failure: true,
  fatal: true,
  repeats: true,
  gates: true,
  rejected: true,
  unserved: false,
  approval: false,
  blocked: false,
  none: false,
};

/** Whether the end of a migration is what was waited for: a run that has ended will never be paused or held. */
const ENDS_AS_DONE: Readonly<Record<WatchUntil, boolean>> = {
  settled: true,
  ended: true,
  done: true,
  rolledBack: false,
  paused: false,
  held: false,
};

function endOf({ outcome, outcomeUnread }: RunView, goal: WatchUntil): ExitStatus {
  if (outcome === null) return outcomeUnread === '' ? 'halted' : 'inconclusive';
  switch (outcome.kind) {
    case 'done':
      return ENDS_AS_DONE[goal] ? 'reached' : 'halted';
    case 'rolledBack':
      return goal === 'rolledBack' || goal === 'ended' ? 'reached' : 'rolledBack';
    case 'refused':
      return 'refused';
    case 'stopped':
    case 'failed':
      return 'halted';
  }
}
