import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectCluster, type ConnectedCluster } from '../../../../activities/adapters/connect.js';
import { closeTransports } from '../../../../activities/adapters/shared-transports.js';
import { failureTypeOf } from '../../../../activities/failures.js';
import { manifestPath } from '../../../../activities/node-paths.js';
import type { NodeFile } from '../../../../activities/ports.js';
import type { InventoryCluster } from '../../../../config/loaded-inventories.js';
import { cliErrorOf } from '../../../../cli/cli-error.js';
import type { LabCluster } from '../../../../testbed/lab/cluster/lab-cluster.js';
import { letHappen, type LabFault } from '../../../../testbed/lab/faults.js';
import { openLab, type Lab } from '../../../../testbed/lab/lab.js';
import { eventually } from '../../../contract/eventually.js';
import { failureOf } from '../../../activities/adapters/http/tls-stub.js';
import { describeInLab } from '../wanted.js';

const VERSION = process.env['CCM_TEST_LAB_VERSION'] ?? '1.30.14';
const NODE = 'cp-1';
const MANIFEST = manifestPath('kcm');
const PATIENCE_MS = 60_000;

jest.setTimeout(900_000);

interface Environment {
  readonly lab: Lab;
  readonly cluster: LabCluster;
  /** As the product reaches a cluster whose nodes it can log in to. */
  readonly product: ConnectedCluster;
}

async function openEnvironment(): Promise<Environment> {
  const lab = await openLab({
    ...{ nodes: 1, from: VERSION, to: VERSION, env: process.env },
    report: (line) => void process.stderr.write(`${line}\n`),
  });
  const [cluster] = lab.clusters;
  if (cluster === undefined) throw new Error('a lab without a cluster');
  const { address, hostKey, keyFile } = cluster.node(NODE).sshAccess;
  const product = await connectAs(cluster, cluster.name, {
    ...{ kind: 'ssh', user: 'root', port: 22, sudo: false, identityFile: keyFile },
    hosts: { [NODE]: { address, hostKeys: [hostKey] } },
  });
  return { lab, cluster, product };
}

/** Connections are shared by the cluster's name: another name gets its own. */
async function connectAs(
  { kubeconfig }: LabCluster,
  name: string,
  nodeAccess: InventoryCluster['nodeAccess'],
): Promise<ConnectedCluster> {
  const allow = { exec: false, fileReferences: false };
  return connectCluster({ name, kubeconfig, nodeAccess, machinesApi: null, allow });
}

describeInLab(
  'a run names the fault that a person has to mend, and continues once it is mended',
  () => {
    let environment: Environment;
    const happens = async (fault: LabFault): Promise<string> =>
      letHappen(environment.lab, environment.cluster, fault);
    beforeAll(async () => {
      environment = await openEnvironment();
    });
    afterAll(async () => {
      await environment.product.close();
      await closeTransports();
      await environment.lab.close();
    });

    it('a full disk leaves nothing half written, also after a boot, and the reason says where room is needed', async () => {
      const { files } = environment.product;
      const { folder } = environment.cluster.node(NODE);
      const names = (): readonly string[] =>
        readdirSync(join(folder, 'disk/etc/kubernetes'), { recursive: true, encoding: 'utf8' })
          .filter((name) => name !== 'fills-the-disk')
          .sort();
      const whole = async (): Promise<NodeFile> => {
        const file = await files.read(NODE, MANIFEST);
        if (file === null) throw new Error(`${MANIFEST} is not there`);
        return file;
      };
      const before = await whole();
      const beside = names();
      // The same for the kubelet, which compares the content.
      const content = `${before.content}\n`;
      const write = (): Promise<void> =>
        files.write(NODE, MANIFEST, content, { expect: before.hash, epoch: 1 });
      const isRefused = async (): Promise<void> => {
        const error = await failureOf(write());
        expect(failureTypeOf(error)).toBe('PreconditionFailed');
        expect(String(error)).toContain(`write ${NODE}:${MANIFEST}: nothing was changed: `);
        expect(String(error)).toMatch(
          /nothing was changed: .*\/etc\/kubernetes.*No space left on device.*\. Make room/,
        );
        expect(await whole()).toEqual(before);
        expect(names()).toEqual(beside);
      };

      await happens({ kind: 'fillDisk', node: NODE });
      await isRefused();
      await happens({ kind: 'crashNode', node: NODE });
      await happens({ kind: 'bootNode', node: NODE });
      await eventually(PATIENCE_MS, () => whole().catch(() => null));
      await isRefused();

      await happens({ kind: 'freeDisk', node: NODE });
      await write();
      expect((await whole()).content).toBe(content);
      expect(names()).toEqual(beside);
    });

    it('an expired certificate of the API server stops every request, and the reason names it until it is renewed', async () => {
      let connected = 0;
      /** What a process that starts now receives. */
      const asked = async (): Promise<string> => {
        connected += 1;
        const none = { kind: 'none' } as const;
        const reconnected = await connectAs(environment.cluster, `reconnected-${connected}`, none);
        try {
          const { gitVersion } = await reconnected.api.serverVersion();
          return gitVersion;
        } finally {
          await reconnected.close();
        }
      };
      expect(await asked()).toBe(`v${VERSION}`);

      await happens({ kind: 'expireCertificate' });
      const error = await failureOf(asked());
      expect(failureTypeOf(error)).toBe('Unauthorized');
      expect(String(error)).toContain("(CERT_HAS_EXPIRED). The server's certificate");
      expect(cliErrorOf(error)).toMatchObject({ code: 'CCM4016' });

      await happens({ kind: 'renewCertificate' });
      expect(await asked()).toBe(`v${VERSION}`);
    });
  },
);
