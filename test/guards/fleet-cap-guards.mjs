/** Guards of caps that fleets share: what others change is counted, and nothing starts while it is not known. */
const OTHERS = 'domain/fleet/other-runs.ts';
const COUNT = 'activities/fleet/count-others.ts';
const rule = { tests: ['test/domain/fleet/other-runs.test'] };
const counting = { tests: ['test/activities/fleet/fleet-activities.test'] };
const overTemporal = { tests: ['test/workflows/fleet-caps.test'] };

export const FLEET_CAP_GUARDS = [
  {
    name: 'fleet caps: runs of others count',
    file: 'domain/fleet/wait-reasons.ts',
    from: 'movingIn(group) + others >= cap',
    to: 'movingIn(group) >= cap + 0 * others',
    ...rule,
  },
  {
    name: 'fleet caps: nothing starts before others have been counted',
    file: OTHERS,
    from: "    case 'unknown':\n      return null;",
    to: "    case 'unknown':\n      return 0;",
    ...rule,
  },
  {
    name: 'fleet caps: an old count is no count',
    file: OTHERS,
    from: 'nowMs - otherRuns.atMs > KNOWN_FOR_MS ? null',
    to: 'nowMs - otherRuns.atMs > 1000 * KNOWN_FOR_MS ? null',
    ...rule,
  },
  {
    name: 'fleet caps: an earlier answer does not replace a later one',
    file: OTHERS,
    from: '  if (counted.atMs < before.atMs) return before;\n',
    to: '',
    ...rule,
  },
  {
    name: 'fleet caps: a state of an earlier build knows nothing of others',
    file: OTHERS,
    from: 'isOtherRuns(carried) ? carried : UNKNOWN',
    to: 'isOtherRuns(carried) ? carried : ALONE',
    ...rule,
  },
  {
    name: 'fleet caps: a fleet that is opened again does not trust an old count',
    file: 'domain/fleet/reopen-fleet.ts',
    from: ', otherRuns: UNKNOWN',
    to: '',
    ...rule,
  },
  {
    name: 'fleet caps: a quiet fleet asks nothing',
    file: 'domain/fleet/others-matter.ts',
    from: 'return mayWait && lane.some(waits);',
    to: 'return mayWait;',
    ...rule,
  },
  {
    name: 'fleet caps: its own runs are not those of others',
    file: COUNT,
    from: ': member.fleetRun === fleetRun;',
    to: ': member.fleetRun === String(null) + fleetRun;',
    ...counting,
  },
  {
    name: 'fleet caps: a run that it adopted is not one of others',
    file: COUNT,
    from: 'member === null ? adopted.has(workflowId)',
    to: 'member === null ? adopted.has(String(null) + workflowId)',
    ...counting,
  },
  {
    name: 'fleet caps: a run that soaks changes nothing',
    file: COUNT,
    from: '!run.soaks && ',
    to: '',
    ...counting,
  },
  {
    name: 'fleet caps: runs say their labels',
    file: 'activities/fleet/start-clusters.ts',
    from: 'requestId, row.groups)',
    to: 'requestId, row.groups.slice(0, 0))',
    ...counting,
  },
  {
    name: 'fleet caps: the fleet asks what others change',
    file: 'workflows/fleet/fleet-calls.ts',
    from: "  if (lanes.isFree('others')) countOthers(calling);\n",
    to: "  if (lanes.isFree('others') && lanes.problems().length > 9) countOthers(calling);\n",
    ...overTemporal,
  },
  {
    name: 'fleet caps: the fleet asks again',
    file: 'workflows/fleet-migration.ts',
    from: ', othersDueMs(input, fleet)];',
    to: ', othersDueMs(input, fleet)].slice(0, 2);',
    ...overTemporal,
  },
];
