import { describe, expect, it } from '@jest/globals';
import { clusterOwner, isInUse, mayRun, ownerOf } from '../../../domain/ownership/owners.js';
import type {
  ClusterObservation,
  ManagerConfig,
  ManagerSlot,
} from '../../../domain/observation/observation.js';
import type { CloudController } from '../../../domain/vocabulary.js';
import { clusterOf, type ClusterSpec, UNTOUCHED } from '../../support/cluster-builder.js';
import { ccmConfig, kcmConfig } from '../../support/manager-configs.js';

const ALL = ['service', 'route', 'cloud-node-lifecycle'] as const;

const TARGET: ClusterSpec = {
  nodes: [
    { kcm: 'external', ccm: 'off' },
    { kcm: 'external', ccm: 'off' },
  ],
  kcmLeader: 0,
  ccmLeader: 1,
  migration: 'free',
};

/** The cluster with other settings of every KCM and CCM, and of the baseline. */
function withSettings(spec: ClusterSpec, change: Partial<ManagerConfig>): ClusterObservation {
  const observation = clusterOf(spec);
  const slot = ({ manifest, processes }: ManagerSlot): ManagerSlot => ({
    manifest:
      manifest.state === 'present'
        ? { ...manifest, config: { ...manifest.config, ...change } }
        : manifest,
    processes: processes.map((one) => ({ ...one, config: { ...one.config, ...change } })),
  });
  return {
    ...observation,
    nodes: observation.nodes.map((node) => ({
      ...node,
      kcm: slot(node.kcm),
      ccm: slot(node.ccm),
    })),
    baseline: {
      digest: 'd',
      kcm: { ...kcmConfig('inTree'), ...change },
      controlPlaneNodes: 2,
    },
  };
}

describe('what a manager may run', () => {
  it.each([
    ['*', {}, [...ALL, 'nodeipam']],
    ['*,-service', {}, ['route', 'cloud-node-lifecycle', 'nodeipam']],
    ['*,-node-route-controller', {}, ['service', 'cloud-node-lifecycle', 'nodeipam']],
    ['*', { routes: false }, ['service', 'cloud-node-lifecycle', 'nodeipam']],
    ['*', { cloudLoops: false }, ['nodeipam']],
    ['*,-nodeipam', { cloudLoops: false }, []],
  ] as const)('a KCM with --controllers=%s and %j may run %j', (controllers, change, runs) => {
    const config: ManagerConfig = { ...kcmConfig('inTree'), controllers, ...change };
    const all: readonly CloudController[] = [...ALL, 'nodeipam'];
    expect(all.filter((one) => mayRun(config, one))).toEqual(runs);
  });

  it('a CCM follows its own list', () => {
    const config = { ...ccmConfig('on'), controllers: 'cloud-node-lifecycle-controller' };
    expect(ALL.filter((one) => mayRun(config, one))).toEqual(['cloud-node-lifecycle']);
  });
});

describe('a controller that is switched off', () => {
  it.each([
    ['in the KCM', UNTOUCHED, 'kcm'],
    ['in the CCM after it', TARGET, 'ccm'],
  ] as const)(
    'a controller that is switched off %s has no owner, and none is expected',
    (_, spec, owner) => {
      const observation = withSettings(spec, { controllers: '*,-service' });
      expect(ALL.map((one) => ownerOf(observation, one))).toEqual(['none', owner, owner]);
      expect(ALL.map((one) => isInUse(observation, one))).toEqual([false, true, true]);
      expect(clusterOwner(observation, ALL)).toBe(owner);
      expect(clusterOwner(observation, ['service', 'route'])).toBe(owner);
    },
  );

  it('a controller is expected where the KCM of the baseline ran it', () => {
    const observation = withSettings(TARGET, { controllers: '*,-service' });
    const before = { ...observation, baseline: clusterOf(TARGET).baseline };
    expect(isInUse(before, 'service')).toBe(true);
    expect(clusterOwner(before, ['service'])).toBe('none');
  });

  it.each([
    ['in place', 0],
    ['beside its place', 1],
    ['yet to be written', 2],
  ])('a controller is in use while one manifest %s would run it', (_, which) => {
    const observation = withSettings(UNTOUCHED, { controllers: '*,-service' });
    const config = kcmConfig('inTree');
    const manifest = [
      { state: 'present', source: 'staticPod', hash: '', config } as const,
      { state: 'parked', hash: '', config } as const,
      { state: 'interrupted', successorHash: '', successor: config } as const,
    ][which];
    const nodes = observation.nodes.map((node, index) =>
      index === 0 || manifest === undefined ? node : { ...node, kcm: { manifest, processes: [] } },
    );
    expect(isInUse({ ...observation, nodes }, 'service')).toBe(true);
  });

  it.each([
    [UNTOUCHED, 'kcm'],
    [TARGET, 'ccm'],
    [{ ...UNTOUCHED, kcmLeader: 'free' }, 'none'],
  ] as const)('with all controllers off, the manager that would run them owns', (spec, owner) => {
    const off = { controllers: '*,-service,-cloud-node-lifecycle', routes: false };
    const observation = withSettings(spec, off);
    expect(ALL.some((one) => isInUse(observation, one))).toBe(false);
    expect(clusterOwner(observation, ALL)).toBe(owner);
    const hidden = observation.nodes.map((node) => ({ ...node, reachable: false }));
    expect(clusterOwner({ ...observation, nodes: hidden }, ALL)).toBe('unknown');
  });

  it('a controller is in use where nothing is known', () => {
    const nothing = {
      ...clusterOf({ ...UNTOUCHED, nodes: [{ kcm: 'none', ccm: 'none' }] }),
      baseline: null,
    };
    expect(isInUse(nothing, 'service')).toBe(true);
    expect(clusterOwner(nothing, ALL)).toBe('none');
  });
});
