import type { BadRow, BadTask } from './bad-windows.js';
import type { GoodTask } from './good-runs.js';

export type GateTask = GoodTask | BadTask;

const AT_STEP = { perMinute: 20, ratio: 0.002, begins: 'step', minutes: 30 } as const;
const SLOW = { ...AT_STEP, perMinute: 2 } as const;

/** The two rows with a bar on speed; each has half of the windows that the bars demand. */
export const CLIFF_ROW: BadRow = { ...AT_STEP, kind: 'cliff', to: 1 };
export const STEP_ROW: BadRow = { ...AT_STEP, kind: 'step', to: 0.2 };

/** Soaks that see a few events or none: whatever happens there, they may not pass. */
export const FEW_ROWS: readonly BadRow[] = [
  { ...AT_STEP, kind: 'hang', to: 0, minutes: 60 },
  { ...SLOW, kind: 'cliff', to: 1, perMinute: 0.2, minutes: 10 },
  { ...SLOW, kind: 'step', to: 0.2, perMinute: 0.2, minutes: 10 },
  { ...SLOW, kind: 'step', to: 0.002, perMinute: 0.2, minutes: 10 },
];

/** Rows without a bar, told all the same. */
const TOLD_ROWS: readonly BadRow[] = [
  { ...CLIFF_ROW, begins: 'anyMinute' },
  { ...STEP_ROW, begins: 'anyMinute' },
  { ...AT_STEP, kind: 'drift', to: 0.2 },
  { ...AT_STEP, kind: 'flap', to: 0.5 },
  { ...AT_STEP, kind: 'step', ratio: 0.02, to: 0.1 },
  { ...SLOW, kind: 'cliff', to: 1 },
  { ...SLOW, kind: 'step', to: 0.2 },
];

/** Tasks of about equal size, so that two threads end at about the same time. Every one has a seed of its own. */
export function gateTasks(seed: number, quick: boolean): readonly GateTask[] {
  const scale = quick ? 0.04 : 1;
  const sized = (count: number): number => Math.ceil(count * scale);
  // Twice the runs that the bar demands: of so few, a single failure by chance would leave its upper limit above 1 %.
  const days = Array.from(
    { length: 84 },
    () => ({ work: 'good', hours: 24, runs: sized(10) }) as const,
  );
  const hours = Array.from(
    { length: 11 },
    () => ({ work: 'good', hours: 2, runs: sized(100) }) as const,
  );
  const bad = [
    ...[CLIFF_ROW, STEP_ROW, CLIFF_ROW, STEP_ROW].map((row) => ({ row, windows: sized(750) })),
    ...[...FEW_ROWS, ...TOLD_ROWS].map((row) => ({ row, windows: sized(300) })),
  ].map((each) => ({ work: 'bad', ...each }) as const);
  return [...days, ...hours, ...bad].map((task, index) => ({
    ...task,
    seed: (seed + index * 2_654_435_761) % 2 ** 32,
  }));
}
