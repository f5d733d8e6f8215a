import { afterAll, beforeAll, describe, it } from '@jest/globals';
import {
  authoritiesOf,
  type ClusterIdentity,
} from '../../../../activities/adapters/kubernetes/cluster-identity.js';
import { createConnectionPool } from '../../../../activities/adapters/ssh/connection-pool.js';
import type { ConnectionPool } from '../../../../activities/adapters/ssh/connection-pool.js';
import type { ManagerCredential } from '../../../../activities/adapters/ssh/manager-metrics.js';
import { createSshNodeAccess } from '../../../../activities/adapters/ssh/node-access-ssh.js';
import type { ClusterPorts, KubernetesApi } from '../../../../activities/ports.js';
import type { SshAccess } from '../../../../config/loaded-inventories.js';
import {
  startSshNode,
  type SshNode,
  type SshNodeOptions,
} from '../../../support/ssh-node/start-ssh-node.js';
import { whyNoSshNode } from '../../../support/ssh-node/why-no-sshd.js';

/** The node's name in these tests. */
export const NODE = 'cp-1';

const NO_CREDENTIAL: ManagerCredential = {
  certificate: null,
  bearer: () => Promise.resolve(null),
};

export interface OverSsh extends Pick<ClusterPorts, 'files' | 'processes' | 'kubelets'> {
  readonly pool: ConnectionPool;
}

/** Its address is in the inventory, so the API server is not asked. */
const NO_API = {} as KubernetesApi;

export function overSsh(
  access: SshAccess,
  identity: ClusterIdentity,
  { credential = NO_CREDENTIAL, api = NO_API }: OverSshOptions = {},
): OverSsh {
  const pool = createConnectionPool();
  const identify = (): Promise<ClusterIdentity> => Promise.resolve(identity);
  const cluster = identity.name;
  const settings = { cluster, identify, access, pool, api, onRequest: () => undefined };
  return { ...createSshNodeAccess(settings, credential), pool };
}

export interface OverSshOptions {
  readonly credential?: ManagerCredential;
  /** Returns the addresses of nodes that the inventory does not contain. */
  readonly api?: KubernetesApi;
}

export interface Environment {
  readonly node: () => SshNode;
  /** The node's own cluster. */
  readonly identity: () => ClusterIdentity;
  /** The node over SSH; its connections are closed at the end. */
  readonly open: (change?: Partial<SshAccess>, credential?: ManagerCredential) => OverSsh;
  /** The same as another cluster would open it. */
  readonly openAs: (
    who: Partial<ClusterIdentity>,
    change?: Partial<SshAccess>,
    options?: OverSshOptions,
  ) => OverSsh;
}

const why = whyNoSshNode();

/** Stories on one node with a real sshd; on a machine that cannot start one they are listed and skipped. */
export function onSshNode(
  name: string,
  options: SshNodeOptions,
  stories: (environment: Environment) => void,
): void {
  if (why !== null) {
    describe(name, () => {
      it.todo(`not run: ${why}`);
    });
    return;
  }
  describe(name, () => {
    let node: SshNode;
    const pools: ConnectionPool[] = [];
    beforeAll(async () => {
      node = await startSshNode(options);
    });
    afterAll(async () => {
      await Promise.all(pools.map((pool) => pool.close()));
      await node.stop();
    });
    const identity = (): ClusterIdentity => ({
      ...{ name: 'own', uid: 'uid-own' },
      authorities: authoritiesOf(node.clusterCa),
    });
    const openAs: Environment['openAs'] = (who, change, more) => {
      const opened = overSsh(node.access(NODE, change), { ...identity(), ...who }, more);
      pools.push(opened.pool);
      return opened;
    };
    stories({
      node: () => node,
      identity,
      openAs,
      open: (change, credential) =>
        openAs({}, change, credential === undefined ? {} : { credential }),
    });
  });
}
