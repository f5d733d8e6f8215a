import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { lintFiles } from '../../config/fleet.js';
import { formatProblem } from '../../config/problems.js';
import { CCM_POD, FLEET, INVENTORY, POLICY, withFiles } from './given-files.js';

type Files = Readonly<Record<string, string>>;

const GOOD: Files = {
  'fleet.yaml': FLEET,
  'inventory.yaml': INVENTORY,
  'policy.yaml': POLICY,
  'ccm.yaml': CCM_POD,
};

const NAMES = ['fleet.yaml', 'inventory.yaml', 'policy.yaml'];

async function problemsIn(files: Files): Promise<readonly string[]> {
  return withFiles({ ...GOOD, ...files }, async (folder) => {
    const { problems } = await lintFiles(NAMES.map((name) => join(folder, name)));
    return problems.map(formatProblem).map((line) => line.replaceAll(`${folder}/`, ''));
  });
}

const FIELD = (from: string, to: string): Files => ({ 'policy.yaml': POLICY.replace(from, to) });
const ADD = (line: string): Files => ({ 'policy.yaml': `${POLICY}  ${line}\n` });
const FLEET_WITH = (from: string, to: string): Files => ({ 'fleet.yaml': FLEET.replace(from, to) });
const OWN_GATE = '{ name: lag, kind: gauge, promql: lag, limit: { above: 1 } }';

describe('problems in a fleet', () => {
  it.each<[string, Files, string]>([
    [
      'a misspelt key',
      ADD('strateggy: gap'),
      'policy.yaml:8:3: spec.strateggy: unknown key, did you mean "strategy"? (CCM5002)',
    ],
    [
      'a misspelt value',
      ADD('strategy: gapp'),
      'policy.yaml:8:13: spec.strategy: expected one of leaderMigration, gap, found "gapp", did you mean "gap"? (CCM5003)',
    ],
    [
      'a misspelt word where an object may stand too',
      ADD('gates: { onBreach: rolback }'),
      'policy.yaml:8:22: spec.gates.onBreach: expected one of hold, rollBack, found "rolback", did you mean "rollBack"? (CCM5003)',
    ],
    [
      'a duration without unit',
      ADD("soak: '30'"),
      'policy.yaml:8:9: spec.soak: write a duration with its unit, for example 30m, 90s or 500ms (CCM5003)',
    ],
    [
      'a number as duration',
      ADD('soak: 30'),
      'policy.yaml:8:9: spec.soak: expected string, found a number (CCM5003)',
    ],
    [
      'a duration out of bounds',
      ADD('soak: 25h'),
      'policy.yaml:8:9: spec.soak: must be between 0s and 24h (CCM5003)',
    ],
    [
      'a name of a cluster that a command would take for a flag',
      { 'inventory.yaml': INVENTORY.replace('name: prod-1', "name: '-prod-1'") },
      'inventory.yaml:6:13: spec.clusters.0.name: use lowercase letters, digits, "-" and ".", starting and ending with a letter or digit (CCM5003)',
    ],
    [
      'a version without patch',
      FIELD('version: 1.29.15', "version: '1.29'"),
      'policy.yaml:5:22: spec.source.version: write a full version without "v", for example 1.30.14 (CCM5006)',
    ],
    [
      'a missing field',
      FIELD(', kcmImage: kcm:1.30', ''),
      'policy.yaml:6:11: spec.target.kcmImage: required, and missing (string) (CCM5004)',
    ],
    [
      'another apiVersion',
      FIELD('v1alpha1', 'v1'),
      'policy.yaml:1:13: apiVersion: expected "ccm-migrate.dev/v1alpha1", found "ccm-migrate.dev/v1" (CCM5005)',
    ],
    [
      'targetNotOlder',
      FIELD('1.30.14, kcm', '1.28.14, kcm'),
      'policy.yaml:6:22: spec.target.version: older than source.version 1.29.15 (CCM5010)',
    ],
    [
      'oneMinorAtATime',
      FIELD('1.30.14, kcm', '1.31.1, kcm'),
      'policy.yaml:6:22: spec.target.version: more than one minor above source.version 1.29.15 (CCM5010)',
    ],
    [
      'sourceIsInTree',
      FIELD('cloudProvider: example', 'cloudProvider: external'),
      'policy.yaml:5:46: spec.source.cloudProvider: must be the current in-tree provider; "external" is what the target runs (CCM5010)',
    ],
    [
      'leaderMigrationImplemented',
      FIELD('manifest:', 'leaderMigration: absent, manifest:'),
      'policy.yaml:7:62: spec.ccm.leaderMigration: strategy leaderMigration needs a CCM that implements it; use strategy: gap (CCM5010)',
    ],
    [
      'gapInPlace',
      ADD('strategy: gap'),
      'policy.yaml:5:3: spec.nodes.forward: strategy gap changes nodes in place; set nodes.forward: inPlace (CCM5010)',
    ],
    [
      'gapHasNothingToDisable',
      ADD('strategy: gap\n  nodes: { forward: inPlace }\n  disableLeaderMigration: afterSoak'),
      'policy.yaml:10:27: spec.disableLeaderMigration: strategy gap runs without Leader Migration; remove this (CCM5010)',
    ],
    [
      'lockIsNoMainLock',
      ADD('lock: { name: kube-controller-manager }'),
      'policy.yaml:8:17: spec.lock.name: "kube-controller-manager" is a manager\'s own lock; the migration lock must be another Lease (CCM5010)',
    ],
    [
      'lockControllersOnce',
      ADD('lock: { controllers: [service, service] }'),
      'policy.yaml:8:24: spec.lock.controllers: names a controller twice (CCM5009)',
    ],
    [
      'kcmTimingsElectable',
      ADD('kcm: { leaseTimings: { leaseDuration: 10s } }'),
      'policy.yaml:8:24: spec.kcm.leaseTimings: leaseDuration 10s must be longer than renewDeadline 10s (CCM5007)',
    ],
    [
      'timingsAgree',
      ADD('kcm: { leaseTimings: { leaseDuration: 20s } }'),
      'policy.yaml:7:8: spec.ccm.leaseTimings: leaseDuration and renewDeadline must equal those of kcm.leaseTimings (CCM5007)',
    ],
    [
      'ccmTimingsElectable',
      FIELD('manifest:', 'leaseTimings: { retryPeriod: 9s }, manifest:'),
      'policy.yaml:7:59: spec.ccm.leaseTimings: renewDeadline 10s must be longer than 1.2 × retryPeriod 9s (CCM5007)',
    ],
    [
      'orphanBudgetCoversExpiry',
      ADD('gates: { orphanBudget: 5s }'),
      'policy.yaml:8:26: spec.gates.orphanBudget: shorter than one expiry of a Lease (19.4s with these timings) (CCM5010)',
    ],
    [
      'probeFitsIntoStep',
      ADD('gates: { probes: { balancer: { within: 4m } } }'),
      'policy.yaml:8:32: spec.gates.probes.balancer: within must be less than a quarter of timings.step (15m): a probe waits up to four times (CCM5010)',
    ],
    [
      'electionOutlastsExpiry',
      ADD('timings: { election: 5s }'),
      'policy.yaml:8:24: spec.timings.election: shorter than one expiry of a Lease (19.4s with these timings) (CCM5010)',
    ],
    [
      'pollWithinEffect',
      ADD('timings: { poll: 10s, effect: 5s }'),
      'policy.yaml:8:20: spec.timings.poll: must be shorter than effect 5s (CCM5010)',
    ],
    [
      'effectWithinStep',
      ADD('timings: { effect: 20m }'),
      'policy.yaml:8:22: spec.timings.effect: must be shorter than step 15m (CCM5010)',
    ],
    [
      'heartbeatWithinStep',
      ADD('timings: { heartbeat: 1m, step: 10s, effect: 5s }'),
      'policy.yaml:8:25: spec.timings.heartbeat: must be shorter than step 10s (CCM5010)',
    ],
    [
      'an unknown inventory',
      FLEET_WITH('inventory: home', 'inventory: hme'),
      'fleet.yaml:5:14: spec.inventory: no such inventory among the files given, did you mean "home"? (CCM5010)',
    ],
    [
      'an unknown policy',
      FLEET_WITH('policy: standard', 'policy: other'),
      'fleet.yaml:6:11: spec.policy: no such policy among the files given (CCM5010)',
    ],
    [
      'an unknown cluster',
      { 'fleet.yaml': `${FLEET}  clusters: { names: [prod-2] }\n` },
      'fleet.yaml:7:23: spec.clusters.names.0: not in inventory home, did you mean "prod-1"? (CCM5008)',
    ],
    [
      'labels that select nothing',
      { 'fleet.yaml': `${FLEET}  clusters: { labels: { env: x } }\n` },
      'fleet.yaml:7:13: spec.clusters: selects no cluster of inventory home: none has a label "env" (CCM5008)',
    ],
    [
      'no machines API for replace',
      { 'inventory.yaml': INVENTORY.replace(/ +machinesApi.*\n/, '') },
      'inventory.yaml:6:7: spec.clusters.0.machinesApi: needed because policy standard replaces nodes; set it, or set nodes.forward: inPlace (CCM5010)',
    ],
    [
      "gates of the operator's own without a Prometheus",
      ADD(`gates: { metrics: { own: [${OWN_GATE}] } }`),
      'inventory.yaml:6:7: spec.clusters.0.metrics: needs a prometheus because policy standard has gates of its own; name it, or remove gates.metrics.own (CCM5010)',
    ],
    [
      "two gates of the operator's own with one name",
      ADD(`gates: { metrics: { own: [${OWN_GATE}, ${OWN_GATE}] } }`),
      'policy.yaml:8:99: spec.gates.metrics.own.1.name: is the name of another gate of this list (CCM5003)',
    ],
    [
      'a manifest that is a DaemonSet',
      { 'ccm.yaml': CCM_POD.replace('Pod', 'DaemonSet') },
      'policy.yaml:7:55: spec.ccm.manifest: must be a Pod for deployAs: staticPod, found DaemonSet (CCM5014)',
    ],
    [
      'a manifest with another image',
      { 'ccm.yaml': CCM_POD.replace('ccm:1.30', 'ccm:1.29') },
      'policy.yaml:7:55: spec.ccm.manifest: runs image "ccm:1.29", ccm.image is "ccm:1.30" (CCM5014)',
    ],
    [
      'a manifest with a secret in its environment',
      {
        'ccm.yaml': `${CCM_POD}      env: [{ name: OS_PASSWORD, value: x }]\n`.replace(
          "{ name: ccm, image: 'ccm:1.30' }",
          "name: ccm\n      image: 'ccm:1.30'",
        ),
      },
      'policy.yaml:7:55: spec.ccm.manifest: holds a value for OS_PASSWORD, and would carry it into plans and histories: refer to a file or a Secret (CCM5014)',
    ],
    ...[
      '{ name: "OS_PASSWORD", value: x }',
      "{ value: x, name: 'OS_PASSWORD' }",
      '{ "name":"OS_PASSWORD","value":"x" }',
      '{ name: OS_PASSWORD, # of the cloud\n            value:   12 }',
      `{ name: APPLIED, value: '{"name":"OS_PASSWORD","value":"x"}' }`,
    ].map((variable): [string, Files, string] => [
      `a manifest with a secret in its environment, written as ${variable}`,
      { 'ccm.yaml': CCM_POD.replace('name: ccm,', `name: ccm, env: [${variable}],`) },
      'policy.yaml:7:55: spec.ccm.manifest: holds a value for OS_PASSWORD, and would carry it into plans and histories: refer to a file or a Secret (CCM5014)',
    ]),
    [
      'a manifest with a token among its arguments',
      { 'ccm.yaml': CCM_POD.replace('name: ccm,', "name: ccm, args: ['--token=abc'],") },
      'policy.yaml:7:55: spec.ccm.manifest: holds what looks like a credential, and would carry it into plans and histories: refer to a file or a Secret (CCM5014)',
    ],
    [
      'a static pod that refers to objects of the API',
      {
        'ccm.yaml': CCM_POD.replace(
          'containers:',
          'serviceAccountName: ccm\n  volumes: [{ name: c, secret: { secretName: cloud-config } }]\n  containers:',
        ),
      },
      'policy.yaml:7:55: spec.ccm.manifest: refers to ServiceAccount ccm, Secret cloud-config, which no static pod can use: give it files of the node (hostPath; --kubeconfig for its identity), or use deployAs: daemonSet (CCM5014)',
    ],
    [
      'a manifest that does not parse',
      { 'ccm.yaml': '{' },
      'policy.yaml:7:55: spec.ccm.manifest: is not valid YAML at 1:2: Flow map must end with a } (CCM5014)',
    ],
  ])('a problem is reported at its place: %s', async (_name, files, expected) => {
    expect(await problemsIn(files)).toContain(expected);
  });

  it.each<[string, boolean]>([
    ['{ name: HCLOUD_TOKEN, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }', true],
    ['{ name: OS_PASSWD, value: x }', false],
    ['{ name: DB_PASS, value: x }', false],
    ['{ name: BYPASS_PROXY, value: x }', true],
    ['{ name: AWS_CREDENTIALS, value: x }', false],
    ['{ name: GOOGLE_APPLICATION_CREDENTIALS, value: /etc/cloud/key.json }', true],
    ['{ name: REGISTRY_AUTH, value: x }', false],
    ['{ name: API_KEY, value: "" }', true],
  ])('a manifest may carry %s: %s', async (variable, isCarried) => {
    const text = CCM_POD.replace('name: ccm,', `name: ccm, env: [${variable}],`);
    const problems = (await problemsIn({ 'ccm.yaml': text })).filter((each) =>
      each.includes('would carry it into plans'),
    );
    expect(problems).toHaveLength(isCarried ? 0 : 1);
  });

  it('a reported problem never repeats a value that could be a secret', async () => {
    const canary = 'canary-7f3e';
    const problems = await problemsIn({
      'inventory.yaml': INVENTORY.replace('https://', `https://user:${canary}@`).replace(
        'name: prod-1',
        `name: prod-1\n      token: ${canary}`,
      ),
    });
    expect(problems.join('\n')).toContain('unknown key');
    expect(problems.join('\n')).not.toContain(canary);
  });
});
