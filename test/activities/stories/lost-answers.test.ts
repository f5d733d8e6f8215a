import { describe, expect, it, jest } from '@jest/globals';
import { failure, failureTypeOf } from '../../../activities/failures.js';
import type { ClusterPorts } from '../../../activities/ports.js';
import { FAILURES } from '../../../domain/failures.js';
import { verifyChain } from '../../../domain/evidence/chain.js';
import { nextStep } from '../../../domain/decision/next-step.js';
import type { Target } from '../../../domain/vocabulary.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(180_000);

/** Counts mutations and strikes each third: alternately before its effect, and after it but before the response. */
function striking(offset: number): {
  wrap: (ports: ClusterPorts) => ClusterPorts;
  struck: () => number;
} {
  const seen = { mutations: offset, struck: 0 };
  const strike = async <T>(act: () => Promise<T>): Promise<T> => {
    seen.mutations += 1;
    if (seen.mutations % 3 !== 0) return act();
    seen.struck += 1;
    if (seen.struck % 2 === 0) await act();
    throw failure('Unavailable', 'the connection was reset');
  };
  return {
    struck: () => seen.struck,
    wrap: (ports) => ({
      api: {
        ...ports.api,
        create: (object, options) =>
          object.kind === 'SubjectAccessReview'
            ? ports.api.create(object, options)
            : strike(() => ports.api.create(object, options)),
        replace: (object, options) => strike(() => ports.api.replace(object, options)),
        mergePatch: (ref, patch, options) =>
          strike(() => ports.api.mergePatch(ref, patch, options)),
        remove: (ref, options) => strike(() => ports.api.remove(ref, options)),
      },
      files: {
        ...ports.files,
        write: (...given) => strike(() => ports.files.write(...given)),
        remove: (...given) => strike(() => ports.files.remove(...given)),
      },
      processes: ports.processes,
      kubelets: {
        ...ports.kubelets,
        restart: (...given) => strike(() => ports.kubelets.restart(...given)),
      },
      machines: ports.machines,
    }),
  };
}

/** A run as the workflow drives it: after a failed step the fence is re-acquired, then an observation, then the next step by the rules. */
async function persist(environment: Environment, target: Target): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) {
    try {
      await environment.fence();
      const { observation } = await environment.snapshot();
      const decision = nextStep(observation, target, environment.context.policy);
      if (decision.kind === 'done') return;
      if (decision.kind === 'blocked') throw new Error(JSON.stringify(decision.findings));
      await environment.take(decision.step.effect, decision.step);
    } catch (error) {
      const type = failureTypeOf(error);
      if (type === null || FAILURES[type] !== 'retry') throw error;
    }
  }
  throw new Error('no end in sight');
}

describe('every third mutation fails, before or after its effect', () => {
  it.each([0, 1])(
    'a migration of one node completes forward and back, offset %i',
    async (offset) => {
      const { wrap, struck } = striking(offset);
      const policy = { rollWorkers: { enabled: true, batchSize: 1 } };
      const environment = await openEnvironment({ spec: { nodes: 1, workers: 3 }, policy, wrap });
      try {
        await persist(environment, 'ccm');
        expect((await environment.snapshot()).observation.nodes[0]?.side).toBe('target');
        await persist(environment, 'kcm');
        expect((await environment.snapshot()).observation.nodes[0]?.side).toBe('source');
        expect(struck()).toBeGreaterThan(8);
        expect(environment.cluster.truth().controllers.service.overlapSeconds).toBe(0);
        await environment.fence().catch(() => environment.fence());
        expect(await environment.dependencies.evidence.openIntents(environment.context)).toEqual(
          [],
        );
        expect(verifyChain(await environment.evidence()).kind).toBe('intact');
      } finally {
        await environment.close();
      }
    },
  );
});
