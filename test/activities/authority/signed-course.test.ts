import { describe, expect, it, jest } from '@jest/globals';
import { wholeStatement } from '../../../domain/authority/statement.js';
import { digestJson } from '../../../domain/digest.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import { PROBE_NAMESPACE } from '../../../domain/probes/balancer-probe.js';
import { driveRun } from '../../faults/drive-run.js';
import { accessPolicy, authorityBy, testPrincipal } from '../../support/signing.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(300_000);

const ANA = testPrincipal('ana', 'requester', 'operator');

/** How a run ended that asks for what it does by a signature, and what it held for. */
async function course(environment: Environment, target: 'ccm' | 'kcm') {
  const { context, ccmManifest, clock } = environment;
  const [runId, now] = [`run-${target}`, Math.floor(clock.nowMs() / 1000)];
  const start = ANA.sign(
    wholeStatement({
      ...{ verb: 'apply', workflowId: `${context.workflowId}/${runId}`, nonce: runId, target },
      plan: context.planDigest,
      ...{ cluster: context.cluster.uid, policy: digestJson(context.policy) },
      ...{ materials: digestJson({ ccmManifest }), timings: digestJson(context.timings) },
      ...{ notBefore: now, notAfter: now + 60 },
    }),
  );
  const signed = { ...environment, context: { ...context, authority: { start, commands: [] } } };
  const { outcome, holds, state } = await driveRun(signed, {
    ...{ target, runId, ccmManifest, mostHolds: 0 },
  });
  const names = state.done.steps.map(({ name }) => name);
  return { end: outcome.kind, holds, probes: names.filter((name) => name === 'probeBalancer') };
}

const POLICIES: readonly (readonly [string, Partial<MigrationPolicy>, number])[] = [
  ['in place', {}, 0],
  ['machines replaced', { nodes: { forward: 'replace', rollback: 'replace' } }, 0],
  [
    'workers rolled, Leader Migration off at both ends',
    {
      rollWorkers: { enabled: true, batchSize: 1 },
      ...{ disableLeaderMigration: 'afterSoak', leaderMigrationAfterRollback: 'off' },
    },
    0,
  ],
  ['without a lock', { strategy: 'gap' }, 0],
  ['with probes', { probes: { balancer: { annotations: {}, withinMs: 60_000 } } }, 2],
];

/** Each step is decided again where it begins: no run may be held up, or stopped, by a step that is due. */
describe('a signed run', () => {
  it.each(POLICIES)('migrates and rolls back without a hold: %s', async (_name, policy, probes) => {
    const access = accessPolicy([ANA]);
    const environment = await openEnvironment({
      ...{ policy: { soakSeconds: 30, ...policy } },
      timings: { guardMs: 1000, fenceRenewMs: 5000 },
      authority: authorityBy(() => access),
    });
    try {
      await environment.ports.api.create({
        ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: PROBE_NAMESPACE } },
      });
      const forward = await course(environment, 'ccm');
      expect(forward).toMatchObject({ end: 'done', holds: [] });
      expect(forward.probes).toHaveLength(probes);
      expect(await course(environment, 'kcm')).toMatchObject({ end: 'rolledBack', holds: [] });
      const intents = (
        await environment.dependencies.evidence.read({
          ...{ workflowId: `${environment.context.workflowId}/run-ccm`, runId: 'run-ccm' },
        })
      ).flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent] : []));
      const ofSteps = intents.filter(({ step }) => !['takeFence', 'closeRun'].includes(step));
      expect(ofSteps.every(({ due }) => due !== undefined)).toBe(true);
    } finally {
      await environment.close();
    }
  });
});
