import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { StepReport } from '../../../activities/contract.js';
import { createActivities } from '../../../activities/index.js';
import type { Inventory } from '../../../domain/observation/observation.js';
import { openEnvironment, type Environment } from '../environment.js';
import { runByHand, type RunByHand } from '../run-by-hand.js';

jest.setTimeout(120_000);

const WEB_1 = { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web-1' };
const ZONE = 'topology.kubernetes.io/zone';
const MINE = 'example.com/mine';
const CLEANUP = 'service.kubernetes.io/load-balancer-cleanup';

describe('verify', () => {
  let environment: Environment;
  let since: Inventory;
  beforeEach(async () => {
    environment = await openEnvironment({ spec: { nodes: 1 } });
    await environment.fence();
    since = (await environment.snapshot()).observation.inventory;
  });
  afterEach(() => environment.close());

  const failed = ({ verdicts }: StepReport): readonly string[] =>
    verdicts.flatMap(({ code, verdict, detail }) =>
      verdict === 'pass' ? [] : [`${code} ${detail}`],
    );

  const verify = (run: RunByHand = environment): Promise<StepReport> =>
    run.take({ kind: 'verify', since });

  /** With the same evidence, and none of the memory of the first one. */
  const anotherWorker = async (): Promise<RunByHand> => {
    const { context, ccmManifest, dependencies } = environment;
    const other = runByHand({ activities: createActivities(dependencies), context, ccmManifest });
    await other.fence('another worker');
    return other;
  };

  const labelled = async (labels: Readonly<Record<string, string>>): Promise<string> => {
    const { api } = environment.ports;
    const { items } = await api.list({ apiVersion: 'v1', kind: 'Node' });
    const name = items.at(-1)?.metadata?.name ?? '';
    await api.mergePatch({ apiVersion: 'v1', kind: 'Node', name }, { metadata: { labels } });
    return name;
  };

  it('a Service that a user deleted is no loss, on another worker either', async () => {
    await environment.ports.api.remove(WEB_1);
    await environment.clock.sleep(5000);
    const report = await verify();
    expect(failed(report)).toEqual([]);
    expect(report.observation.inventory.services.loadBalancers).toBe(1);
    expect(failed(await verify(await anotherWorker()))).toEqual([]);
  });

  it('another worker, which has observed since, names the Service whose address changed', async () => {
    environment.cluster.deleteCloudLoadBalancer('default/web-1');
    const ports = [{ port: 81, protocol: 'TCP' }];
    await environment.ports.api.mergePatch(WEB_1, { spec: { ports } });
    await environment.clock.sleep(5000);
    const other = await anotherWorker();
    await other.snapshot();
    const [loss, ...others] = failed(await verify(other));
    expect(loss).toMatch(/^CCM3009 Service default\/web-1 had \S+ and has \S+$/);
    // The cloud says the same of its load balancer.
    const [atCloud, ...more] = others;
    expect(atCloud).toMatch(/^CCM3015 LoadBalancer \S+: address \S+ is gone$/);
    expect(more).toEqual([]);
  });

  it('a finalizer, a zone and an annotation that changed are named, without the value of the annotation', async () => {
    const { api } = environment.ports;
    await labelled({ [ZONE]: 'here' });
    await api.mergePatch(WEB_1, {
      metadata: { finalizers: [CLEANUP, MINE], annotations: { 'example.com/pool': 'secret-1' } },
    });
    since = (await environment.snapshot()).observation.inventory;
    await api.mergePatch(WEB_1, {
      metadata: { finalizers: [CLEANUP], annotations: { 'example.com/pool': 'secret-2' } },
    });
    const node = await labelled({ [ZONE]: 'elsewhere' });
    const [difference, ...others] = failed(await verify());
    expect(others).toEqual([]);
    expect(difference).toMatch(/^CCM3015 /);
    expect(difference).toMatch(`Node ${node}: label ${ZONE} was here and is elsewhere`);
    expect(difference).toMatch('Service default/web-1: annotation example.com/pool changed');
    expect(difference).toMatch(`Service default/web-1: finalizer ${MINE} is gone`);
    expect(difference).not.toMatch('secret');
  });

  it('what a new owner fills in, and what deployments write, needs no explanation', async () => {
    await labelled({ 'node.kubernetes.io/instance-type': 'm5.large' });
    await environment.ports.api.mergePatch(WEB_1, {
      metadata: {
        annotations: {
          'loadbalancer.openstack.org/load-balancer-id': '1',
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
        },
      },
    });
    const report = await verify();
    expect(report.observation.inventory.objectsDigest).not.toBe(since.objectsDigest);
    expect(failed(report)).toEqual([]);
  });

  it.each([
    ['is gone', (file: string) => rm(file)],
    ['was changed', (file: string) => writeFile(file, '{}')],
  ])(
    'where the list of the start %s, a difference holds until a person has looked',
    async (_name, harm) => {
      await harm(await keptList(environment));
      expect(failed(await verify())).toEqual([]);
      await environment.ports.api.remove(WEB_1);
      await environment.clock.sleep(5000);
      expect(failed(await verify())).toEqual([
        'CCM3009 2 load balancers had an address, 1 have',
        'CCM3015 Services, Nodes or volumes are not as at the start, and the list made then is gone',
      ]);
    },
  );

  it('an inventory of an older build, without a digest of its objects, is compared by the rest', async () => {
    const { objectsDigest: _, ...older } = since;
    since = older;
    await environment.ports.api.mergePatch(WEB_1, { metadata: { finalizers: [CLEANUP, MINE] } });
    expect(failed(await verify())).toEqual([]);
  });

  it('both lists are kept beside the evidence when they differ', async () => {
    await environment.ports.api.mergePatch(WEB_1, { metadata: { finalizers: [CLEANUP, MINE] } });
    const { observation } = await verify();
    const { evidence } = environment.dependencies;
    const digests = [since.objectsDigest ?? '', observation.inventory.objectsDigest ?? ''];
    const [then, now] = await Promise.all(
      digests.map((digest) => evidence.keptText(environment.context, digest)),
    );
    expect(then).toContain(CLEANUP);
    expect(then).not.toContain(MINE);
    expect(now).toContain(MINE);
  });
});

/** The only file of the run's kept texts. */
async function keptList({ stateDir }: Environment): Promise<string> {
  const files = await readdir(stateDir, { recursive: true });
  const [list, ...others] = files.filter((file) => /\.texts\/[0-9a-f]{64}\.txt$/.test(file));
  if (list === undefined || others.length > 0) throw new Error(files.join(' '));
  return join(stateDir, list);
}
