import { describe, expect, it } from '@jest/globals';
import type { ClusterObservation } from '../../../../domain/observation/observation.js';
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
});
