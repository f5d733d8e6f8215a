import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CONTROL_PLANE_LABEL, type PodObject } from '../../../activities/observe/objects.js';
import type { ApiObject, ClusterPorts, Page } from '../../../activities/ports.js';
import { nextStep } from '../../../domain/decision/next-step.js';
import { hardGates } from '../../../domain/gates/hard-gates.js';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import { preflight } from '../../../domain/preflight/preflight.js';
import { CCM_MAIN, MIGRATION } from '../../support/manager-configs.js';
import { plantStranger } from '../../support/stranger.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

describe('a manager that no control-plane node runs', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment();
  });
  afterEach(() => environment.close());

  it.each([
    ['leads the CCMs', CCM_MAIN],
    ['holds the migration lock', MIGRATION],
  ])('is observed although no configuration names its Lease: it %s', async (_what, lock) => {
    plantStranger(environment.cluster, lock, 'bastion_5f0e8a');
    const { observation } = await environment.snapshot();
    const { policy } = environment.context;
    for (const target of ['ccm', 'kcm'] as const) {
      expect(nextStep(observation, target, policy)).toMatchObject({
        kind: 'blocked',
        findings: [
          {
            code: 'CCM2001',
            seen: expect.stringMatching(new RegExp(`${lock.name}.*bastion_5f0e8a`)),
          },
        ],
      });
    }
    expect(preflight(observation, policy)).toContainEqual(
      expect.objectContaining({ code: 'CCM1507', severity: 'error' }),
    );
  });
});

describe('a control-plane host whose Node is not listed as one', () => {
  let environment: Environment;
  beforeEach(async () => {
    environment = await openEnvironment();
  });
  afterEach(() => environment.close());

  it('a Node that loses its label hides its managers, which hold every step and every gate', async () => {
    const before = (await environment.snapshot()).observation;
    expect(hardVerdict(before)).toBe('pass');
    const labels = { [CONTROL_PLANE_LABEL]: null };
    const ref = { apiVersion: 'v1', kind: 'Node', name: 'cp-3' };
    await environment.ports.api.mergePatch(ref, { metadata: { labels } });
    const { observation } = await environment.snapshot();
    for (const target of ['ccm', 'kcm'] as const) {
      expect(nextStep(observation, target, environment.context.policy)).toMatchObject({
        kind: 'blocked',
        findings: [
          { code: 'CCM2001', subject: 'cp-3', seen: expect.stringContaining('lost its label') },
        ],
      });
    }
    expect(hardVerdict(observation)).toBe('error');
  });
});

describe('a control-plane host whose Node and pods were deleted', () => {
  let environment: Environment;
  let gone = '';
  beforeEach(async () => {
    gone = '';
    environment = await openEnvironment({
      policy: { nodes: { forward: 'replace', rollback: 'replace' } },
      wrap: (ports) => withoutPodsOf(() => gone, ports),
    });
  });
  afterEach(() => environment.close());

  it('holds every step and every gate as long as its provider lists its machine', async () => {
    const { nodes } = (await environment.snapshot()).observation;
    // One that holds no Lease: nothing else shows it.
    const standby = nodes.find(({ kcm }) =>
      kcm.processes.every(({ identity }) => identity === null),
    );
    gone = standby?.name ?? '';
    await environment.ports.api.remove({ apiVersion: 'v1', kind: 'Node', name: gone });
    const hidden = (await environment.snapshot()).observation;
    for (const target of ['ccm', 'kcm'] as const) {
      expect(nextStep(hidden, target, environment.context.policy)).toMatchObject({
        kind: 'blocked',
        findings: [
          { code: 'CCM2001', subject: gone, seen: expect.stringContaining('its machine exists') },
        ],
      });
    }
    expect(hardVerdict(hidden)).toBe('error');
    const guard = { epoch: 1, idempotencyKey: 'by hand' };
    await environment.ports.machines?.remove(gone, guard);
    expect((await environment.snapshot()).observation.nodes).toHaveLength(3);
    await environment.clock.sleep(60_000);
    const { observation } = await environment.snapshot();
    expect(observation.nodes.map(({ name }) => name)).not.toContain(gone);
    expect(hardVerdict(observation)).toBe('pass');
  });
});

/** As after the collection of its pods, minutes after its Node was deleted. */
function withoutPodsOf(node: () => string, ports: ClusterPorts): ClusterPorts {
  const list = async <T extends ApiObject>(
    ...given: Parameters<ClusterPorts['api']['list']>
  ): Promise<Page<T>> => {
    const page = await ports.api.list<T & PodObject>(...given);
    return { ...page, items: page.items.filter(({ spec }) => spec?.nodeName !== node()) };
  };
  return { ...ports, api: { ...ports.api, list } };
}

/** Of the gate that two owners fail. */
function hardVerdict(observation: ClusterObservation): string | undefined {
  const nodes = { forward: 'inPlace', rollback: 'inPlace' } as const;
  const reference = { controllers: ['service'], orphanMs: 0, orphanBudgetMs: 1 } as const;
  const verdicts = hardGates(observation, { ...reference, nodes, inventory: null });
  return verdicts.find(({ code }) => code === 'CCM3001')?.verdict;
}
