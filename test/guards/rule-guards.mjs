/**
 * Conditions inside rules and facts, each with a mutation that removes it and the tests that must fail: properties, the model, scenarios;
 * never the condition's own table row.
 */
const MODEL = { tests: ['test/model/model.test'], composed: true };
const IN_PLACE = { ...MODEL, only: 'three nodes, start states: leaderMigration in place' };
const SWITCHED_OFF = { ...MODEL, only: 'three nodes, start states: .*switched off at both ends' };
const STORIES = { tests: ['test/domain/model/plan-preview.test'] };
const BROKEN = { tests: ['test/model/broken-managers'] };
const odd = (only) => ({ tests: ['test/model/odd-clusters'], only });
const refusals = (only) => ({ tests: ['test/model/refusals'], only });
const PROPERTIES = { tests: ['test/model/properties'] };

const PROTECTION = 'domain/ownership/protection.ts';
const NEXT_STEP = 'domain/decision/next-step.ts';

const OWNERS = 'domain/ownership/owners.ts';

export const RULE_GUARDS = [
  {
    name: 'what --controllers switches off runs nowhere',
    file: OWNERS,
    from: 'if (!isSwitchedOn(config.controllers, controller)) return false;',
    to: '',
    tests: ['test/activities/stories/switched-off'],
  },
  {
    name: 'a CCM leaves off what the KCM leaves off',
    file: 'domain/managers/controller-list.ts',
    from: 'return off.length === 0 ? own :',
    to: 'return off.length >= 0 ? own :',
    tests: ['test/activities/stories/switched-off'],
  },
  {
    name: 'with every cloud controller off a direction still completes',
    file: OWNERS,
    from: 'used.length > 0 ? mayRun : hasCloudLoops',
    to: 'mayRun',
    tests: ['test/model/switched-off'],
  },
  {
    name: 'a direction completes only when every manager runs and a KCM leads',
    file: 'domain/decision/steps/await-election.ts',
    from: "return settled(facts) ? NOT_NEEDED : awaitElection('managersSettled');",
    to: 'return NOT_NEEDED;',
    tests: ['test/domain/model/plan-preview.test'],
    only: 'waits for what kubelets start',
  },
  {
    name: 'a stopped process stops every rule',
    file: NEXT_STEP,
    from: 'if (paused.length > 0) return paused;',
    to: '',
    ...odd('a process that is stopped'),
  },
  {
    name: 'an unknown owner stops every rule',
    file: NEXT_STEP,
    from: "return owner === 'unknown'",
    to: "return owner === 'unknown' && owner !== 'unknown'",
    ...odd('holders that are unknown'),
  },
  {
    name: 'R0 only a successor that cannot become a second owner',
    file: 'domain/decision/steps/repairs.ts',
    from: 'if (others.length === 0) return true;',
    to: 'return true;',
    ...PROPERTIES,
  },
  {
    name: 'R1 the running one first',
    file: 'domain/decision/steps/repairs.ts',
    from: '= holderFirst(facts.presentCcms)',
    to: '= [...holderFirst(facts.presentCcms)].reverse()',
    ...IN_PLACE,
  },
  {
    name: 'R3 the CCMs stop while KCM owns',
    file: 'domain/decision/steps/repairs.ts',
    from: "if (facts.owner === 'ccm') {",
    to: "if (facts.owner !== 'none') {",
    ...STORIES,
  },
  {
    name: 'protection: a file that cannot be read counts as unknown',
    file: PROTECTION,
    from: "if (leaderMigration.kind === 'unreadable') return 'unknown';",
    to: "if (leaderMigration.kind === 'unreadable') return 'protected';",
    ...odd('settings that cannot be read'),
  },
  {
    name: 'protection: leader election must be on',
    file: PROTECTION,
    from: " || !config.leaderElect) return 'unprotected';",
    to: ") return 'unprotected';",
    ...odd('no leader election'),
  },
  {
    name: 'protection: all use the same lock',
    file: PROTECTION,
    from: 'if (!sameLease(lock, policy.lock)) return false;',
    to: '',
    ...odd('another migration lock'),
  },
  {
    name: 'protection: all use the same set of controllers',
    file: PROTECTION,
    from: 'return CLOUD_CONTROLLERS.every(',
    to: 'return CLOUD_CONTROLLERS.some(',
    ...IN_PLACE,
  },
  {
    name: 'standby: the process runs',
    file: PROTECTION,
    from: "process.liveness === 'running' &&",
    to: '',
    ...odd('a standby CCM would acquire'),
  },
  {
    name: 'standby: it shares the lock',
    file: PROTECTION,
    from: "protectionOf(process.config, policy) === 'protected' &&",
    to: '',
    ...odd('a standby CCM would acquire'),
  },
  {
    name: 'standby: it leads its main lock',
    file: PROTECTION,
    from: 'holds(observation, process, process.config.mainLock) &&',
    to: '',
    ...odd('a standby CCM would acquire'),
  },
  {
    name: 'standby: it may use the migration Lease (P18)',
    file: PROTECTION,
    from: "observation.access.mayUseMigrationLease[manager] === 'yes'",
    to: 'true',
    ...odd('a standby CCM would acquire'),
  },
  {
    name: 'a source KCM goes only while a CCM is on standby',
    file: 'domain/decision/steps/externalize-kcm.ts',
    from: 'return mayGo ? null :',
    to: 'return mayGo || !mayGo ? null :',
    ...BROKEN,
  },
  {
    name: 'a source machine goes only while a CCM is on standby',
    file: 'domain/decision/steps/remove-machine.ts',
    from: "if (facts.owner !== 'ccm' && facts.ccmLeader?.standsBy !== true) {",
    to: 'if (facts.policy.soakSeconds < 0) {',
    ...BROKEN,
  },
  {
    name: 'a CCM goes only while an in-tree KCM is on standby',
    file: 'domain/decision/steps/start-ccm.ts',
    from: '&& !successor)',
    to: '&& successor && !successor)',
    ...BROKEN,
  },
  {
    name: 'a target machine goes only while an in-tree KCM is on standby',
    file: 'domain/decision/steps/remove-machine.ts',
    from: "return facts.kcmLeader?.standsBy === true || facts.owner === 'kcm'",
    to: 'return facts.policy.soakSeconds >= 0',
    ...BROKEN,
  },
  {
    name: 'external KCMs are parked before the only in-tree leader restarts',
    file: 'domain/decision/steps/park-kcm.ts',
    from: 'if (next === undefined || !restarts) return NOT_NEEDED;',
    to: 'if (next === undefined || restarts || !restarts) return NOT_NEEDED;',
    ...IN_PLACE,
  },
  {
    name: 'the holder is changed last',
    file: 'domain/decision/steps/step-rule.ts',
    from: 'weight(a) - weight(b) || ',
    to: '',
    ...STORIES,
  },
  {
    name: 'a KCM that returns beside a CCM shares the lock',
    file: 'domain/decision/steps/restore-kcm.ts',
    from: "if (presentCcms.length > 0) return 'on';",
    to: '',
    ...SWITCHED_OFF,
  },
  {
    name: 'machines: the state of etcd must be known',
    file: 'domain/decision/steps/step-rule.ts',
    from: "if (etcd.topology === 'unknown') {",
    to: "if (etcd.topology === 'unknown' && etcd.members.length < 0) {",
    ...refusals('etcd cannot be read'),
  },
  {
    name: 'machines: every member that stays is a healthy voter',
    file: 'domain/decision/steps/step-rule.ts',
    from: "(healthy !== 'yes' || voter !== 'yes')",
    to: 'healthy === voter && healthy !== voter',
    ...refusals('a machine is removed only'),
  },
  {
    name: 'machines: every node that stays is Ready',
    file: 'domain/decision/steps/step-rule.ts',
    from: "name !== leaving && ready !== 'yes'",
    to: "name !== leaving && ready !== 'yes' && ready === 'yes'",
    ...refusals('a machine is removed only'),
  },
  {
    name: 'no CCM newer than an API server',
    file: 'domain/decision/steps/start-ccm.ts',
    from: 'blockedBy(ccmSkew(facts)) ?? ',
    to: '',
    ...refusals('no manager starts that is newer'),
  },
  {
    name: 'no external KCM newer than an API server or while volumes need it, without a lock',
    file: 'domain/decision/steps/externalize-kcm.ts',
    from: 'blockedBy(overwriteFindings(facts, next)) ?? step',
    to: 'step',
    ...refusals('no KCM loses its loops'),
  },
  {
    name: 'no external KCM newer than an API server or while volumes need it',
    file: 'domain/decision/steps/externalize-kcm.ts',
    from: 'blockedBy(overwriteFindings(facts, next)) ?? waitForCcm',
    to: 'waitForCcm',
    ...refusals('no KCM loses its loops'),
  },
  {
    name: 'no machine with an external KCM while volumes need it',
    file: 'domain/decision/steps/add-machine.ts',
    from: '      ...externalFindings(facts),\n',
    to: '',
    ...refusals('no KCM loses its loops'),
  },
];
