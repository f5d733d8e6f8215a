/**
 * Guards of repairs, of what this project must not change, and of when a direction is complete; the model or a table must fail without
 * them.
 */
const MODEL = { tests: ['test/model/model.test'], composed: true };
const IN_PLACE = { ...MODEL, only: 'three nodes, start states: leaderMigration in place' };

export const REPAIR_GUARDS = [
  {
    name: 'R3 standbys outside the lock stop before the leader',
    file: 'domain/decision/steps/repairs.ts',
    from: 'return [...holderLast(outside), ...holderFirst(ccms)];',
    to: 'return outside.length < 0 ? holderLast(outside) : holderFirst(ccms);',
    ...IN_PLACE,
  },
  {
    name: 'R3 the leader stops before the other standbys',
    file: 'domain/decision/steps/repairs.ts',
    from: 'return [...holderLast(outside), ...holderFirst(ccms)];',
    to: 'return [...holderLast(outside), ...holderLast(ccms)].slice(0, holderFirst(ccms).length);',
    tests: ['test/domain/decision/steps/repairs'],
  },
  {
    name: 'R1 KCMs that own together are not treated as our mistake',
    file: 'domain/decision/steps/repairs.ts',
    from: ' || kcms.length > 0',
    to: '',
    tests: ['test/model/odd-clusters', 'test/domain/ownership/hidden-owners'],
  },
  {
    name: 'a Lease that an unknown process renews hides the owner',
    file: 'domain/ownership/owners.ts',
    from: '  if (heldByStrangers(observation).length > 0) return null;\n',
    to: '',
    tests: ['test/activities/stories/strangers'],
  },
  {
    name: 'both default main Leases are always read',
    file: 'activities/observe/assemble.ts',
    from: ', ...DEFAULT_LOCKS, policy.lock]',
    to: ', policy.lock]',
    tests: ['test/activities/stories/strangers'],
  },
  {
    name: 'a cluster without control-plane Nodes is refused',
    file: 'domain/decision/next-step.ts',
    from: '  if (observation.nodes.length === 0) return [hosted(observation)];\n',
    to: '',
    tests: ['test/domain/ownership/hidden-owners'],
  },
  {
    name: 'managers that a foreign workload starts are not changed',
    file: 'domain/decision/steps/foreign-ccm.ts',
    from: '  if (obstacle !== null) return blocked(obstacle);\n',
    to: '',
    tests: ['test/domain/decision/steps/foreign-ccm'],
  },
  {
    name: 'a foreign workload needs an approval, or stops',
    file: 'domain/decision/steps/prepare-ccm.ts',
    from: '    if (foreign !== null) return blocked(foreign);\n',
    to: '',
    tests: ['test/domain/decision/steps/foreign-ccm'],
  },
  {
    name: 'a foreign workload is not removed at the end of a rollback',
    file: 'domain/decision/steps/prepare-ccm.ts',
    from: "if (workload && ccmWorkload.owner !== 'ours') {",
    to: "if (workload && ccmWorkload.owner === 'none') {",
    tests: ['test/domain/decision/steps/foreign-ccm'],
  },
  {
    name: 'a repair records before the last in-tree manifest goes',
    file: 'domain/decision/steps/prepare-ccm.ts',
    from: "return recording.kind === 'notNeeded' ? repair : recording;",
    to: "return recording.kind === 'step' ? repair : recording;",
    tests: ['test/domain/decision/steps/first-steps'],
  },
  {
    name: 'done: every manager runs from its configured place',
    file: 'domain/ownership/cluster-facts.ts',
    from: 'return running && inPlace;',
    to: 'return running || inPlace;',
    tests: ['test/domain/ownership/is-reached'],
  },
  {
    name: 'done: CCMs are under the lock that the policy keeps',
    file: 'domain/ownership/cluster-facts.ts',
    from: "protection === 'protected'",
    to: "protection !== 'unknown'",
    tests: ['test/domain/ownership/is-reached'],
  },
  {
    name: 'done: no workload would restart a CCM',
    file: 'domain/ownership/cluster-facts.ts',
    from: "  if (observation.ccmWorkload.source !== 'none') return false;\n",
    to: '',
    tests: ['test/domain/ownership/is-reached'],
  },
  {
    name: 'a direction waits for a process that its kubelet is about to end',
    file: 'domain/decision/steps/await-election.ts',
    from: '(running && inPlace) || !present',
    to: '(running && (inPlace || running)) || !present',
    tests: ['test/domain/decision/steps/done'],
  },
  {
    name: 'no KCM returns to API servers that are too new for it',
    file: 'domain/decision/steps/step-rule.ts',
    from: 'if (minorsAhead(newest, source.version) <= 1) return [];',
    to: 'if (minorsAhead(newest, source.version) <= 9) return [];',
    tests: ['test/domain/decision/steps/skew'],
  },
  {
    name: 'no KCM returns that is newer than an API server',
    file: 'domain/decision/steps/step-rule.ts',
    from: 'if (!(minorsAhead(source.version, oldest) <= 0)) {',
    to: 'if (minorsAhead(source.version, oldest) > 9) {',
    tests: ['test/domain/decision/steps/skew'],
  },
  {
    name: 'the lowest API server version counts without a shared address, too',
    file: 'domain/decision/steps/step-rule.ts',
    from: "apiServers.sharedAddress === 'no' && policy.nodes.forward === 'replace'",
    to: "apiServers.sharedAddress === 'no'",
    tests: ['test/domain/decision/steps/skew'],
  },
  {
    name: 'machines: repair of the source machines is frozen first',
    file: 'domain/decision/steps/add-machine.ts',
    from: '      ...unfrozen(facts),\n',
    to: '',
    tests: ['test/domain/decision/steps/machines'],
  },
  {
    name: 'machines: the only running CCM is not removed',
    file: 'domain/decision/steps/remove-machine.ts',
    from: 'leaving.filter(leavesCcm(facts))',
    to: 'leaving.filter(leavesCcm(facts)).concat(leaving)',
    ...MODEL,
    only: 'one node, two faults: leaderMigration with replaced machines with target ccm',
  },
];
