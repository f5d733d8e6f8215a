import { afterEach, describe, expect, it } from '@jest/globals';
import type {
  ApiObject,
  ClusterPorts,
  CollectionRef,
  KubernetesApi,
  ListOptions,
  Page,
} from '../../../activities/ports.js';
import { openEnvironment, type Environment } from '../environment.js';

/** Returns earlier responses, for the given number of reads. */
interface Stale {
  fences: unknown;
  reads: number;
  blindTo: string;
}

function staled(ports: ClusterPorts, stale: Stale): ClusterPorts {
  const api: KubernetesApi = {
    ...ports.api,
    list: async <T extends ApiObject>(ref: CollectionRef, options?: ListOptions) => {
      const page = await ports.api.list<T>(ref, options);
      if (options?.fieldSelector !== 'metadata.name=ccm-migrate') return page;
      if (stale.reads <= 0 || stale.fences === null) return page;
      stale.reads -= 1;
      return stale.fences as Page<T>;
    },
    get: async (ref, options) => {
      if (ref.name !== stale.blindTo || stale.reads <= 0) return ports.api.get(ref, options);
      stale.reads -= 1;
      return null;
    },
  };
  return { ...ports, api };
}

const FENCES = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: 'kube-system',
} as const;
const RECORD = { kind: 'recordBaseline' } as const;

describe('stale reads', () => {
  let environment: Environment;
  afterEach(() => environment.close());

  async function opened(): Promise<Stale> {
    const stale: Stale = { fences: null, reads: 0, blindTo: '' };
    environment = await openEnvironment({
      spec: { nodes: 1 },
      wrap: (ports) => staled(ports, stale),
    });
    return stale;
  }

  it.each([
    { reads: 1, refused: false },
    { reads: 2, refused: true },
  ])(
    'a released fence that is read stale $reads times refuses the next run: $refused',
    async ({ reads, refused }) => {
      const stale = await opened();
      const { epoch } = await environment.fence();
      const fieldSelector = 'metadata.name=ccm-migrate';
      stale.fences = await environment.ports.api.list(FENCES, { fieldSelector });
      await environment.activities.closeRun({ ...environment.context, epoch, outcome: 'done' });
      stale.reads = reads;
      const second = environment.fence('n2', { runId: 'run-2' });
      if (refused) await expect(second).rejects.toMatchObject({ type: 'AlreadyRunning' });
      else expect((await second).epoch).toBe(epoch + 1);
    },
  );

  it('a stale read of an object that exists already records no effect of ours', async () => {
    const stale = await opened();
    await environment.fence();
    await environment.take(RECORD);
    const before = await environment.evidence();
    stale.blindTo = 'ccm-migrate-baseline';
    stale.reads = 1;
    const { summary } = await environment.take(RECORD);
    expect(summary.mutations).toBe(0);
    const outcomes = (await environment.evidence())
      .slice(before.length)
      .flatMap(({ entry }) => (entry.kind === 'outcome' ? [entry.outcome] : []));
    expect(outcomes).toMatchObject([
      { kind: 'refused', detail: expect.stringContaining('it already existed') },
    ]);
  });
});
