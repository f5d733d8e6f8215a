import { describe, expect, it, jest } from '@jest/globals';
import type { ApiObject, ClusterPorts } from '../../../activities/ports.js';
import { decisiveDigest } from '../../../domain/decision/decisive-digest.js';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import { planDigest, steadyObservation } from '../../../domain/observation/plan-digest.js';
import { forbidsTurn, preflight } from '../../../domain/preflight/preflight.js';
import { NO_JUDGEMENTS } from '../../support/planned.js';
import { TIMINGS } from '../run-context.js';
import { type Stage, type StageOptions, openStage } from '../stage.js';

jest.setTimeout(120_000);

const WAYS: readonly (readonly [string, StageOptions])[] = [
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

async function onStage(options: StageOptions, story: (stage: Stage) => Promise<void>) {
  const stage = await openStage(options);
  try {
    await story(stage);
  } finally {
    await stage.close();
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
    await onStage({ spec: { nodes: 1 }, wrap }, async (stage) => {
      const { activities, context, ccmManifest } = stage;
      await stage.fence();
      await stage.take({ kind: 'recordBaseline' });
      const look = await stage.look();
      const observation = steadyObservation(look.observation);
      const { cluster, policy } = context;
      const materials = { ccmManifest };
      const plan = { cluster, target: 'ccm', policy, timings: TIMINGS, materials } as const;
      const check = () =>
        activities.checkStart({
          ...{ ...context, timings: TIMINGS, materials, epoch: 0, early: false },
          sightings: look.sightings,
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

describe('a run that changes direction', () => {
  it.each(WAYS)('a run may change direction after each of its steps: %s', async (_way, options) => {
    await onStage(options, async (stage) => {
      const { policy } = stage.context;
      const materials = { ccmManifest: stage.ccmManifest };
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
      await stage.fence();
      await stage.takePart(() => stage.migrate('ccm', watch));
      await stage.takePart(() => stage.migrate('kcm', watch));
      expect(objections).toEqual([]);
    });
  });

  it('a run that changes direction gets the digest of its new plan, and what forbids it', async () => {
    await onStage({ spec: { nodes: 1 } }, async ({ activities, context, ccmManifest }) => {
      const given = { ...context, timings: TIMINGS, epoch: 0, sightings: [], early: false };
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
