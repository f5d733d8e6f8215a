import { describe, expect, it } from '@jest/globals';
import type { Files } from './given-fleet.js';
import { FILES, STANDARD, fleetWith, inventoryOf, lintFleet } from './given-fleet.js';

/** Two waves with every cluster; `more` is added to the second, whose lines begin at 9. */
const WAVES = (more: string): string =>
  fleetWith(`  waves:
    - { name: pilot, selector: { names: [eu-1] } }
    - name: main
      selector: { labels: { tier: main } }
${more}`);

const ROLLOUT = (field: string): string => fleetWith(`  rollout: { ${field} }\n`);
const WINDOW = (fields: string): string => WAVES(`      windows: [{ ${fields} }]\n`);
const APPROVALS = (fields: string): string => WAVES(`      approvals: { ${fields} }\n`);

describe('a fleet that cannot be meant', () => {
  it.each<[string, string, string]>([
    [
      'an unknown key of a wave',
      WAVES('      cannary: { count: 1 }\n'),
      'fleet.yaml:11:7: spec.waves.1.cannary: unknown key, did you mean "canary"? (CCM5002)',
    ],
    [
      'an unknown key of the rollout',
      ROLLOUT('inflight: 3'),
      'fleet.yaml:7:14: spec.rollout.inflight: unknown key, did you mean "inFlight"? (CCM5002)',
    ],
    [
      'a wave whose label no cluster has',
      fleetWith(
        '  waves:\n    - name: one\n      selector: { labels: { tierr: main } }\n  rest: skip\n',
      ),
      'fleet.yaml:9:17: spec.waves.0.selector: selects no cluster of this fleet: none has a label "tierr", did you mean "tier"? (CCM5021)',
    ],
    [
      'a wave of a region without clusters',
      fleetWith(
        '  waves:\n    - name: one\n      selector: { labels: { region: ap } }\n  rest: skip\n',
      ),
      'fleet.yaml:9:17: spec.waves.0.selector: selects no cluster of this fleet: none has region "ap" (CCM5021)',
    ],
    [
      'a wave whose labels exist, but on no cluster together',
      fleetWith(
        '  waves:\n    - name: one\n      selector: { labels: { region: us, tier: pilot } }\n  rest: skip\n',
      ),
      'fleet.yaml:9:17: spec.waves.0.selector: selects no cluster of this fleet (CCM5021)',
    ],
    [
      'a wave with a cluster that the fleet does not have',
      fleetWith(
        '  waves:\n    - name: one\n      selector: { names: [eu-1, eu-33] }\n  rest: skip\n',
      ),
      'fleet.yaml:9:33: spec.waves.0.selector.names.1: not in this fleet, did you mean "eu-3"? (CCM5008)',
    ],
    [
      'a cluster in two waves',
      fleetWith('  waves:\n    - { name: a, selector: { names: [eu-2] } }\n    - { name: b }\n'),
      'fleet.yaml:9:7: spec.waves.1.selector: also in an earlier wave: eu-2 (wave a) (CCM5022)',
    ],
    [
      'clusters in no wave',
      fleetWith('  waves:\n    - { name: a, selector: { names: [eu-2] } }\n'),
      'fleet.yaml:7:3: spec.waves: eu-1, eu-3, us-1 and 1 more are in no wave: select every cluster, or set rest: skip (CCM5023)',
    ],
    [
      'one cluster in no wave',
      fleetWith('  waves:\n    - { name: a, selector: { labels: { tier: main } } }\n'),
      'fleet.yaml:7:3: spec.waves: eu-1 is in no wave: select every cluster, or set rest: skip (CCM5023)',
    ],
    [
      'two waves of one name',
      fleetWith(
        '  waves:\n    - { name: a, selector: { labels: { tier: main } } }\n    - { name: a, selector: { names: [eu-1] } }\n',
      ),
      'fleet.yaml:9:15: spec.waves.1.name: a wave named "a" is already defined (CCM5009)',
    ],
    [
      'a fleet named like one of its clusters',
      fleetWith('', 'eu-2'),
      'fleet.yaml:3:19: metadata.name: a cluster of this fleet has the same name, and commands could mean either (CCM5009)',
    ],
    [
      'a fleet named like what the id of a run begins with',
      fleetWith('', 'fleet-migration'),
      'fleet.yaml:3:19: metadata.name: commands take fleet-migration/… for the id of a run: choose another name (CCM5003)',
    ],
    [
      'a wave whose name a command would take for a flag',
      fleetWith('  waves: [{ name: --all }]\n'),
      'fleet.yaml:7:19: spec.waves.0.name: use lowercase letters, digits, "-" and ".", starting and ending with a letter or digit (CCM5003)',
    ],
    [
      'a wave whose name a shell would split',
      fleetWith('  waves: [{ name: "the rest" }]\n'),
      'fleet.yaml:7:19: spec.waves.0.name: use lowercase letters, digits, "-" and ".", starting and ending with a letter or digit (CCM5003)',
    ],
    [
      'more canaries than clusters',
      WAVES('      canary: { count: 5 }\n'),
      'fleet.yaml:11:24: spec.waves.1.canary.count: larger than its wave: 5 of 4 (CCM5024)',
    ],
    [
      'a canary of another wave',
      WAVES('      canary: { names: [eu-1] }\n'),
      'fleet.yaml:11:25: spec.waves.1.canary.names.0: not in wave main, did you mean "eu-2"? (CCM5024)',
    ],
    [
      'a canary that is named twice',
      WAVES('      canary: { names: [eu-2, eu-2] }\n'),
      'fleet.yaml:11:31: spec.waves.1.canary.names.1: "eu-2" is already in this list (CCM5009)',
    ],
    [
      'canaries by count and by name',
      WAVES('      canary: { count: 1, names: [eu-2] }\n'),
      'fleet.yaml:11:17: spec.waves.1.canary.count: only one of count and names can be given (CCM5010)',
    ],
    [
      'a limit of the soak below the soak of the wave',
      WAVES('      soak: 2h\n      soakLimit: 1h\n'),
      'fleet.yaml:12:18: spec.waves.1.soakLimit: shorter than the soak 2h (CCM5010)',
    ],
    [
      'a limit of the soak below the soak of the policy',
      WAVES('      soakLimit: 5m\n'),
      'fleet.yaml:11:18: spec.waves.1.soakLimit: shorter than the soak 15m (CCM5010)',
    ],
    [
      'a share without its sign',
      WAVES("      done: { proven: '95' }\n"),
      'fleet.yaml:11:23: spec.waves.1.done.proven: write a whole percentage with its sign, for example 25% (CCM5003)',
    ],
    [
      'a share above everything',
      WAVES('      done: { proven: 101% }\n'),
      'fleet.yaml:11:23: spec.waves.1.done.proven: must be between 1% and 100% (CCM5003)',
    ],
    [
      'a budget of nothing',
      ROLLOUT('failureBudget: { percent: 0% }'),
      'fleet.yaml:7:40: spec.rollout.failureBudget.percent: must be between 1% and 100% (CCM5003)',
    ],
    [
      'a budget as a number and as a share',
      ROLLOUT('failureBudget: { clusters: 1, percent: 10% }'),
      'fleet.yaml:7:44: spec.rollout.failureBudget.percent: only one of clusters and percent can be given (CCM5010)',
    ],
    [
      'fewer unproven than in flight',
      ROLLOUT('inFlight: 8, unproven: 7'),
      'fleet.yaml:7:37: spec.rollout.unproven: less than inFlight 8: each cluster in flight is unproven too (CCM5025)',
    ],
    [
      'a cap on a label that no cluster has',
      ROLLOUT('caps: { regon: 2 }'),
      'fleet.yaml:7:22: spec.rollout.caps.regon: no cluster of this fleet has this label, did you mean "region"? (CCM5026)',
    ],
    [
      'a cap with the name of an inherited member',
      ROLLOUT('caps: { constructor: 2 }'),
      'fleet.yaml:7:22: spec.rollout.caps.constructor: no cluster of this fleet has this label (CCM5026)',
    ],
    [
      'a deadline before the start',
      ROLLOUT("startAt: '2026-12-01T20:00:00+01:00', deadline: '2026-12-01T19:00:00Z'"),
      'fleet.yaml:7:62: spec.rollout.deadline: not after startAt 2026-12-01T20:00:00+01:00 (CCM5030)',
    ],
    [
      'a start without an offset',
      ROLLOUT("startAt: '2026-12-01T20:00:00'"),
      'fleet.yaml:7:23: spec.rollout.startAt: write date, time and offset, for example 2026-12-01T20:00:00+01:00 (CCM5003)',
    ],
    [
      'an unknown time zone',
      WINDOW('timeZone: Europe/Berln'),
      'fleet.yaml:11:29: spec.waves.1.windows.0.timeZone: unknown time zone "Europe/Berln", did you mean "Europe/Berlin"? (CCM5027)',
    ],
    [
      'a window that is too short',
      WINDOW("from: '23:50', to: '00:12'"),
      'fleet.yaml:11:17: spec.waves.1.windows.0: open for 22 minutes, but a run may take 23 (timings.effect and election of the policy) (CCM5028)',
    ],
    [
      'a time that no clock shows',
      WINDOW("from: '24:00'"),
      'fleet.yaml:11:25: spec.waves.1.windows.0.from: write a time as HH:MM, from 00:00 to 23:59 (CCM5003)',
    ],
    [
      'a day that is no abbreviation',
      WINDOW('days: [Mon]'),
      'fleet.yaml:11:26: spec.waves.1.windows.0.days.0: expected one of Su, Mo, Tu, We, Th, Fr, Sa, found "Mon", did you mean "Mo"? (CCM5003)',
    ],
    [
      'a date that does not exist',
      WAVES('      excludedDates: [2026-02-30]\n'),
      'fleet.yaml:11:23: spec.waves.1.excludedDates.0: write a date as YYYY-MM-DD, for example 2026-12-24 (CCM5003)',
    ],
    [
      'a quorum larger than the approvers',
      APPROVALS('quorum: 3, approvers: [ana, ben]'),
      'fleet.yaml:11:28: spec.waves.1.approvals.quorum: larger than the 2 who may approve (CCM5029)',
    ],
    [
      'a quorum that counts one person twice',
      APPROVALS('quorum: 2, approvers: [ana, ana]'),
      'fleet.yaml:11:28: spec.waves.1.approvals.quorum: larger than the 1 who may approve (CCM5029)',
    ],
    [
      'an approver who is named twice',
      APPROVALS('approvers: [ana, ana]'),
      'fleet.yaml:11:37: spec.waves.1.approvals.approvers.1: "ana" is already in this list (CCM5009)',
    ],
    [
      'approvers without anyone',
      APPROVALS('approvers: []'),
      'fleet.yaml:11:31: spec.waves.1.approvals.approvers: names no one who may approve; leave it out to let anyone approve (CCM5029)',
    ],
    [
      'a policy of a wave that does not exist',
      WAVES('      policy: standart\n'),
      'fleet.yaml:11:15: spec.waves.1.policy: no such policy among the files given, did you mean "standard"? (CCM5010)',
    ],
    [
      'no inventory',
      fleetWith('').replace('  inventories: [eu, us]\n', ''),
      'fleet.yaml:5:3: spec.inventory: required, and missing (string; or inventories with several) (CCM5004)',
    ],
    [
      'one inventory and several',
      fleetWith('  inventory: eu\n'),
      'fleet.yaml:5:3: spec.inventories: only one of inventory and inventories can be given (CCM5010)',
    ],
    [
      'an inventory that is listed twice',
      fleetWith('').replace('[eu, us]', '[eu, us, eu]'),
      'fleet.yaml:5:25: spec.inventories.2: "eu" is already in this list (CCM5009)',
    ],
    [
      'an unknown inventory among several',
      fleetWith('').replace('[eu, us]', '[eu, use]'),
      'fleet.yaml:5:21: spec.inventories.1: no such inventory among the files given, did you mean "us"? (CCM5010)',
    ],
  ])('%s', async (_name, fleet, expected) => {
    expect((await lintFleet(fleet)).problems).toContain(expected);
  });
});

describe('other files of a fleet', () => {
  it.each<[string, string, Files, string]>([
    [
      'one name in two inventories',
      fleetWith(''),
      { 'us.yaml': inventoryOf('us', [{ name: 'eu-1', region: 'us' }]) },
      'us.yaml:6:15: spec.clusters.0.name: a cluster named "eu-1" is already defined in inventory eu (CCM5009)',
    ],
    [
      'a window without room for the soak that a change follows',
      WINDOW("from: '20:00', to: '20:40'"),
      { 'policy.yaml': `${STANDARD}  disableLeaderMigration: afterSoak\n` },
      'fleet.yaml:11:17: spec.waves.1.windows.0: open for 40 minutes, but a run may take 45 (timings.effect and election of the policy, and its soak, which a change follows) (CCM5028)',
    ],
    [
      'a wave whose policy replaces nodes without a machines API',
      WAVES('      policy: replacing\n'),
      {
        'replacing.yaml': STANDARD.replace('name: standard', 'name: replacing').replace(
          'forward: inPlace',
          'forward: replace',
        ),
      },
      'eu.yaml:7:7: spec.clusters.1.machinesApi: needed because policy replacing replaces nodes; set it, or set nodes.forward: inPlace (CCM5010)',
    ],
  ])('%s', async (_name, fleet, files, expected) => {
    expect((await lintFleet(fleet, files)).problems).toContain(expected);
  });
});

it('a label that is not one line is refused, and that of an unusual name is not', async () => {
  const odd = (labels: string) => ({
    'eu.yaml': inventoryOf('eu', [{ name: 'eu-1', region: 'eu', labels }]),
  });
  const { problems } = await lintFleet(fleetWith(''), odd('"a\\nb": x, team: "a\\u202eb"'));
  expect(problems.map((each) => each.replace(/^.*spec/, 'spec'))).toEqual([
    'spec.clusters.0.labels.a b: holds a character that a terminal hides or obeys, such as the end of a line (CCM5003)',
    'spec.clusters.0.labels.team: holds a character that a terminal hides or obeys, such as the end of a line (CCM5003)',
  ]);
  expect((await lintFleet(fleetWith(''), odd('team: "Ana & José\'s, --all"'))).problems).toEqual(
    [],
  );
});

it('accepts the fleet that the problems are made from', async () => {
  expect((await lintFleet(WAVES(''))).problems).toEqual([]);
  expect(Object.keys(FILES)).toHaveLength(4);
});

it('reports a broken reference of a wave once, at its selector or its name', async () => {
  const fleet = fleetWith(
    '  waves:\n    - name: one\n      selector: { names: [xx] }\n  rest: skip\n',
  );
  expect((await lintFleet(fleet)).problems).toEqual([
    'fleet.yaml:9:27: spec.waves.0.selector.names.0: not in this fleet (CCM5008)',
  ]);
});
