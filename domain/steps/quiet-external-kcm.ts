import { changeManager, holderFirst, NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/**
 * R2: an external KCM with Leader Migration on takes the migration lock and runs nothing (P7). It is turned off there, the
 * migration holder first. The main Lease is released before the migration Lease only where no CCM is supposed to get it.
 */
export const quietExternalKcm: StepRule = {
  name: 'quietExternalKcm',
  phase: 'repair',
  safePoint: 'end',
  suspends: 'the KCM of that node',
  propose: (facts) => {
    const noisy = facts.external.filter(({ leaderMigrationOn }) => leaderMigrationOn);
    const holders = noisy.filter(({ holdsMigration }) => holdsMigration);
    const [first] = [...holderFirst(holders), ...holderFirst(noisy)];
    if (first === undefined) return NOT_NEEDED;
    return propose(
      quietExternalKcm,
      `the KCM on ${first.node} is external and still competes for the migration Lease`,
      changeManager(first.node, { manager: 'kcm', role: 'external' }, 'migrationThenMain'),
      ['CCM3002'],
    );
  },
};
