import { describe, expect, it } from '@jest/globals';
import { nextStep } from '../../../../domain/decision/next-step.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  ManagerProcess,
} from '../../../../domain/observation/observation.js';
import { CCM_MAIN, clusterOf, policyOf } from '../../../support/cluster-builder.js';
import { decisionOf, MIGRATED, withNode, type DecisionRow } from './decisions.js';

const KILL = policyOf({ staleHolder: 'kill' });

type Change = Partial<ManagerProcess> & { readonly elects?: boolean };

const stopped =
  (manager: 'kcm' | 'ccm', { elects = true, ...change }: Change = {}) =>
  (node: ControlPlaneNode): Partial<ControlPlaneNode> => ({
    [manager]: {
      ...node[manager],
      processes: node[manager].processes.map((process) => ({
        ...process,
        config: { ...process.config, leaderElect: elects },
        liveness: 'paused',
        ...change,
      })),
    },
  });

const HOLDER = withNode(clusterOf(MIGRATED), 1, stopped('ccm'));
/** The CCM of cp-1 was the holder until it was stopped. */
const REPLACED = withNode(clusterOf(MIGRATED), 0, stopped('ccm', { identity: null }));
const BOTH = withNode(withNode(clusterOf(MIGRATED), 0, stopped('kcm')), 2, stopped('ccm'));

const without = (holder: string): ClusterObservation => ({
  ...REPLACED,
  leases: REPLACED.leases.map((lease) =>
    lease.name === CCM_MAIN.name || lease.name.includes('migration') ? { ...lease, holder } : lease,
  ),
});

const ROWS: readonly DecisionRow[] = [
  {
    name: 'a stopped holder is ended, before another one takes its lock',
    observation: HOLDER,
    policy: KILL,
    expected: 'endPausedManager cp-2',
  },
  {
    name: 'a stopped process whose lock is another one’s is ended',
    observation: REPLACED,
    policy: KILL,
    expected: 'endPausedManager cp-1',
  },
  {
    name: 'a rollback ends it, too',
    observation: REPLACED,
    policy: KILL,
    target: 'kcm',
    expected: 'endPausedManager cp-1',
  },
  {
    name: 'of several the one whose lock went to another comes first',
    observation: BOTH,
    policy: KILL,
    expected: 'endPausedManager cp-3',
  },
  {
    name: 'a stopped manager of a migration lock alone is ended',
    observation: {
      ...REPLACED,
      leases: REPLACED.leases.filter(({ name }) => name !== CCM_MAIN.name),
    },
    policy: KILL,
    expected: 'endPausedManager cp-1',
  },
  {
    name: 'a policy that holds ends nothing',
    observation: HOLDER,
    policy: policyOf({ staleHolder: 'hold' }),
    expected: 'CCM2010',
  },
  { name: 'a policy without the key ends nothing', observation: HOLDER, expected: 'CCM2010' },
  {
    name: 'a running cluster is done',
    observation: clusterOf(MIGRATED),
    policy: KILL,
    expected: 'done',
  },
];

const KEPT: readonly (readonly [string, ClusterObservation, string])[] = [
  [
    'its node cannot be reached',
    withNode(REPLACED, 0, () => ({ reachable: false })),
    'its node cannot be reached',
  ],
  [
    'its start time is unreadable',
    withNode(clusterOf(MIGRATED), 0, stopped('ccm', { startedAtMs: null })),
    'its start time is unreadable',
  ],
  [
    'two managers have its process id',
    withNode(clusterOf(MIGRATED), 0, stopped('ccm', { pid: 100 })),
    'two managers have its process id',
  ],
  [
    'it runs without leader election',
    withNode(clusterOf(MIGRATED), 0, stopped('ccm', { elects: false })),
    'it runs without leader election',
  ],
  ['its Leases are empty', without(''), 'none of its Leases has a holder'],
  ['its Leases were not read', { ...REPLACED, leases: [] }, 'none of its Leases has a holder'],
];

describe('the end of a paused manager', () => {
  it.each(ROWS.map((row) => [row.name, row] as const))('%s', (_name, row) => {
    expect(decisionOf(row)).toBe(row.expected);
  });

  it('names the process, and cures the paused manager alone', () => {
    expect(nextStep(HOLDER, 'ccm', KILL)).toMatchObject({
      step: {
        phase: 'repair',
        cures: ['CCM3008'],
        why: expect.stringContaining('the ccm on cp-2 (pid 103) is stopped by a signal'),
      },
    });
  });

  it.each(KEPT)('a paused manager is left alone, with the reason: %s', (_name, seen, why) => {
    const decision = nextStep(seen, 'ccm', KILL);
    expect(decision).toMatchObject({
      kind: 'blocked',
      findings: [{ code: 'CCM2010', seen: expect.stringContaining(`leaves it alone: ${why}`) }],
    });
  });
});
