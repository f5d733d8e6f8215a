import { describe, expect, it } from '@jest/globals';
import type { StepName } from '../../domain/step.js';
import { preflight } from '../../domain/preflight/preflight.js';
import type { ClusterSpec } from '../../simulator/cluster/cluster-spec.js';
import { openStage } from '../activities/stage.js';
import { ccm, external, kcm, node } from '../simulator/scene.js';
import { decisionIn, intervalsOf, ownersIn, secondsOfTwo } from './views.js';

/**
 * The harm of each of these is shown in `test/simulator/proven-*.test.ts`, as real binaries did it. Here the same clusters
 * meet this project: what it says before it begins, what it does first, and whether one CCM owns everything in the end.
 */
interface Repaired {
  readonly name: string;
  readonly spec: Partial<ClusterSpec>;
  /** Whose processes run the service controller when we come. */
  readonly found: string;
  /** Codes of preflight errors about it. */
  readonly says: readonly string[];
  /** The first step toward the CCM. */
  readonly first: StepName;
}

const BESIDE = { afterMs: { ccm: 8000 } };
const LATER = { afterMs: { kcm: 8000 } };

const REPAIRED: readonly Repaired[] = [
  {
    name: 'P1 the official guide on 1.30: both run everything',
    spec: { preset: 'guide-130', nodes: 1 },
    found: 'ccm kcm',
    says: ['CCM1005', 'CCM1505'],
    first: 'stopSecondOwner',
  },
  {
    name: 'P1 its names in a KCM alone',
    spec: { plans: [node(kcm({ migration: 'guide' }))], leaseGrant: false },
    found: 'kcm',
    says: ['CCM1005'],
    first: 'recordBaseline',
  },
  {
    name: 'P2 Leader Migration without a file: two of three run twice',
    spec: { plans: [node(kcm({ migration: 'builtIn' }), ccm({ migration: 'builtIn' }), BESIDE)] },
    found: 'ccm kcm',
    says: ['CCM1006', 'CCM1505'],
    first: 'stopSecondOwner',
  },
  {
    name: 'P3 canonical names protect: nothing to repair',
    spec: { plans: [node(kcm({ migration: 'canonical' }), ccm(), BESIDE)] },
    found: 'kcm',
    says: [],
    first: 'recordBaseline',
  },
  {
    name: 'P4 an unquoted *: the KCM crashes for ever',
    spec: { plans: [node(kcm({ migration: 'unquoted' }))] },
    found: '',
    says: ['CCM1008', 'CCM1505'],
    first: 'recordBaseline',
  },
  {
    name: 'P5 no grant on the migration Lease: nothing runs, healthz ok',
    spec: { plans: [node(kcm({ migration: 'canonical' }))], leaseGrant: false },
    found: '',
    says: ['CCM1505'],
    first: 'recordBaseline',
  },
  {
    name: 'P7 external KCMs with Leader Migration on hold the lock and run nothing',
    spec: { preset: 'external-kcm-with-lm' },
    found: '',
    says: ['CCM1007', 'CCM1505'],
    first: 'quietExternalKcm',
  },
  {
    name: 'P8 hostnames that are not the Nodes’ names: identities are tied to processes all the same',
    spec: { hostnames: 'different' },
    found: 'kcm',
    says: [],
    first: 'recordBaseline',
  },
  {
    name: 'P9 a CCM that was first at the migration Lease: it owns, and the KCM follows',
    spec: { plans: [node(kcm({ migration: 'canonical' }), ccm(), BESIDE)], leaseGrant: false },
    found: 'ccm',
    says: [],
    first: 'recordBaseline',
  },
  {
    name: 'P11 from 1.29.15 to 1.30.14 beside API servers 1.30.14',
    spec: { version: '1.29.15', apiServerVersion: '1.30.14' },
    found: 'kcm',
    says: [],
    first: 'recordBaseline',
  },
  {
    name: 'P17 a standby external KCM that could retake the lock is made quiet first',
    spec: {
      plans: [
        node(kcm({ migration: 'canonical' })),
        node(external({ migration: 'canonical' }), ccm(), { afterMs: { kcm: 8000, ccm: 8000 } }),
      ],
    },
    found: 'kcm',
    says: ['CCM1007'],
    first: 'quietExternalKcm',
  },
  {
    name: 'P22 KCMs with and without Leader Migration side by side',
    spec: {
      plans: [node(kcm()), node(kcm({ migration: 'canonical' }), null, LATER)],
      leaseGrant: true,
    },
    found: 'kcm',
    says: [],
    first: 'recordBaseline',
  },
];

describe('proven on real binaries, with our checks: repaired on the way', () => {
  it.each(REPAIRED)('$name', async ({ spec, found, says, first }) => {
    const stage = await openStage({ spec });
    try {
      expect(ownersIn(stage)).toBe(found);
      const { observation } = await stage.look();
      const errors = preflight(observation, stage.context.policy).filter(
        ({ severity }) => severity === 'error',
      );
      expect([...new Set(errors.map(({ code }) => code))]).toEqual(says);
      expect(decisionIn(stage, observation, 'ccm')).toBe(first);
      const beganMs = stage.clock.nowMs();
      await stage.migrate('ccm');
      await stage.clock.sleep(2000);
      expect(ownersIn(stage)).toBe('ccm');
      // Two owners that we found end with our first step; nothing of ours brings them back.
      const ours = intervalsOf(stage).filter(({ fromMs }) => fromMs > beganMs + 5000);
      expect(secondsOfTwo(ours)).toBe(0);
    } finally {
      await stage.close();
    }
  });
});
