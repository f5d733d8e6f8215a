/**
 * Every rule of every strategy and every repair, removed from its list: a scenario or the model must fail. `tests` are path patterns for
 * jest, `only` a pattern of test names; none is the rule's own table row.
 */
const LEADER_MIGRATION = 'domain/decision/strategies/leader-migration.ts';
const GAP = 'domain/decision/strategies/gap.ts';

const STORIES = { tests: ['test/domain/model/plan-preview.test'] };
const MODEL = { tests: ['test/model/model.test'], composed: true };
const SAMPLED = 'three nodes, two faults, sampled: leaderMigration in place';
const TO_CCM = { ...MODEL, only: `${SAMPLED} with target ccm` };
const TO_KCM = { ...MODEL, only: `${SAMPLED} with target kcm` };
const IN_PLACE = { ...MODEL, only: 'three nodes, start states: leaderMigration in place' };

const FOREIGN = { tests: ['test/domain/decision/steps/foreign-ccm'] };
const SKEW = { tests: ['test/domain/decision/steps/skew'] };
const ONE_NODE = { ...MODEL, only: 'one node, two faults: leaderMigration in place' };

/** Removes `rule` from a list; `before` identifies the list by the rule that precedes it there. */
function without(file, toward, before, rule, tests) {
  const name = `${file === GAP ? 'gap' : 'leaderMigration'} with target ${toward}: ${rule}`;
  return { name, file, from: `${before},\n    ${rule},\n`, to: `${before},\n`, ...tests };
}

const REPAIRS = [
  ['R0 a manifest that was cut off comes back first', 'finishManifest', ONE_NODE],
  ['R1 a second owner stops at once', 'stopSecondOwner', IN_PLACE],
  ['R2 an external KCM leaves the migration lock', 'disableMigrationOnExternalKcm', IN_PLACE],
  ['R3 no unprotected KCM beside a CCM', 'isolateUnprotectedKcm', IN_PLACE],
  ['R4 no CCM without the lock beside protected KCMs', 'isolateUnprotectedCcm', IN_PLACE],
].map(([name, rule, tests]) => ({
  name,
  file: 'domain/decision/steps/repairs.ts',
  // The line end before it: a rule's name is also an argument, indented deeper.
  from: `\n  ${rule},\n`,
  to: '\n',
  ...tests,
}));

export const STRATEGY_GUARDS = [
  ...REPAIRS,
  {
    name: 'R1 before R0: two owners end although a manifest that was cut off waits',
    file: 'domain/decision/steps/repairs.ts',
    from: '  stopSecondOwner,\n  finishManifest,\n',
    to: '  finishManifest,\n  stopSecondOwner,\n',
    ...TO_CCM,
  },
  {
    name: 'R3 and R4 before R2: no step makes two owners possible',
    file: 'domain/decision/steps/repairs.ts',
    from: '  isolateUnprotectedKcm,\n  isolateUnprotectedCcm,\n  disableMigrationOnExternalKcm,\n',
    to: '  disableMigrationOnExternalKcm,\n  isolateUnprotectedKcm,\n  isolateUnprotectedCcm,\n',
    ...IN_PLACE,
  },
  {
    name: "a dead holder's Lease is emptied instead of left to expire",
    file: 'domain/decision/next-step.ts',
    from: '...REPAIRS, releaseLease,',
    to: '...REPAIRS,',
    ...TO_CCM,
  },
  {
    name: 'leaderMigration with target ccm: recordBaseline',
    file: LEADER_MIGRATION,
    from: '    recordBaseline,\n',
    to: '',
    ...STORIES,
  },
  without(LEADER_MIGRATION, 'ccm', 'recordBaseline', 'grantLeaseAccess', STORIES),
  without(LEADER_MIGRATION, 'ccm', 'grantLeaseAccess', 'prepareCcm', STORIES),
  without(LEADER_MIGRATION, 'ccm', 'prepareCcm', 'parkExternalKcmsForRestart', TO_CCM),
  without(LEADER_MIGRATION, 'ccm', 'parkExternalKcmsForRestart', 'enableLeaderMigration', TO_CCM),
  without(LEADER_MIGRATION, 'ccm', 'enableLeaderMigration', 'awaitKcmHoldsMigration', TO_CCM),
  without(LEADER_MIGRATION, 'ccm', 'awaitKcmHoldsMigration', 'addTargetMachine', STORIES),
  without(LEADER_MIGRATION, 'ccm', 'addTargetMachine', 'startCcm', TO_CCM),
  without(LEADER_MIGRATION, 'ccm', 'startCcm', 'removeSourceMachine', STORIES),
  without(LEADER_MIGRATION, 'ccm', 'removeSourceMachine', 'externalizeKcm', TO_CCM),
  without(LEADER_MIGRATION, 'ccm', 'externalizeKcm', 'keepCcmProtected', IN_PLACE),
  without(LEADER_MIGRATION, 'ccm', 'keepCcmProtected', 'awaitOwner', STORIES),
  without(LEADER_MIGRATION, 'ccm', 'awaitOwner', 'rollWorkers', STORIES),
  without(LEADER_MIGRATION, 'ccm', 'rollWorkers', 'disableOnCcm', STORIES),
  without(LEADER_MIGRATION, 'ccm', 'disableOnCcm', 'revokeLeaseAccess', STORIES),
  {
    name: 'leaderMigration with target kcm: grantLeaseAccess',
    file: LEADER_MIGRATION,
    from: 'kcm: [\n    grantLeaseAccess,\n',
    to: 'kcm: [\n',
    ...STORIES,
  },
  without(LEADER_MIGRATION, 'kcm', 'grantLeaseAccess', 'respectForeignCcm', FOREIGN),
  without(LEADER_MIGRATION, 'kcm', 'respectForeignCcm', 'checkRollbackPath', SKEW),
  without(LEADER_MIGRATION, 'kcm', 'checkRollbackPath', 'protectCcm', TO_KCM),
  without(LEADER_MIGRATION, 'kcm', 'protectCcm', 'awaitCcmHoldsMigration', TO_KCM),
  without(LEADER_MIGRATION, 'kcm', 'awaitCcmHoldsMigration', 'restoreKcm', TO_KCM),
  without(LEADER_MIGRATION, 'kcm', 'restoreKcm', 'addSourceMachine', STORIES),
  without(LEADER_MIGRATION, 'kcm', 'addSourceMachine', 'parkExternalKcm', STORIES),
  without(LEADER_MIGRATION, 'kcm', 'parkExternalKcm', 'returnWorkers', STORIES),
  without(LEADER_MIGRATION, 'kcm', 'returnWorkers', 'removeTargetMachine', STORIES),
  without(LEADER_MIGRATION, 'kcm', 'removeTargetMachine', 'stopCcm', TO_KCM),
  without(LEADER_MIGRATION, 'kcm', 'stopCcm', 'removeCcmAccess', STORIES),
  without(LEADER_MIGRATION, 'kcm', 'removeCcmAccess', 'awaitOwner', TO_KCM),
  without(LEADER_MIGRATION, 'kcm', 'awaitOwner', 'correctKcmLock', IN_PLACE),
  without(LEADER_MIGRATION, 'kcm', 'correctKcmLock', 'disableOnKcm', STORIES),
  without(LEADER_MIGRATION, 'kcm', 'disableOnKcm', 'revokeLeaseAccess', STORIES),
  {
    name: 'gap with target ccm: recordBaseline',
    file: GAP,
    from: '    recordBaseline,\n',
    to: '',
    ...STORIES,
  },
  without(GAP, 'ccm', 'recordBaseline', 'grantLeaseAccess', {
    tests: ['test/model/properties'],
  }),
  without(GAP, 'ccm', 'grantLeaseAccess', 'prepareCcm', STORIES),
  without(GAP, 'ccm', 'prepareCcm', 'parkStandbyKcms', STORIES),
  without(GAP, 'ccm', 'parkStandbyKcms', 'externalizeLeader', STORIES),
  without(GAP, 'ccm', 'externalizeLeader', 'startCcm', STORIES),
  without(GAP, 'ccm', 'startCcm', 'externalizeKcm', STORIES),
  without(GAP, 'ccm', 'externalizeKcm', 'awaitOwner', {
    ...MODEL,
    only: 'one node, two faults: gap with target ccm',
  }),
  without(GAP, 'ccm', 'awaitOwner', 'rollWorkers', STORIES),
  {
    name: 'gap with target kcm: grantLeaseAccess',
    file: GAP,
    from: 'kcm: [\n    grantLeaseAccess,\n',
    to: 'kcm: [\n',
    tests: ['test/model/properties'],
  },
  without(GAP, 'kcm', 'grantLeaseAccess', 'respectForeignCcm', FOREIGN),
  without(GAP, 'kcm', 'respectForeignCcm', 'checkRollbackPath', SKEW),
  without(GAP, 'kcm', 'checkRollbackPath', 'parkStandbyKcms', STORIES),
  without(GAP, 'kcm', 'parkStandbyKcms', 'returnWorkers', STORIES),
  without(GAP, 'kcm', 'returnWorkers', 'stopCcm', STORIES),
  without(GAP, 'kcm', 'stopCcm', 'restoreKcm', STORIES),
  without(GAP, 'kcm', 'restoreKcm', 'removeCcmAccess', STORIES),
  without(GAP, 'kcm', 'removeCcmAccess', 'awaitOwner', {
    ...MODEL,
    only: 'one node, two faults: gap with target kcm',
  }),
];
