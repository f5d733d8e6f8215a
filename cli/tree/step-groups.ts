import type { ClusterStatus } from '../../workflows/messages.js';

type StepRecord = ClusterStatus['stepsDone'][number];

/** One line of the tree: a step that is done, or the one in flight. Durations in ms, null while it runs. */
export interface StepLine {
  readonly name: string;
  readonly node: string;
  readonly durationMs: number | null;
  readonly info: string;
}

export interface PhaseGroup {
  readonly phase: string;
  readonly steps: readonly StepLine[];
  readonly running: boolean;
}

/** Steps in the order they were taken, neighbours of one phase together; the step in flight comes last. */
export function phaseGroups(status: ClusterStatus): readonly PhaseGroup[] {
  const groups: { phase: string; steps: StepLine[]; running: boolean }[] = [];
  const add = (phase: string, line: StepLine): void => {
    const last = groups.at(-1);
    if (last?.phase === phase) last.steps.push(line);
    else groups.push({ phase, steps: [line], running: false });
  };
  for (const step of status.stepsDone) add(step.phase, doneLine(step));
  if (status.step !== null) {
    const { name, node, why } = status.step;
    add(status.phase, { name, node, durationMs: null, info: why });
    const last = groups.at(-1);
    if (last !== undefined) last.running = true;
  }
  return groups;
}

function doneLine({ name, node, detail, durationMs, orphanMs }: StepRecord): StepLine {
  const orphan = orphanMs > 0 ? ` · no owner for ${seconds(orphanMs)}` : '';
  return { name, node, durationMs, info: `${detail}${orphan}` };
}

/** Seconds with one decimal. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
