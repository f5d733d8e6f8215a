import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadInventory } from '../../config/loaded-inventories.js';
import { ConfigInvalid } from '../../config/problems.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-inventory-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function problemsOf(name: string, text: string): Promise<readonly string[]> {
  const path = await write(name, text);
  const error: unknown = await loadInventory(path).catch((caught: unknown) => caught);
  if (!(error instanceof ConfigInvalid))
    throw new Error(`expected ConfigInvalid, got ${String(error)}`);
  return error.message.split('\n').map((line) => line.replace(`${folder}/`, ''));
}

const HEAD = `apiVersion: ccm-migrate.dev/v1alpha1
kind: ClusterInventory
metadata:
  name: home
`;

describe('loadInventory', () => {
  it('writes out every default and makes paths absolute', async () => {
    const path = await write(
      'one.yaml',
      `${HEAD}spec:
  clusters:
    - name: prod-1
      kubeconfig: keys/prod-1.yaml
`,
    );
    expect(await loadInventory(path)).toEqual([
      {
        name: 'prod-1',
        region: 'default',
        labels: {},
        kubeconfig: join(folder, 'keys/prod-1.yaml'),
        nodeAccess: { kind: 'none' },
        machinesApi: null,
        allow: { exec: false, fileReferences: false },
        inventoryFile: path,
      },
    ]);
  });

  it('reads several documents and every field', async () => {
    const path = await write(
      'two.yaml',
      `${HEAD}spec:
  clusters:
    - name: a
      kubeconfig: /a
---
${HEAD.replace('home', 'other')}spec:
  clusters:
    - name: b
      region: eu
      labels: { env: prod }
      kubeconfig: /b
      context: admin
      uid: 1234-5678
      certificateAuthorities: ['AB:${'0C:'.repeat(30)}EF', ${'ab'.repeat(32)}]
      nodeAccess: { kind: http, url: 'https://127.0.0.1:1/clusters/b/node-access' }
      machinesApi: { url: 'https://127.0.0.1:1/clusters/b/machines-api' }
      cloudApi: { url: 'https://127.0.0.1:1/clusters/b/cloud-api' }
      allow: { exec: true, fileReferences: true }
      metrics: { prometheus: { url: 'https://prom', tokenFile: token, match: { cluster: b } } }
`,
    );
    const clusters = await loadInventory(path);
    expect(clusters.map((cluster) => cluster.name)).toEqual(['a', 'b']);
    expect(clusters[1]).toEqual({
      name: 'b',
      region: 'eu',
      labels: { env: 'prod' },
      kubeconfig: '/b',
      context: 'admin',
      uid: '1234-5678',
      certificateAuthorities: [`ab${'0c'.repeat(30)}ef`, 'ab'.repeat(32)],
      nodeAccess: { kind: 'http', url: 'https://127.0.0.1:1/clusters/b/node-access' },
      machinesApi: { url: 'https://127.0.0.1:1/clusters/b/machines-api' },
      cloudApi: { url: 'https://127.0.0.1:1/clusters/b/cloud-api' },
      allow: { exec: true, fileReferences: true },
      prometheus: {
        ...{ url: 'https://prom', caFile: null, tokenFile: join(folder, 'token') },
        ...{ match: { cluster: 'b' }, staleAfterMs: 120_000 },
      },
      inventoryFile: path,
    });
  });

  it('reports every problem at once, each at its place', async () => {
    const problems = await problemsOf(
      'bad.yaml',
      `${HEAD}spec:
  clusters:
    - name: Prod_1
      kubconfig: ./x
      nodeAccess: { kind: htpp }
    - name: two
      kubeconfig: ./y
      machinesApi: { url: 'http://plain' }
`,
    );
    expect(problems).toEqual([
      'bad.yaml:7:13: spec.clusters.0.name: use lowercase letters, digits, "-" and ".", starting and ending with a letter or digit (CCM5003)',
      'bad.yaml:7:7: spec.clusters.0.kubeconfig: required, and missing (string) (CCM5004)',
      'bad.yaml:9:27: spec.clusters.0.nodeAccess.kind: expected one of http, ssh, none, found "htpp", did you mean "http"? (CCM5003)',
      'bad.yaml:8:7: spec.clusters.0.kubconfig: unknown key, did you mean "kubeconfig"? (CCM5002)',
      'bad.yaml:12:27: spec.clusters.1.machinesApi.url: must be an https:// address without credentials in it (CCM5003)',
    ]);
  });

  it.each([
    [
      'two clusters of one name',
      '    - { name: a, kubeconfig: /a }\n    - { name: a, kubeconfig: /b }\n',
      'bad.yaml:8:15: spec.clusters.1.name: a cluster named "a" is already defined (CCM5009)',
    ],
    [
      'an alias',
      '    - &x { name: a, kubeconfig: /a }\n    - *x\n',
      'bad.yaml:7:10: anchors are not allowed: write it out (CCM5001)',
    ],
    [
      'a repeated key',
      '    - name: a\n      name: b\n      kubeconfig: /a\n',
      'bad.yaml:8:7: Map keys must be unique (CCM5001)',
    ],
  ])('refuses a file with %s', async (_case, clusters, expected) => {
    const problems = await problemsOf('bad.yaml', `${HEAD}spec:\n  clusters:\n${clusters}`);
    expect(problems).toContain(expected);
  });

  it.each([
    [
      'no inventory',
      HEAD.replace('ClusterInventory', 'ClusterInvntory'),
      'bad.yaml:2:7: kind: unknown kind "ClusterInvntory", did you mean "ClusterInventory"? (known: FleetMigration, ClusterInventory, MigrationPolicy) (CCM5005)',
    ],
    ['no content', '', 'bad.yaml:1:1: no document in this file (CCM5001)'],
    ['too much text', `# ${'x'.repeat(1024 * 1024)}`, 'bad.yaml:1:1: larger than 1 MiB (CCM5015)'],
  ])('refuses a file with %s', async (_case, text, expected) => {
    expect(await problemsOf('bad.yaml', text)).toEqual([expected]);
  });

  it('reports a file that does not exist', async () => {
    await expect(loadInventory(join(folder, 'absent.yaml'))).rejects.toThrow(
      'there is no such file',
    );
  });
});
