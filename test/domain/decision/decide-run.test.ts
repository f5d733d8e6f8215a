import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideRun } from '../../../domain/decision/decide-run.js';
import { attemptDigest, decisiveDigest } from '../../../domain/decision/decisive-digest.js';
import { effectivePolicy } from '../../../domain/decision/waivers.js';
import type { DecisionRequest, RunDecision } from '../../../domain/decision/run-decision.js';
import { makeFinding } from '../../../domain/findings/catalogue.js';
import type { ClusterObservation, Inventory } from '../../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import { EFFECT_VERSIONS, type Decision, type StepEffect } from '../../../domain/decision/step.js';
import { clusterOf, policyOf } from '../../support/cluster-builder.js';
import { blocked, does, DONE } from '../run/given-run.js';

const CLUSTER = clusterOf({
  nodes: [{ kcm: 'inTree', ccm: 'none' }],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: 'free',
});
const NOTHING: DecisionRequest = {
  target: 'ccm',
  waivers: [],
  approvals: [],
  since: null,
  revision: 3,
};

function decide(
  decision: Decision,
  request: Partial<DecisionRequest> = {},
  policy: MigrationPolicy = policyOf(),
): RunDecision {
  return decideRun(CLUSTER, policy, { ...NOTHING, ...request }, () => decision);
}

function withInventory(changes: (inventory: Inventory) => Inventory): ClusterObservation {
  return { ...CLUSTER, inventory: changes(CLUSTER.inventory) };
}

function withWorkers(count: number): ClusterObservation {
  return withInventory((inventory) => ({
    ...inventory,
    workers: { ...inventory.workers, total: count, ready: count, kubeletInTree: count },
    nodes: { ...inventory.nodes, total: count + 1, digest: `digest of ${String(count)}` },
  }));
}

describe('a decision', () => {
  it('a decision follows from the real rules and its input alone', () => {
    const decision = decideRun(CLUSTER, policyOf(), NOTHING);
    expect(decision.next).toMatchObject({
      kind: 'step',
      planned: { step: { name: 'grantLeaseAccess' } },
    });
    expect(decideRun(structuredClone(CLUSTER), policyOf(), { ...NOTHING })).toEqual(decision);
    expect(decision).toMatchObject({ revision: 3, owner: 'kcm', state: decisiveDigest(CLUSTER) });
    expect(decision.cluster).toContain('cp-1: KCM');
  });

  it.each<[string, Partial<DecisionRequest>]>([
    ['the target', { target: 'kcm' }],
    ['a waiver', { waivers: [{ code: 'C', observationDigest: '', actor: 'a', reason: 'r' }] }],
    ['an approval', { approvals: ['handover'] }],
  ])('a decision names what it rests on: %s', (_what, request) => {
    expect(decide(DONE, request).inputs).not.toBe(decide(DONE).inputs);
  });

  it('a decision has another signature when another step is due, not when figures change', () => {
    const seen = (text: string, code: 'CCM2003' | 'CCM2007' = 'CCM2003'): string =>
      decide({
        kind: 'blocked',
        findings: [makeFinding(code, { subject: 'cluster', seen: text })],
      }).signature;
    expect(seen('3 of them')).toBe(seen('4 of them'));
    const all = [seen(''), seen('', 'CCM2007'), decide(DONE).signature, decide(does()).signature];
    expect(new Set(all).size).toBe(4);
  });

  it('a decision compares with the start of the run, or with the current observation at the start', () => {
    const since = withWorkers(7).inventory;
    expect(decide(DONE, { since }).proof.step.effect).toEqual({ kind: 'verify', since });
    expect(decide(DONE).proof.step.effect).toMatchObject({ since: CLUSTER.inventory });
  });

  it('a decision lists which findings an operator may let pass, and by which command', () => {
    const next = (code: 'CCM2001' | 'CCM2007' | 'CCM2013'): RunDecision['next'] =>
      decide(blocked(code)).next;
    expect(next('CCM2001')).toMatchObject({ waivable: {} });
    expect(next('CCM2007')).toMatchObject({ waivable: { CCM2007: 'approve' } });
    expect(next('CCM2013')).toMatchObject({ waivable: { CCM2013: 'skip' } });
  });

  it.each(Object.entries(EFFECT_VERSIONS))(
    'a decision knows the version of effect %s',
    (kind, version) => {
      const effect = { kind } as StepEffect;
      const { next } = decide(does('prepareCcm', { effect }));
      expect(next).toMatchObject({ planned: { effectVersion: version } });
    },
  );
});

describe('before and after a step', () => {
  const away = does('externalizeKcm', { phase: 'replaceNodes' });
  const asking = policyOf({ handoverApproval: 'required' });

  it.each<[string, Decision, Partial<DecisionRequest>, MigrationPolicy, string | null]>([
    ['the handover', away, {}, asking, 'handover'],
    ['a removal', does('removeMachine', { phase: 'replaceNodes' }), {}, asking, 'handover'],
    ['an approved handover', away, { approvals: ['handover'] }, asking, null],
    ['the rollback', away, { target: 'kcm' }, asking, null],
    ['a repair', does('removeMachine', { phase: 'repair' }), {}, asking, null],
    ['another step', does('enableLeaderMigration'), {}, asking, null],
    ['a policy that requires no approval', away, {}, policyOf(), null],
  ])('a step asks for an approval or not: %s', (_what, decision, request, policy, approval) => {
    expect(decide(decision, request, policy).next).toMatchObject({ planned: { approval } });
  });

  it.each([
    ['disableLeaderMigration', 'ccm', true, true],
    ['disableLeaderMigration', 'kcm', true, true],
    ['rollWorkers', 'ccm', true, false],
    ['rollWorkers', 'kcm', false, false],
    ['verify', 'ccm', false, true],
    ['replaceNodes', 'ccm', false, false],
  ] as const)(
    'the phase %s with target %s says whether proof comes first and whether it stays valid',
    (phase, target, afterProof, keepsProof) => {
      const { next } = decide(does('prepareCcm', { phase }), { target });
      expect(next).toMatchObject({ planned: { afterProof, keepsProof, recovers: false } });
    },
  );

  it('the step that completes what was cut off is recognised', () => {
    expect(decide(does('finishManifest')).next).toMatchObject({ planned: { recovers: true } });
  });
});

describe('the state that waivers and progress are bound to', () => {
  it('the state is not changed by a worker that comes, goes or becomes Ready', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (one, other) => {
        expect(decisiveDigest(withWorkers(one))).toBe(decisiveDigest(withWorkers(other)));
      }),
      { numRuns: 30 },
    );
    const waiver = {
      code: 'CCM2013',
      observationDigest: decisiveDigest(withWorkers(1)),
      actor: 'ana',
      reason: 'they are empty',
    };
    const given = { waivers: [waiver], approvals: [] };
    expect(effectivePolicy(policyOf(), given, withWorkers(2)).waivers).toEqual([waiver]);
  });

  it('the state changes with a volume, a manifest or a node', () => {
    const volumes = withInventory((inventory) => ({
      ...inventory,
      persistentVolumes: { inTree: 1 },
    }));
    const nodes = { ...CLUSTER, nodes: CLUSTER.nodes.map((node) => ({ ...node, cordoned: true })) };
    expect(new Set([CLUSTER, volumes, nodes].map(decisiveDigest)).size).toBe(3);
  });

  it('an attempt is the same for any number of workers, except for the step that switches them', () => {
    const prepare: StepEffect = { kind: 'setAccess', access: 'ccmAccess', want: 'present' };
    const kubelets: StepEffect = { kind: 'switchKubelets', to: 'external', batchSize: 5 };
    const attempts = (effect: StepEffect): number =>
      new Set([1, 2].map((count) => attemptDigest('key', effect, withWorkers(count)))).size;
    expect(attempts(prepare)).toBe(1);
    expect(attempts(kubelets)).toBe(2);
  });
});
