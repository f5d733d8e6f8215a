import { describe, expect, it } from '@jest/globals';
import type {
  ClusterObservation,
  ManagerSlot,
} from '../../../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../../../domain/policy.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../../support/cluster-builder.js';
import { decisionOf, MIGRATED } from './decisions.js';

const policyFrom = (version: string, changes: Partial<MigrationPolicy> = {}): MigrationPolicy =>
  policyOf({ source: { ...policyOf().source, version }, ...changes });

const ON_TWO: ClusterSpec = { ...MIGRATED, nodes: MIGRATED.nodes.slice(0, 2) };
const SHARED: ClusterSpec = {
  ...ON_TWO,
  nodes: [
    { kcm: 'inTreeLm', ccm: 'on' },
    { kcm: 'inTreeLm', ccm: 'on' },
  ],
  migration: { manager: 'kcm', node: 0 },
};

const KCMS: ClusterSpec['nodes'] = SHARED.nodes.map(({ kcm }) => ({ kcm, ccm: 'none' as const }));

const ODD: ClusterSpec['nodes'] = KCMS.map(() => ({ kcm: 'inTreeWrong', ccm: 'none' }));

const UNPROTECTED: ClusterSpec = {
  ...ON_TWO,
  nodes: [
    { kcm: 'inTree', ccm: 'none' },
    { kcm: 'inTree', ccm: 'none' },
  ],
  ccmLeader: 'free',
  migration: 'free',
};

const served = (
  spec: ClusterSpec,
  versions: readonly string[],
  sharedAddress: 'yes' | 'no' | 'unknown' = 'yes',
): ClusterObservation => ({ ...clusterOf(spec), apiServers: { versions, sharedAddress } });

describe('versions during rollback (version skew policy)', () => {
  it.each([
    { source: '1.29.15', api: ['1.29.15'], expected: 'restoreKcm cp-2' },
    { source: '1.29.15', api: ['1.30.14'], expected: 'restoreKcm cp-2' },
    { source: '1.29.15', api: ['1.29.15', '1.30.14'], expected: 'restoreKcm cp-2' },
    { source: '1.29.15', api: ['1.31.4'], expected: 'CCM2016' },
    { source: '1.29.15', api: ['1.30.14', '1.31.4'], expected: 'CCM2016' },
    { source: '1.29.15', api: ['1.33.0'], expected: 'CCM2016' },
    { source: '1.30.14', api: ['1.29.15', '1.30.14'], expected: 'CCM2011' },
    { source: '1.30.14', api: [], expected: 'CCM2011' },
    { source: 'unheard-of', api: ['1.30.14'], expected: 'CCM2011' },
  ])('a KCM of $source returns to API servers $api: $expected', ({ source, api, expected }) => {
    const row = { name: '', target: 'kcm', policy: policyFrom(source) } as const;
    expect(decisionOf({ ...row, observation: served(ON_TWO, api), expected })).toBe(expected);
  });

  it('are checked before the gap stops its first CCM', () => {
    const policy = policyFrom('1.29.15', { strategy: 'gap' });
    const observation = served(ON_TWO, ['1.31.4']);
    expect(decisionOf({ name: '', observation, target: 'kcm', policy, expected: '' })).toBe(
      'CCM2016',
    );
  });

  it('are checked before a machine with an in-tree KCM is ordered', () => {
    const replace = policyFrom('1.29.15', { nodes: { forward: 'inPlace', rollback: 'replace' } });
    const row = { name: '', target: 'kcm', policy: replace, expected: '' } as const;
    expect(decisionOf({ ...row, observation: served(ON_TWO, ['1.31.4']) })).toBe('CCM2016');
    expect(decisionOf({ ...row, observation: served(ON_TWO, ['1.30.14']) })).toBe(
      'addMachine cp-3',
    );
  });

  it('do not prevent the end of a rollback in which every KCM is back', () => {
    const observation = served(SHARED, ['1.31.4']);
    const row = { name: '', observation, target: 'kcm', expected: '' } as const;
    expect(decisionOf(row)).toBe('stopCcm cp-1');
  });
});

describe('versions in the forward direction', () => {
  it.each(['yes', 'no', 'unknown'] as const)(
    'no CCM or KCM starts that is newer than the lowest API server, shared address: %s',
    (shared) => {
      const bare = {
        ...SHARED,
        nodes: SHARED.nodes.map(({ kcm }) => ({ kcm, ccm: 'none' as const })),
        ccmLeader: 'free' as const,
      };
      const prepared = served(bare, ['1.29.15'], shared);
      const observation = {
        ...prepared,
        access: { ...prepared.access, ccmAccess: 'present' as const },
      };
      expect(decisionOf({ name: '', observation, expected: '' })).toBe('CCM2011');
      expect(
        decisionOf({
          name: '',
          observation: served(SHARED, ['1.29.15', '1.30.14'], shared),
          expected: '',
        }),
      ).toBe('CCM2011');
    },
  );

  it('machines that join with their own API server bring its version along', () => {
    const policy = policyOf({ nodes: { forward: 'replace', rollback: 'inPlace' } });
    const observation = served(SHARED, ['1.29.15'], 'no');
    expect(decisionOf({ name: '', observation, policy, expected: '' })).toBe('addMachine cp-3');
    const shared = served(SHARED, ['1.29.15'], 'unknown');
    expect(decisionOf({ name: '', observation: shared, policy, expected: '' })).toBe('CCM2011');
  });

  it('a CCM that gets the lock in place must not be newer either', () => {
    const off = {
      ...ON_TWO,
      nodes: ON_TWO.nodes.map(({ kcm }) => ({ kcm, ccm: 'off' as const })),
      migration: 'free' as const,
    };
    expect(decisionOf({ name: '', observation: served(off, ['1.29.15']), expected: '' })).toBe(
      'CCM2011',
    );
    expect(
      decisionOf({ name: '', observation: served(off, ['1.29.15']), target: 'kcm', expected: '' }),
    ).toBe('protectCcm cp-1');
  });

  it.each([
    ['1.31.4', 'startCcm cp-1'],
    ['1.32.0', 'CCM2021'],
  ])('no CCM starts that is two minors older than the newest API server: %s', (api, expected) => {
    const bare = {
      ...SHARED,
      nodes: SHARED.nodes.map(({ kcm }) => ({ kcm, ccm: 'none' as const })),
      ccmLeader: 'free' as const,
    };
    const prepared = served(bare, ['1.30.14', api]);
    const observation = {
      ...prepared,
      access: { ...prepared.access, ccmAccess: 'present' as const },
    };
    expect(decisionOf({ name: '', observation, expected })).toBe(expected);
  });

  it.each([
    ['1.31.4', 'externalizeKcm cp-2'],
    ['1.32.0', 'CCM2021'],
  ])('nor is an external KCM written: %s', (api, expected) => {
    const observation = served(SHARED, [api]);
    expect(decisionOf({ name: '', observation, expected })).toBe(expected);
  });

  it.each([
    ['1.31.4', 'enableLeaderMigration cp-2'],
    ['1.32.0', 'CCM2021'],
    ['unheard-of', 'CCM2021'],
  ])('nor an in-tree KCM with Leader Migration: %s', (api, expected) => {
    const observation = prepared(served(UNPROTECTED, [api]), 'ccm');
    const policy = policyFrom('1.30.14');
    expect(decisionOf({ name: '', observation, policy, expected })).toBe(expected);
  });
});

/** As after an upgrade of the managers while a run was paused: those with this role are of a newer minor. */
function upgraded(
  spec: ClusterSpec,
  manager: 'kcm' | 'ccm',
  version: string,
  where: 'manifests' | 'processes' = 'manifests',
): ClusterObservation {
  const before = served(spec, ['1.31.4']);
  return {
    ...before,
    nodes: before.nodes.map((node) => {
      const { manifest, processes } = node[manager];
      const isWritten = where === 'manifests' && manifest.state === 'present';
      const slot: ManagerSlot = {
        manifest: isWritten ? { ...manifest, config: { ...manifest.config, version } } : manifest,
        processes: processes.map((process) => ({
          ...process,
          config: { ...process.config, version },
        })),
      };
      return { ...node, [manager]: slot };
    }),
  };
}

describe('a cluster that was upgraded while its run was paused', () => {
  it.each<[string, ClusterObservation, 'ccm' | 'kcm', Partial<MigrationPolicy>, string]>([
    ['an in-tree KCM', upgraded(UNPROTECTED, 'kcm', '1.31.4'), 'ccm', {}, 'CCM2021'],
    ['a process', upgraded(UNPROTECTED, 'kcm', '1.31.4', 'processes'), 'ccm', {}, 'CCM2021'],
    ['a patch', upgraded(UNPROTECTED, 'kcm', '1.30.99'), 'ccm', {}, 'enableLeaderMigration cp-2'],
    ['one that goes external', upgraded(SHARED, 'kcm', '1.31.4'), 'ccm', {}, 'CCM2021'],
    [
      'one that goes external before the gap',
      upgraded({ ...UNPROTECTED, nodes: UNPROTECTED.nodes.slice(1) }, 'kcm', '1.31.4'),
      'ccm',
      { strategy: 'gap' },
      'CCM2021',
    ],
    [
      'a CCM that gets the lock',
      upgraded(
        { ...MIGRATED, nodes: MIGRATED.nodes.map(({ kcm }) => ({ kcm, ccm: 'off' as const })) },
        'ccm',
        '1.31.4',
      ),
      'ccm',
      {},
      'CCM2021',
    ],
    [
      'a KCM that gets its original settings back',
      upgraded({ ...SHARED, nodes: KCMS, ccmLeader: 'free' }, 'kcm', '1.31.4'),
      'kcm',
      { leaderMigrationAfterRollback: 'off' },
      'CCM2021',
    ],
    [
      'a KCM that gets the lock of the policy back',
      upgraded({ ...SHARED, nodes: ODD, ccmLeader: 'free', migration: 'free' }, 'kcm', '1.31.4'),
      'kcm',
      {},
      'CCM2021',
    ],
    [
      'an external KCM that returns to its own version',
      upgraded(ON_TWO, 'kcm', '1.31.4'),
      'kcm',
      {},
      'restoreKcm cp-2',
    ],
  ])('is not set back by a minor: %s', (_case, observation, target, changes, expected) => {
    const policy = policyFrom('1.30.14', changes);
    const row = { name: '', target, policy, expected } as const;
    expect(decisionOf({ ...row, observation: prepared(observation, target) })).toBe(expected);
  });
});

/** The access that the target needs, so that nothing comes before what is asked. */
function prepared(observation: ClusterObservation, target: 'ccm' | 'kcm'): ClusterObservation {
  const ccmAccess = target === 'ccm' ? ('present' as const) : ('absent' as const);
  return { ...observation, access: { ...observation.access, ccmAccess } };
}
