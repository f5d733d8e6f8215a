import type { ClusterStatus } from '../../workflows/messages.js';
import { shownDuration } from '../terminal/duration.js';

type StepRecord = ClusterStatus['stepsDone'][number];

/** One line of the tree: a step that is done, or the one in flight. Durations in ms, null while it runs. */
export interface StepLine {
  readonly name: string;
  readonly node: string;
  readonly durationMs: number | null;
  /** When the one in flight began, epoch ms; null for the others, and where the run does not say. */
  readonly sinceMs: number | null;
  readonly info: string;
}

export interface PhaseGroup {
  readonly phase: string;
  readonly steps: readonly StepLine[];
  /** `held`: it is not over, and nothing of it is under way. */
  readonly state: 'running' | 'held' | 'done';
}

/** `detailed`: with what proves each of them. Steps in the order they were taken, neighbours of one phase together; the step in flight comes last. */
export function phaseGroups(status: ClusterStatus, detailed: boolean): readonly PhaseGroup[] {
  const groups: { phase: string; steps: StepLine[]; state: PhaseGroup['state'] }[] = [];
  const add = (phase: string, line: StepLine): void => {
    const last = groups.at(-1);
    if (last?.phase === phase) last.steps.push(line);
    else groups.push({ phase, steps: [line], state: 'done' });
  };
  for (const step of status.stepsDone) add(step.phase, doneLine(step, detailed));
  if (status.step !== null) {
    const { name, node, why } = status.step;
    add(status.phase, { name, node, durationMs: null, sinceMs: status.sinceMs, info: why });
  }
  const last = groups.at(-1);
  if (last !== undefined) last.state = stateOfLast(status, last.phase);
  return groups;
}

/** A phase of which a step is still to come is not done, whatever the run waits for. */
function stateOfLast(
  { step, nextStep, outcome }: ClusterStatus,
  phase: string,
): PhaseGroup['state'] {
  if (step !== null) return 'running';
  return outcome === null && nextStep?.phase === phase ? 'held' : 'done';
}

function doneLine(
  { name, node, detail, durationMs, orphanMs }: StepRecord,
  detailed: boolean,
): StepLine {
  const info = [detailed ? detail : '', withoutLeader(orphanMs)].filter((part) => part !== '');
  return { name, node, durationMs, sinceMs: null, info: info.join(' · ') };
}

/** What a step cost; empty where it cost nothing. */
export function withoutLeader(orphanMs: number): string {
  return orphanMs > 0 ? `no leader for ${shownDuration(orphanMs)}` : '';
}
