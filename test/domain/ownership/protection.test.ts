import { describe, expect, it } from '@jest/globals';
import type { ManagerConfig, ManagerSlot } from '../../../domain/observation/observation.js';
import { factsOf } from '../../../domain/ownership/cluster-facts.js';
import { ownerOf, sideOf } from '../../../domain/ownership/owners.js';
import { protectionOf } from '../../../domain/ownership/protection.js';
import { type ClusterSpec, clusterOf, policyOf } from '../../support/cluster-builder.js';
import { ccmConfig, kcmConfig, leaderMigrationOn } from '../../support/manager-configs.js';

const ON = kcmConfig('inTreeLm');
const UNREADABLE = { kind: 'unreadable', why: 'changed after the start' } as const;

describe('protection', () => {
  it.each<{ name: string; config: ManagerConfig; expected: string }>([
    { name: 'the same lock and set', config: ON, expected: 'protected' },
    { name: 'Leader Migration off', config: kcmConfig('inTree'), expected: 'unprotected' },
    {
      name: 'no leader election at all',
      config: { ...ON, leaderElect: false },
      expected: 'unprotected',
    },
    { name: 'other names', config: kcmConfig('inTreeWrong'), expected: 'unprotected' },
    {
      name: 'another lock',
      config: {
        ...ON,
        leaderMigration: {
          ...leaderMigrationOn(),
          lock: { namespace: 'kube-system', name: 'other' },
        } as ManagerConfig['leaderMigration'],
      },
      expected: 'unprotected',
    },
    {
      name: 'a lock that is never tried, the token controller being off',
      config: { ...ON, contendsForMigrationLock: false },
      expected: 'unprotected',
    },
    {
      name: 'a file that cannot be read',
      config: { ...ON, leaderMigration: UNREADABLE },
      expected: 'unknown',
    },
  ])('a manager with $name is $expected', ({ config, expected }) => {
    expect(protectionOf(config, policyOf())).toBe(expected);
  });

  it('protection of a node is that of its weakest process', () => {
    const observation = clusterOf({
      nodes: [{ kcm: 'inTreeLm', ccm: 'none' }],
      kcmLeader: 'free',
      ccmLeader: 'free',
      migration: 'free',
    });
    const nodes = observation.nodes.map((node) => ({
      ...node,
      kcm: {
        ...node.kcm,
        processes: node.kcm.processes.map((process) => ({
          ...process,
          config: { ...process.config, leaderMigration: UNREADABLE },
        })),
      },
    }));
    const facts = factsOf({ ...observation, nodes }, 'ccm', policyOf());
    expect(facts.kcms.map(({ protection }) => protection)).toEqual(['unknown']);
  });
});

describe('who allocates pod ranges', () => {
  const spec = (kcm: ClusterSpec['nodes'][number]['kcm']): ClusterSpec => ({
    nodes: [{ kcm, ccm: 'off' }],
    kcmLeader: 0,
    ccmLeader: 'free',
    migration: 'free',
  });

  it.each(['inTree', 'external'] as const)(
    'pod ranges are allocated by a leading KCM that is %s',
    (kcm) => {
      expect(ownerOf(clusterOf(spec(kcm)), 'nodeipam')).toBe('kcm');
    },
  );

  it('pod ranges are allocated by a leading CCM as well, unless its lock forbids', () => {
    expect(ownerOf(clusterOf({ ...spec('none'), ccmLeader: 0 }), 'nodeipam')).toBe('ccm');
  });
});

describe('the side of a node', () => {
  const slot = (config: ManagerConfig | null): ManagerSlot => ({
    manifest:
      config === null
        ? { state: 'absent' }
        : { state: 'present', source: 'staticPod', hash: '', config },
    processes: [],
  });
  const hidden: ManagerSlot = { manifest: { state: 'unknown', why: 'no answer' }, processes: [] };
  const none = slot(null);

  it.each([
    { kcm: slot(kcmConfig('inTree')), ccm: none, side: 'source' },
    { kcm: slot(kcmConfig('inTree')), ccm: slot(ccmConfig('on')), side: 'mixed' },
    { kcm: slot(kcmConfig('external')), ccm: none, side: 'target' },
    { kcm: none, ccm: slot(ccmConfig('on')), side: 'target' },
    { kcm: none, ccm: none, side: 'unknown' },
    { kcm: hidden, ccm: none, side: 'unknown' },
    { kcm: slot(kcmConfig('inTree')), ccm: hidden, side: 'unknown' },
  ])(
    'a node whose KCM is $kcm.manifest.state and whose CCM is $ccm.manifest.state has side $side',
    ({ kcm, ccm, side }) => {
      expect(sideOf(kcm, ccm)).toBe(side);
    },
  );
});
