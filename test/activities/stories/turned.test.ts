import { describe, expect, it, jest } from '@jest/globals';
import type { ApiObject, ClusterPorts } from '../../../activities/ports.js';
import { decisiveDigest } from '../../../domain/decision/decisive-digest.js';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import { planDigest, steadyObservation } from '../../../domain/observation/plan-digest.js';
import { forbidsTurn, preflight } from '../../../domain/preflight/preflight.js';
import { UNPLANNED } from '../../../domain/run/unplanned.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { TIMINGS } from '../run-context.js';
import { type Environment, type EnvironmentOptions, openEnvironment } from '../environment.js';

jest.setTimeout(120_000);

const WAYS: readonly (readonly [string, EnvironmentOptions])[] = [
  [
    'in place',
    { spec: { nodes: 2 }, policy: { nodes: { forward: 'inPlace', rollback: 'inPlace' } } },
  ],
  ['with machines replaced', { spec: { nodes: 2 } }],
  [
    'by a gap on one node',
    {
      spec: { nodes: 1 },
      policy: { strategy: 'gap', nodes: { forward: 'inPlace', rollback: 'inPlace' } },
    },
  ],
];

async function inEnvironment(
  options: EnvironmentOptions,
  story: (environment: Environment) => Promise<void>,
) {
  const environment = await openEnvironment(options);
  try {
    await story(environment);
  } finally {
    await environment.close();
  }
}

describe('the plan that a run begins with', () => {
  it('the plan of a run is refused for what two observations show, not for one response from an old cache', async () => {
    const stale = { answers: 0 };
    const wrap = (ports: ClusterPorts): ClusterPorts => ({
      ...ports,
      api: {
        ...ports.api,
        list: async (ref, options) => {
          const page = await ports.api.list<ApiObject>(ref, options);
          if (ref.kind !== 'ConfigMap' || stale.answers === 0) return page as never;
          stale.answers -= 1;
          return { ...page, items: [] };
        },
      },
    });
    await inEnvironment({ spec: { nodes: 1 }, wrap }, async (environment) => {
      const { activities, context, ccmManifest } = environment;
      await environment.fence();
      await environment.take({ kind: 'recordBaseline' });
      const snapshot = await environment.snapshot();
      const observation = steadyObservation(snapshot.observation);
      const { cluster, policy } = context;
      const materials = { ccmManifest };
      const plan = { cluster, target: 'ccm', policy, timings: TIMINGS, materials } as const;
      const check = () =>
        activities.checkStart({
          ...{ ...context, timings: TIMINGS, materials, epoch: 0, early: false },
          firstSeen: snapshot.firstSeen,
          ...{ decide: NO_JUDGEMENTS, planDigest: planDigest({ ...plan, observation }) },
        });
      stale.answers = 1;
      expect(await check()).toMatchObject({ objections: [] });
      expect(stale.answers).toBe(0);
      stale.answers = Infinity;
      await expect(check()).rejects.toMatchObject({ type: 'StalePlan' });
    });
  });
});

describe('a run that a fleet starts without a plan', () => {
  it('a run without a plan gets the digest of the one that its check makes, and preflight may still refuse it', async () => {
    await inEnvironment({ spec: { nodes: 1 } }, async ({ activities, context, ccmManifest }) => {
      const given = { ...context, timings: TIMINGS, epoch: 0, firstSeen: [], early: false };
      const decide = { ...NO_JUDGEMENTS, target: 'kcm' } as const;
      const check = (planDigest: string, policy = context.policy) =>
        activities.checkStart({
          ...{ ...given, policy, decide, planDigest, materials: { ccmManifest } },
        });
      const { planDigest } = await check(UNPLANNED);
      expect(planDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(planDigest).not.toBe(UNPLANNED);
      expect(await check(planDigest ?? '')).toMatchObject({ planDigest });
      await expect(check('')).rejects.toMatchObject({ type: 'StalePlan' });
      const { target, ccm } = context.policy;
      const version = '1.20.0';
      const old = { ...context.policy, target: { ...target, version }, ccm: { ...ccm, version } };
      await expect(check(UNPLANNED, old)).rejects.toMatchObject({ type: 'PreflightFailed' });
    });
  });
});

describe('a run that changes direction', () => {
  it.each(WAYS)('a run may change direction after each of its steps: %s', async (_way, options) => {
    await inEnvironment(options, async (environment) => {
      const { policy } = environment.context;
      const materials = { ccmManifest: environment.ccmManifest };
      const objections: string[] = [];
      const watch = (
        step: { readonly name: string },
        _before: ClusterObservation,
        after: ClusterObservation,
      ): void => {
        const findings = preflight(after, policy, materials);
        for (const { code, subject, seen } of forbidsTurn(findings, [], decisiveDigest(after))) {
          objections.push(`after ${step.name}: ${code} ${subject}: ${seen}`);
        }
      };
      await environment.fence();
      await environment.takePart(() => environment.migrate('ccm', watch));
      await environment.takePart(() => environment.migrate('kcm', watch));
      expect(objections).toEqual([]);
    });
  });

  it('a run that changes direction gets the digest of its new plan, and what forbids it', async () => {
    await inEnvironment({ spec: { nodes: 1 } }, async ({ activities, context, ccmManifest }) => {
      const given = { ...context, timings: TIMINGS, epoch: 0, firstSeen: [], early: false };
      const back = { ...NO_JUDGEMENTS, target: 'kcm', revision: 1 } as const;
      const check = (policy = context.policy) =>
        activities.checkStart({ ...given, policy, decide: back, materials: { ccmManifest } });
      const { planDigest, objections } = await check();
      expect(planDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(objections).toEqual([]);
      const { target, ccm } = context.policy;
      const version = '1.20.0';
      const refused = await check({
        ...context.policy,
        target: { ...target, version },
        ccm: { ...ccm, version },
      });
      expect(refused.planDigest).not.toBe(planDigest);
      expect(refused.objections.map(({ code }) => code)).toContain('CCM1105');
    });
  });
});
