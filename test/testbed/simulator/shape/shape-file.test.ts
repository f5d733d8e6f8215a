import { describe, expect, it } from '@jest/globals';
import { readShape, type ShapeAnswer } from '../../../../testbed/simulator/shape/shape-file.js';

const DEFAULTS = {
  spec: { nodes: 3, version: '1.29.15', preset: 'in-tree' },
  region: 'home',
} as const;

const HEAD = 'apiVersion: simulator.ccm-migrate.dev/v1\nkind: SimulatorShape\n';

const shapeOf = (text: string): ShapeAnswer => readShape(`${HEAD}${text}`, 'shape.yaml', DEFAULTS);

function problemsOf(text: string): readonly string[] {
  const answer = shapeOf(text);
  return answer.ok ? [] : answer.problems;
}

describe('the shape of a simulated fleet', () => {
  it('a group takes from the flags what it does not say', () => {
    expect(shapeOf('groups: [{ prefix: eu, count: 2 }]')).toEqual({
      ok: true,
      clusters: ['eu-1', 'eu-2'].map((id) => ({
        ...{ id, region: 'home', labels: {}, faults: [] },
        spec: DEFAULTS.spec,
      })),
    });
  });

  it('a group with a name is one cluster of this name, which may have dots', () => {
    const answer = shapeOf('groups: [{ name: eu.17, region: eu.west }]');
    expect(answer).toMatchObject({ ok: true, clusters: [{ id: 'eu.17', region: 'eu.west' }] });
  });

  it.each([
    ['{ name: eu-17, count: 2 }', 'groups.0.count: is for several clusters'],
    ['{ name: eu-17, prefix: eu }', 'groups.0.prefix: is for several clusters'],
    ['{ name: Eu }', 'groups.0.name: must be a name as in an inventory'],
    ['{ prefix: eu }, { name: eu-1 }', 'groups.1.name: another group has a cluster eu-1'],
  ])('the groups %s are refused', (groups, problem) => {
    expect(problemsOf(`groups: [${groups}]`)).toEqual([expect.stringContaining(problem)]);
  });

  it('a group says where its clusters are, what they are and what befalls them', () => {
    const answer = shapeOf(`groups:
  - prefix: us
    first: 4
    region: us
    labels: { tier: pilot }
    nodes: 1
    from: 1.28.15
    to: 1.29.15
    preset: guide-130
    workers: 0
    services: 2
    etcd: stacked
    brokenMachines: [cp-4]
    kubelet: { start: [1s, 2s] }
    faults:
      - { at: 30s, fault: resetBefore, lasts: 2m }
      - { on: { mutating: true, nth: 3 }, after: 2s, event: crashProcess, node: cp-1, manager: kcm }
      - { on: { verb: create, pathIncludes: leases, userAgentIncludes: guard }, fault: hang, hold: 500ms }
      - { at: 1m, cloud: fail, controller: service, manager: ccm, ratio: 0.2, error: quota, lasts: 5m }
      - { at: 2m, cloud: slow, controller: route, op: CreateRoute, delay: 3s }
      - { at: 3m, cloud: heal, controller: route }
`);
    expect(answer).toEqual({
      ok: true,
      clusters: [
        {
          ...{ id: 'us-4', region: 'us', labels: { tier: 'pilot' } },
          spec: {
            ...{ nodes: 1, version: '1.28.15', apiServerVersion: '1.29.15', preset: 'guide-130' },
            ...{ workers: 0, loadBalancers: 2, etcd: 'stacked', brokenMachines: ['cp-4'] },
            kubeletDelays: { start: [1000, 2000] },
          },
          faults: [
            {
              moment: { kind: 'at', atMs: 30_000 },
              harm: { kind: 'outage', fault: 'resetBefore', lastsMs: 120_000 },
            },
            {
              moment: { kind: 'on', aim: { mutating: true, nth: 3 }, afterMs: 2000 },
              harm: {
                kind: 'event',
                order: { kind: 'crashProcess', node: 'cp-1', manager: 'kcm' },
              },
            },
            {
              moment: {
                ...{ kind: 'on', afterMs: 0 },
                aim: { verb: 'create', pathIncludes: 'leases', userAgentIncludes: 'guard', nth: 1 },
              },
              harm: { kind: 'fault', fault: 'hang', holdMs: 500 },
            },
            {
              moment: { kind: 'at', atMs: 60_000 },
              harm: {
                ...{ kind: 'cloud', lastsMs: 300_000 },
                fault: {
                  ...{ controller: 'service', manager: 'ccm' },
                  ...{ cloud: 'fail', ratio: 0.2, error: 'quota' },
                },
              },
            },
            {
              moment: { kind: 'at', atMs: 120_000 },
              harm: {
                ...{ kind: 'cloud', lastsMs: null },
                fault: { controller: 'route', op: 'CreateRoute', cloud: 'slow', ms: 3000 },
              },
            },
            {
              moment: { kind: 'at', atMs: 180_000 },
              harm: { kind: 'healCloud', aim: { controller: 'route' } },
            },
          ],
        },
      ],
    });
  });

  it.each<[string, string, string]>([
    ['a misspelt key', 'groups:\n  - prefix: eu\n    conut: 2', '5:5: groups.0.conut: unknown key'],
    [
      'a wrong value',
      'groups:\n  - prefix: eu\n    count: two',
      '5:12: groups.0.count: must be a whole',
    ],
    ['a missing name', 'groups:\n  - count: 2', '4:5: groups.0.prefix: required, and missing'],
    ['no group', 'groups: []', '3:9: groups: must be a list of at least one group'],
    [
      'two clusters of one name',
      'groups: [{ prefix: eu, count: 3 }, { prefix: eu, first: 3 }]',
      '3:46: groups.1.prefix: another group has a cluster eu-3',
    ],
    [
      'too many clusters',
      'groups: [{ prefix: eu, count: 4000 }, { prefix: us, count: 4000 }]',
      '3:9: groups: at most 5000 clusters, not 8000',
    ],
    ['an unknown preset', 'groups: [{ prefix: eu, preset: odd }]', 'must be one of in-tree,'],
    ['a version with v', 'groups: [{ prefix: eu, from: v1.29.1 }]', 'must be a version such as'],
    ['a delay that is none', 'groups: [{ prefix: eu, kubelet: { go: [1s, 2s] } }]', 'unknown key'],
    ['a range the wrong way', 'groups: [{ prefix: eu, kubelet: { start: [2s, 1s] } }]', 'shorter'],
    [
      'a fault without a moment',
      'groups: [{ prefix: eu, faults: [{ fault: hang }] }]',
      'either at',
    ],
    [
      'a fault with two moments',
      'groups: [{ prefix: eu, faults: [{ at: 1s, on: {}, fault: hang }] }]',
      'either at',
    ],
    ['a moment without harm', 'groups: [{ prefix: eu, faults: [{ at: 1s }] }]', 'either fault'],
    [
      'an event without its node',
      'groups: [{ prefix: eu, faults: [{ at: 1s, event: crashNode }] }]',
      'groups.0.faults.0.node: required, and missing',
    ],
    [
      'an event with what is not its own',
      'groups: [{ prefix: eu, faults: [{ at: 1s, event: crashOwner, node: cp-1 }] }]',
      'groups.0.faults.0.node: unknown key',
    ],
    [
      'a cloud that fails for no controller',
      'groups: [{ prefix: eu, faults: [{ at: 1s, cloud: fail }] }]',
      'groups.0.faults.0.controller: required, and missing',
    ],
    [
      'a slow cloud without its delay',
      'groups: [{ prefix: eu, faults: [{ at: 1s, cloud: slow, controller: node }] }]',
      'groups.0.faults.0.delay: required, and missing',
    ],
    [
      'a share above one',
      'groups: [{ prefix: eu, faults: [{ at: 1s, cloud: fail, controller: node, ratio: 2 }] }]',
      'groups.0.faults.0.ratio: must be a number from 0 to 1',
    ],
    [
      'a cloud that is healed for a time',
      'groups: [{ prefix: eu, faults: [{ at: 1s, cloud: heal, lasts: 1m }] }]',
      'groups.0.faults.0.lasts: unknown key',
    ],
    [
      'two harms at once',
      'groups: [{ prefix: eu, faults: [{ at: 1s, cloud: heal, fault: hang }] }]',
      'needs either fault',
    ],
    ['a key given twice', 'groups: []\ngroups: []', '4:1: Map keys must be unique'],
    ['an alias', 'groups: &a []\nkind2: *a', 'aliases are not allowed'],
    ['an inherited name', 'groups: []\n__proto__: {}', '4:1: __proto__: unknown key'],
    ['no object', '- 1', ''],
  ])('a shape is refused where it is wrong: %s', (_case, text, words) => {
    const problems = problemsOf(text);
    expect(problems).not.toEqual([]);
    expect(problems.every((each) => /^shape\.yaml:\d+:\d+: /.test(each))).toBe(true);
    expect(problems.join('\n')).toContain(words);
  });

  it('a shape of another kind is refused', () => {
    const answer = readShape('kind: Fleet\ngroups: [{ prefix: eu }]', 'x.yaml', DEFAULTS);
    expect(answer).toEqual({
      ok: false,
      problems: [
        'x.yaml:1:1: apiVersion: required, and missing: simulator.ccm-migrate.dev/v1',
        'x.yaml:1:7: kind: must be one of SimulatorShape',
      ],
    });
  });
});
