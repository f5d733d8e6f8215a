import type { FleetMigration } from '../kinds/fleet-migration.js';
import type { ConfigProblem } from '../problems.js';
import type { ValidDocument } from '../validated-documents.js';
import { problemAt } from '../validated-documents.js';
import type { DocumentPath } from './complain.js';

/** An instant of a fleet, and what it comes to once it has passed. */
interface WrittenInstant {
  readonly path: DocumentPath;
  readonly passedAtMs: number;
  readonly message: string;
}

/** Dates of a fleet that have passed at `nowMs`. They are no error: the files of a fleet that runs are linted again and again. */
export function pastDates(
  { file, source, content }: ValidDocument<FleetMigration>,
  nowMs: number,
): readonly ConfigProblem[] {
  return instantsOf(content.spec)
    .filter(({ passedAtMs }) => passedAtMs <= nowMs)
    .map(({ path, message }) =>
      problemAt(file, source, { path, about: 'value', message, code: 'CCM5033' }),
    );
}

function instantsOf({ rollout, waves }: FleetMigration['spec']): readonly WrittenInstant[] {
  const { startAt, deadline } = rollout;
  return [
    ...instant('startAt', startAt, 'has passed: clusters start at once'),
    ...instant('deadline', deadline, 'has passed: no cluster starts any more'),
    ...waves.flatMap(({ excludedDates }, wave) =>
      excludedDates.map((date, index) => ({
        path: ['spec', 'waves', wave, 'excludedDates', index],
        passedAtMs: overEverywhereMs(date),
        message: `${date} has passed: it keeps no cluster back`,
      })),
    ),
  ];
}

function instant(
  field: 'startAt' | 'deadline',
  written: string | undefined,
  message: string,
): readonly WrittenInstant[] {
  if (written === undefined) return [];
  return [{ path: ['spec', 'rollout', field], passedAtMs: Date.parse(written), message }];
}

const HOUR_MS = 3_600_000;

/** A date ends last in UTC-12; which windows it counts for, and so in which time zones, does not matter then. */
function overEverywhereMs(date: string): number {
  return Date.parse(date) + (24 + 12) * HOUR_MS;
}
