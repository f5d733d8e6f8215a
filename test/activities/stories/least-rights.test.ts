import { describe, expect, it, jest } from '@jest/globals';
import { inspectCluster } from '../../../activities/inspection.js';
import { managerAccess } from '../../../cli/authority/worker-roles.js';
import type { AccessObject } from '../../../domain/access/access-objects.js';
import { atomsOf } from '../../../domain/access/minimal-rights.js';
import { workerRights } from '../../../domain/access/worker-rights.js';
import { workerRoles } from '../../../domain/access/worker-role.js';
import type { MetricGatePolicy, MigrationPolicy } from '../../../domain/policy.js';
import { PROBE_NAMESPACE } from '../../../domain/probes/balancer-probe.js';
import type { AccessQuestion, SimulatedCluster } from '../../../testbed/simulator/model.js';
import { driveRun } from '../../faults/drive-run.js';
import { DAEMON_SET } from '../daemon-set-manifest.js';
import { openEnvironment, type Environment, type EnvironmentOptions } from '../environment.js';
import { simulatorPolicy } from '../simulator-policy.js';

jest.setTimeout(300_000);

const WORKER = { user: 'ccm-migrate', groups: [] };

interface Course extends EnvironmentOptions {
  /** What stands in the cluster before the first run, each in a cluster of its own; nothing by default. */
  readonly givens?: readonly ((cluster: SimulatedCluster) => void)[];
}

interface Asked extends AccessQuestion {
  readonly allowed: boolean;
}

function create(cluster: SimulatedCluster, object: object): void {
  const { kind } = object as { kind: string };
  const answer = cluster.store.create(`${kind.toLowerCase()}s`, object as never);
  if (!answer.ok) throw new Error(JSON.stringify(answer));
}

function grantedBy(policy: MigrationPolicy, ccmManifest: string): readonly AccessObject[] {
  return managerAccess({ policy, materials: { ccmManifest } });
}

/** Forward and rollback as a user with the least role; how the runs ended, and everything that it asked for. */
async function bothWays(
  options: EnvironmentOptions & { readonly policy: MigrationPolicy },
  given: (cluster: SimulatedCluster) => void,
  asked: Asked[],
): Promise<readonly string[]> {
  const { policy, ccmManifest = '' } = options;
  const prepare = (cluster: SimulatedCluster): void => {
    given(cluster);
    for (const object of roleObjects(policy, ccmManifest)) create(cluster, object);
    if (policy.clusterAccess === 'provided') {
      for (const object of grantedBy(policy, ccmManifest)) create(cluster, object);
    }
    record(cluster, asked);
  };
  const environment = await openEnvironment({
    ...{ timings: { guardMs: 1000, fenceRenewMs: 5000 }, requester: WORKER, prepare },
    ...options,
  });
  try {
    return [await run(environment, 'ccm'), await run(environment, 'kcm')];
  } finally {
    await environment.close();
  }
}

function record({ store }: SimulatedCluster, asked: Asked[]): void {
  const authorize = store.authorize.bind(store);
  Object.assign(store, {
    authorize: (question: AccessQuestion) => {
      const answer = authorize(question);
      if (question.user === WORKER.user) asked.push({ ...question, allowed: answer.allowed });
      return answer;
    },
  });
}

function rightsFor(policy: MigrationPolicy, manifest: string): ReturnType<typeof workerRights> {
  return workerRights({
    ...{ policy, access: grantedBy(policy, manifest) },
    beside: { nodeAccess: true, machines: true, balancers: true, ssh: false },
  });
}

function roleObjects(policy: MigrationPolicy, manifest: string): readonly object[] {
  return workerRoles(rightsFor(policy, manifest), WORKER.user).flatMap(({ role, binding }) => [
    role,
    binding,
  ]);
}

/** What `plan` reads, then a run with its guard. */
async function run(environment: Environment, target: 'ccm' | 'kcm'): Promise<string> {
  const { context, ccmManifest } = environment;
  const connection = await environment.dependencies.connect(context.cluster);
  await inspectCluster(connection, {
    ...{ cluster: context.cluster, policy: context.policy, timings: context.timings },
    ...{ materials: { ccmManifest }, clock: environment.clock },
  });
  const runId = `run-${target}`;
  const { outcome } = await driveRun(environment, { target, runId, ccmManifest });
  return outcome.kind;
}

/** An answer to `escalate` or `bind` decides how a grant is judged; it is no request. */
function refusedIn(asked: readonly Asked[]): readonly string[] {
  return asked
    .filter(({ allowed, verb }) => !allowed && verb !== 'escalate' && verb !== 'bind')
    .map((one) => JSON.stringify(one));
}

/** Rights that could be taken away without anything being refused. */
function unneeded(
  rights: ReturnType<typeof workerRights>,
  asked: readonly Asked[],
): readonly string[] {
  const atoms = rights.flatMap(atomsOf);
  const needed = new Set<(typeof atoms)[number]>();
  for (const question of asked.filter(({ allowed }) => allowed)) {
    const { resource, subresource, group, verb, namespace, name } = question;
    const wanted = subresource === undefined ? resource : `${resource}/${subresource}`;
    const [only, ...more] = atoms.filter(
      (atom) =>
        atom.group === group &&
        atom.resource === wanted &&
        atom.verb === verb &&
        (atom.namespace === null || atom.namespace === namespace) &&
        (atom.name === null || atom.name === name),
    );
    if (only !== undefined && more.length === 0) needed.add(only);
  }
  return atoms
    .filter((atom) => !needed.has(atom))
    .map(({ verb, resource, name, namespace }) => [verb, resource, name, namespace].join(' '));
}

const replaced = { nodes: { forward: 'replace', rollback: 'replace' } } as const;
const asDaemonSet = { ccm: { ...simulatorPolicy().ccm, deployAs: 'daemonSet' } } as const;
const provided = { clusterAccess: 'provided' } as const;
const thorough: Partial<MigrationPolicy> = {
  disableLeaderMigration: 'afterSoak',
  leaderMigrationAfterRollback: 'off',
};

const ON_OBJECTS: MetricGatePolicy = {
  ...{ catalogue: 'off', objects: 'watch', except: [], quiet: 'note' },
  ...{ everyMs: 15_000, unmeasuredMs: 120_000, falseAlarms: 0.01, tolerance: 1.5 },
};

/** A provider that leaves the Nodes of deleted machines behind, and a pod that must be evicted. */
function leavesNodes(cluster: SimulatedCluster): void {
  create(cluster, {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'shop', namespace: 'default' } },
    spec: { nodeName: 'cp-1', containers: [{ name: 'shop', image: 'shop' }] },
  });
  const left = new Set<string>();
  cluster.store.onChange('nodes', ({ type, object }) => {
    const { name } = object.metadata;
    if (type !== 'DELETED' || left.has(name)) return;
    left.add(name);
    create(cluster, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: object.metadata.labels },
    });
  });
}

/** What an earlier version of ours left, with other content. */
function leaveOutdated(cluster: SimulatedCluster, policy: MigrationPolicy): void {
  for (const { rules, subjects, ...object } of grantedBy(policy, '')) {
    create(cluster, {
      ...object,
      ...(rules && { rules: [] }),
      ...(subjects && { subjects: [] }),
    });
  }
}

function namespaced(name: string): (cluster: SimulatedCluster) => void {
  return (cluster) => {
    create(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  };
}

const acme = namespaced('acme');
/** A CCM with rights in a namespace of its vendor. */
const ELSEWHERE_TOO: MigrationPolicy['ccm'] = {
  ...simulatorPolicy().ccm,
  accessRules: [
    {
      ...{ namespace: 'acme', apiGroups: [''], resources: ['secrets'] },
      ...{ resourceNames: ['credentials'], verbs: ['get'] },
    },
  ],
};

const COURSES: Readonly<Record<string, Course>> = {
  'in place, with access that is provided': {
    policy: { ...provided, ccm: ELSEWHERE_TOO },
    givens: [acme],
  },
  'in place, with access of its own': {
    policy: { ...thorough, ccm: ELSEWHERE_TOO },
    givens: [
      acme,
      (cluster) => {
        acme(cluster);
        leaveOutdated(cluster, simulatorPolicy({ ...thorough, ccm: ELSEWHERE_TOO }));
      },
    ],
  },
  'workers rolled': { policy: { ...provided, rollWorkers: { enabled: true, batchSize: 1 } } },
  'nodes replaced': {
    spec: { etcd: 'stacked' },
    policy: { ...replaced, ...provided },
    givens: [leavesNodes],
  },
  'the CCM as DaemonSet': {
    spec: { nodes: 1 },
    policy: { ...asDaemonSet, ...provided, ...thorough },
    ccmManifest: DAEMON_SET,
  },
  'without a lock': { policy: { strategy: 'gap', ...provided } },
  'with probes and gates on objects': {
    policy: {
      ...{ ...provided, metricGates: ON_OBJECTS },
      probes: { balancer: { annotations: {}, withinMs: 60_000 } },
    },
    givens: [namespaced(PROBE_NAMESPACE)],
  },
};

describe('a worker with the least rights on a cluster', () => {
  it.each(Object.entries(COURSES))(
    'migrates and rolls back, is refused nothing, and needs every right: %s',
    async (_name, { givens = [() => undefined], ...options }) => {
      const policy = simulatorPolicy({ soakSeconds: 120, ...options.policy });
      const manifest = options.ccmManifest ?? '';
      const asked: Asked[] = [];
      for (const given of givens) {
        const ends = await bothWays({ ...options, policy }, given, asked);
        expect(ends).toEqual(['done', 'rolledBack']);
      }
      expect(refusedIn(asked)).toEqual([]);
      expect(unneeded(rightsFor(policy, manifest), asked)).toEqual([]);
    },
  );
});
