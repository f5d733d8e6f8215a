import { ApplicationFailure } from '@temporalio/workflow';
import { readMembership } from '../domain/run/read-order.js';
import { UNPLANNED } from '../domain/run/unplanned.js';
import type { ClusterMigrationInput } from './messages.js';

/**
 * A last check of an input that was validated before it was sent: a run that starts with invalid input would fail its
 * workflow tasks forever instead of reporting it.
 */
export function inputRefusal(input: ClusterMigrationInput): ApplicationFailure | null {
  const problems = [
    ...blank(input, [
      'region',
      'stepTaskQueue',
      'waitTaskQueue',
      'guardTaskQueue',
      'actor',
      'reason',
    ]),
    ...blank(input.cluster, ['name', 'uid']),
    ...badTimings(input),
    ...badTarget(input.target),
    ...unplanned(input),
    ...badMembership(input.member),
  ];
  if (problems.length === 0) return null;
  return ApplicationFailure.create({
    type: 'InvalidInput',
    message: `the migration was not started: ${problems.join('; ')}`,
    nonRetryable: true,
  });
}

function blank<T>(given: T, names: readonly (keyof T & string)[]): readonly string[] {
  return names
    .filter((name) => typeof given[name] !== 'string' || given[name] === '')
    .map((name) => `${name} is empty`);
}

function badTimings({ timings }: ClusterMigrationInput): readonly string[] {
  return Object.entries(timings)
    .filter(([, ms]) => !Number.isFinite(ms) || ms <= 0)
    .map(([name]) => `timing ${name} must be a positive number of milliseconds`);
}

/** People see a plan before they start a run; only a fleet's run may be planned by its own check. */
function unplanned({ planDigest, member }: ClusterMigrationInput): readonly string[] {
  return planDigest === UNPLANNED && member === undefined ? ['planDigest names no plan'] : [];
}

function badTarget(target: unknown): readonly string[] {
  return target === 'ccm' || target === 'kcm' ? [] : ['target must be ccm or kcm'];
}

function badMembership(member: unknown): readonly string[] {
  if (member === undefined || readMembership(member) !== null) return [];
  return ['member must name the workflow, run, row and grant of a fleet'];
}
