import { usualMoment, type Usual } from './good-courses.js';
import { SCRAPE_MS, type Course } from './drawn-trace.js';

export const BAD_KINDS = ['cliff', 'step', 'drift', 'flap', 'hang'] as const;
export type BadKind = (typeof BAD_KINDS)[number];

export interface Harm {
  readonly kind: BadKind;
  /** The ratio of bad events that harm leads to. */
  readonly to: number;
  /** When it begins, after our first step. */
  readonly fromMs: number;
}

const DRIFT_MS = 600_000;
const FLAP_MS = 120_000;

/** A gate that is as usual until harm begins, which need not be at a scrape. */
export function badCourse(usual: Usual, harm: Harm): Course {
  return (index) => {
    const [fromMs, toMs] = [index * SCRAPE_MS, (index + 1) * SCRAPE_MS];
    const covered = Math.min(1, Math.max(0, (toMs - harm.fromMs) / SCRAPE_MS));
    const moment = usualMoment(usual);
    if (harm.kind === 'hang') return { ...moment, expected: moment.expected * (1 - covered) };
    const ratio = harmfulRatio(usual, harm, Math.max(0, fromMs - harm.fromMs));
    return { ...moment, ratio: covered * ratio + (1 - covered) * usual.ratio };
  };
}

function harmfulRatio(usual: Usual, { kind, to }: Harm, sinceMs: number): number {
  switch (kind) {
    case 'cliff':
    case 'step':
      return to;
    case 'drift':
      return usual.ratio + (to - usual.ratio) * Math.min(1, sinceMs / DRIFT_MS);
    case 'flap':
      return Math.floor(sinceMs / FLAP_MS) % 2 === 0 ? to : usual.ratio;
    case 'hang':
      return usual.ratio;
  }
}
