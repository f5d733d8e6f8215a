import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { connectCluster, type ReachableCluster } from '../../../../activities/adapters/connect.js';
import { closeTransports } from '../../../../activities/adapters/shared-transports.js';
import type { RunContext } from '../../../../activities/contract.js';
import {
  quietScope,
  realClock,
  type ActivityDependencies,
} from '../../../../activities/dependencies.js';
import { createFileEvidenceStore } from '../../../../activities/evidence/file-evidence-store.js';
import { standInGuard } from '../../../support/stand-in-guard.js';
import { createActivities } from '../../../../activities/index.js';
import { inspectCluster } from '../../../../activities/inspection.js';
import type { ClusterPorts } from '../../../../activities/ports.js';
import type { SshAccess } from '../../../../config/loaded-inventories.js';
import type { Finding } from '../../../../domain/findings/finding.js';
import type { ClusterObservation } from '../../../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../../../domain/policy.js';
import { preflight } from '../../../../domain/preflight/preflight.js';
import type { LabCluster } from '../../../../testbed/lab/cluster/lab-cluster.js';
import { ccmStaticPod } from '../../../../testbed/lab/cluster/manifests.js';
import { runByHand, type RunByHand } from '../../../activities/run-by-hand.js';
import { TIMINGS } from '../../../activities/run-context.js';
import { OLD, simulatorPolicy } from '../../../activities/simulator-policy.js';
import type { FoundCluster } from '../../../proven/found-clusters.js';
import { decisionIn } from '../../../proven/views.js';

/** This project on a cluster of the lab: its own activities, over the API server and SSH. */
export interface Product extends RunByHand {
  readonly context: RunContext;
  readonly ports: ClusterPorts;
  /** A full observation, as `ccm-migrate check` makes it. */
  inspect(): Promise<ClusterObservation>;
  close(): Promise<void>;
}

export async function connectProduct(
  cluster: LabCluster,
  policy: Partial<MigrationPolicy> = {},
): Promise<Product> {
  const stateDir = await mkdtemp(join(tmpdir(), 'ccm-migrate-truth-'));
  const connect = () =>
    connectCluster({
      name: cluster.name,
      kubeconfig: cluster.kubeconfig,
      nodeAccess: sshTo(cluster),
      ...apisOf(cluster),
      allow: { exec: false, fileReferences: false },
    });
  const context = await contextOf(cluster, policy);
  const ports = await connect();
  const guard = standInGuard(ports.api, context.timings);
  const dependencies: ActivityDependencies = {
    connect: async () => {
      const connection = await connect();
      return { ...connection, ...guard.beside(connection) };
    },
    evidence: createFileEvidenceStore(join(stateDir, 'evidence')),
    build: 'test',
    clock: realClock,
    log: { info: () => undefined, warn: () => undefined },
    scope: () => quietScope(),
  };
  const manifest = ccmStaticPod(OLD, { cloudProvider: 'labcloud' });
  const activities = createActivities(dependencies);
  return {
    ...runByHand({ activities, context, ccmManifest: manifest }),
    context,
    ports,
    inspect: async () => (await inspectCluster(ports, context)).snapshot.observation,
    close: async () => {
      await ports.close();
      await closeTransports();
      await rm(stateDir, { recursive: true });
    },
  };
}

async function contextOf(
  cluster: LabCluster,
  policy: Partial<MigrationPolicy>,
): Promise<RunContext> {
  const system = await cluster.api.must('GET', '/api/v1/namespaces/kube-system');
  const { uid } = (system as { metadata: { uid: string } }).metadata;
  return {
    cluster: { name: cluster.name, uid },
    workflowId: `cluster-migration/${uid}`,
    runId: 'run-1',
    actor: 'ana',
    reason: 'upgrade',
    planDigest: 'sha256:plan',
    policy: simulatorPolicy(policy),
    timings: { ...TIMINGS, fenceRenewMs: 120_000 },
  };
}

function sshTo({ nodes }: LabCluster): SshAccess {
  const [first] = nodes;
  if (first === undefined) throw new Error('a cluster without a node');
  const { user, port, keyFile } = first.sshAccess;
  const hosts = nodes.map(({ name, sshAccess: { address, hostKey } }) => [
    name,
    { address, hostKeys: [hostKey] },
  ]);
  return {
    ...{ kind: 'ssh', user, port, sudo: false, identityFile: keyFile },
    hosts: Object.fromEntries(hosts),
  };
}

/** Codes of the errors it reports before a run, each once. */
function errorsIn(product: Product, observation: ClusterObservation): readonly string[] {
  const isError = ({ severity }: Finding): boolean => severity === 'error';
  const found = preflight(observation, product.context.policy).filter(isError);
  return [...new Set(found.map(({ code }) => code))];
}

/** What it reports about a cluster as an operator left it, and its first step when the target is CCM. */
export async function expectSaid(
  product: Product,
  { says, first }: Pick<FoundCluster, 'says' | 'first'>,
): Promise<ClusterObservation> {
  const observation = await product.inspect();
  const said = {
    says: errorsIn(product, observation),
    first: decisionIn(product, observation, 'ccm'),
  };
  expect(said).toEqual({ says, first });
  return observation;
}

function apisOf({
  machinesApiUrl: url,
}: LabCluster): Pick<ReachableCluster, 'machinesApi' | 'cloudApi'> {
  return url === null
    ? { machinesApi: null }
    : { machinesApi: { url }, cloudApi: { url: `${url}/cloud-api` } };
}
