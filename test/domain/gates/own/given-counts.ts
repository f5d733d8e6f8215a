import type { TimeSeries } from '../../../../domain/gates/samples/time-series.js';

/** What Prometheus has of one target; a part that is undefined it has not. */
export interface Target {
  readonly instance?: string;
  readonly total?: number | undefined;
  readonly picked?: number | undefined;
  /** Seconds of Unix time. */
  readonly scrapedAt: number;
  readonly startedAt?: number;
  readonly more?: Readonly<Record<string, number>>;
}

export const STARTED_AT = 1_790_000_000;

/** The series of an answer to a query of counts, evaluated at one moment. */
export function answered(atMs: number, ...targets: readonly Target[]): readonly TimeSeries[] {
  return targets.flatMap(
    ({ instance = 'a:1', total, picked, scrapedAt, startedAt = STARTED_AT, more = {} }) => {
      const times = (part: string): Readonly<Record<string, number>> => ({
        [`${part}First`]: scrapedAt,
        [`${part}Last`]: scrapedAt,
      });
      const parts = {
        ...(total === undefined ? {} : { total, ...times('total'), started: startedAt }),
        ...(picked === undefined ? {} : { picked, ...times('picked') }),
        ...more,
      };
      return Object.entries(parts).map(([part, value]) =>
        partSeries({ ccm_migrate_part: part, job: 'web', instance }, [atMs, value]),
      );
    },
  );
}

export function partSeries(
  labels: Readonly<Record<string, string>>,
  ...points: readonly (readonly [atMs: number, value: number])[]
): TimeSeries {
  return {
    labels: new Map(Object.entries(labels)),
    points: points.map(([atMs, value]) => ({ atMs, value })),
  };
}
