import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import type { Cli } from '../../cli/cli.js';
import { findRun, findRunOf } from '../../cli/runs/find-run.js';
import { startRun } from '../../cli/runs/start-run.js';
import { clusterWorkflowId } from '../../config/names.js';
import { policyOf } from '../support/cluster-builder.js';
import { openLab, QUICK, type MigrationLab } from './support/migration-run.js';

let lab: MigrationLab;
let folder: string;
beforeAll(async () => {
  lab = await openLab();
}, 60_000);
afterAll(() => lab.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-find-'));
});
afterEach(async () => rm(folder, { recursive: true }));

/** A run that no worker takes up: the server alone must know it. */
async function started(client: Client, name: string): Promise<string> {
  const uid = `uid-${randomUUID()}`;
  const run = await startRun(client, {
    ...{ cluster: { name, uid }, region: randomUUID(), fleet: 'f', wave: '', target: 'ccm' },
    ...{ policy: policyOf(), materials: { ccmManifest: '' }, planDigest: 'sha256:0' },
    ...{ actor: 'ana', reason: 'r', ticket: '', timings: QUICK },
  });
  return run.workflowId;
}

/** A client whose search finds nothing, as right after a start; every query is kept. */
function withoutSearch(client: Client): { readonly client: Client; readonly searched: string[] } {
  const searched: string[] = [];
  const list = ({ query }: { readonly query: string }): readonly never[] => {
    searched.push(query);
    return [];
  };
  const workflow = new Proxy(client.workflow, {
    get: (target, name) => (name === 'list' ? list : Reflect.get(target, name, target)),
  });
  return { client: { workflow } as unknown as Client, searched };
}

function cliWith(cluster: string, files: readonly string[]): Pick<Cli, 'arguments' | 'options'> {
  const options = { texts: () => files } as unknown as Cli['options'];
  return { arguments: [cluster], options };
}

describe('the run that is meant', () => {
  it('is no run of another cluster where -f took the name that was written', async () => {
    const { client, searched } = withoutSearch(lab.environment.client);
    const options = { texts: () => ['inventory.yaml', 'prod-1'] } as unknown as Cli['options'];
    await expect(findRun({ arguments: [], options }, client)).rejects.toThrow(
      '-f takes all words that follow it (inventory.yaml, prod-1), and no cluster is named: write its name before -f',
    );
    expect(searched).toEqual([]);
  });

  it('the run of a cluster is found by its name at once, although no worker runs', async () => {
    const { client } = lab.environment;
    const name = `prod-${randomUUID()}`;
    const workflowId = await started(client, name);
    expect(await findRunOf(client, name)).toBe(workflowId);
    await client.workflow.getHandle(workflowId).terminate();
    expect(await findRunOf(client, name)).toBe(workflowId);
  });

  it.each([
    `x' OR Cluster='VICTIM`,
    `x\\' OR Cluster='VICTIM`,
    `x" OR Cluster="VICTIM`,
    `x' OR WorkflowType='clusterMigration`,
  ])('the search finds no other run by %s', async (written) => {
    const { client } = lab.environment;
    const victim = `victim-${randomUUID()}`;
    const workflowId = await started(client, victim);
    await findRunOf(client, victim);
    await expect(findRunOf(client, written.replaceAll('VICTIM', victim))).rejects.toMatchObject({
      code: 'CCM4022',
    });
    await client.workflow.getHandle(workflowId).terminate();
  });

  it('a known run id is used without any search', async () => {
    const name = `prod-${randomUUID()}`;
    const workflowId = await started(lab.environment.client, name);
    const uid = workflowId.replace(clusterWorkflowId(''), '');
    const inventory = join(folder, 'inventory.yaml');
    const content = {
      ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'ClusterInventory' },
      ...{ metadata: { name: 'all' }, spec: { clusters: [{ name, uid, kubeconfig: './k' }] } },
    };
    await writeFile(inventory, JSON.stringify(content));
    const { client, searched } = withoutSearch(lab.environment.client);
    for (const cli of [
      cliWith(uid, []),
      cliWith(workflowId, []),
      cliWith(name, [inventory]),
      cliWith(name, [folder]),
    ])
      expect(await findRun(cli, client)).toBe(workflowId);
    expect(searched).toEqual([]);
    await lab.environment.client.workflow.getHandle(workflowId).terminate();
  });

  it('a search by name asks for that name alone, never for all runs', async () => {
    const { client, searched } = withoutSearch(lab.environment.client);
    await expect(findRunOf(client, 'no-one')).rejects.toMatchObject({ code: 'CCM4022' });
    const [first] = searched;
    expect(first).toBe("WorkflowType='clusterMigration' AND Cluster='no-one'");
  });
});
