import type { RunRecord } from './records.js';
import { ROWS, type BenchRow } from './rows.js';
import { spreadOf, type Spread } from '../spread.js';
import { measurementsOf, secondsOf } from './summary.js';

/** The project's promise against the guide: shorter time without owner by this factor. */
const LEAST_RATIO = 5;

/** Whether the promise holds. `open`: runs that it depends on are missing. */
export interface BenchVerdict {
  readonly kind: 'holds' | 'fails' | 'open';
  /** One sentence per finding. */
  readonly said: readonly string[];
}

interface Finding {
  readonly kind: 'good' | 'bad' | 'open';
  readonly said: string;
}

/** Checks three things: no overlap of ours, the ratio of mean orphan seconds, and nothing that casts doubt on either. */
export function verdictOn(records: readonly RunRecord[]): BenchVerdict {
  const findings = [
    overlapOfOurs(records),
    ratio(records),
    ...ROWS.filter(({ side }) => side === 'guide').flatMap((row) => ratioOfRow(row, records)),
    ...doubts(records),
  ];
  const kinds = findings.map(({ kind }) => kind);
  return {
    kind: kinds.includes('bad') ? 'fails' : kinds.includes('open') ? 'open' : 'holds',
    said: findings.map(({ said }) => said),
  };
}

function overlapOfOurs(records: readonly RunRecord[]): Finding {
  const rows = ROWS.filter(({ contender }) => contender.kind === 'product');
  const directions = rows.flatMap((row) => measurementsOf(row, 'both', records));
  const overlap = spreadOf(secondsOf('overlapSeconds', directions));
  if (overlap === null) return { kind: 'open', said: 'No run of ours yet.' };
  if (overlap.max === 0) {
    return { kind: 'good', said: `Ours: never two owners, in ${directions.length} directions.` };
  }
  return { kind: 'bad', said: `NOT KEPT: ours had two owners for ${overlap.max.toFixed(1)} s.` };
}

function meanOrphan(side: BenchRow['side'], records: readonly RunRecord[]): Spread | null {
  const rows = ROWS.filter((row) => row.side === side);
  return spreadOf(
    secondsOf(
      'orphanSeconds',
      rows.flatMap((row) => measurementsOf(row, 'both', records)),
    ),
  );
}

function ratio(records: readonly RunRecord[]): Finding {
  const ours = meanOrphan('ours', records);
  const guide = meanOrphan('guide', records);
  if (ours === null || guide === null) {
    const missing = ours === null ? 'ours' : 'the guide';
    return { kind: 'open', said: `No ratio yet: no run of ${missing} on three nodes.` };
  }
  const times = guide.mean / ours.mean;
  const figures = `${seconds(guide)} without owner per direction with the guide, ${seconds(ours)} with ours`;
  return times >= LEAST_RATIO
    ? { kind: 'good', said: `Ratio ${times.toFixed(1)}: ${figures} (means).` }
    : {
        kind: 'bad',
        said: `NOT KEPT: ratio ${times.toFixed(1)}, promised is ${LEAST_RATIO}: ${figures} (means).`,
      };
}

/** Reported next to the ratio over all orders, which alone decides the verdict. */
function ratioOfRow(row: BenchRow, records: readonly RunRecord[]): readonly Finding[] {
  const ours = meanOrphan('ours', records);
  const guide = spreadOf(secondsOf('orphanSeconds', measurementsOf(row, 'both', records)));
  if (ours === null || guide === null) return [];
  return [{ kind: 'good', said: `${row.title}: ratio ${(guide.mean / ours.mean).toFixed(1)}.` }];
}

/** Failed runs and contradicting sources: they prove nothing. */
function doubts(records: readonly RunRecord[]): readonly Finding[] {
  return records.flatMap(({ row, run, failed, directions }): readonly Finding[] => {
    const counts = ROWS.some(
      ({ name, side, contender }) =>
        name === row && (side !== null || contender.kind === 'product'),
    );
    const kind = counts ? 'bad' : 'good';
    const name = `${row}, run ${run}`;
    const contradictions = directions.flatMap((direction) => direction.contradictions);
    return [
      ...(failed === null ? [] : [{ kind, said: `${name} failed: ${failed}` } as const]),
      ...contradictions.map(
        (text) => ({ kind, said: `${name}, sources contradict each other: ${text}` }) as const,
      ),
    ];
  });
}

function seconds({ mean }: Spread): string {
  return `${mean.toFixed(1)} s`;
}
