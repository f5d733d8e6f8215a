import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with the given files, while one callback runs. */
export async function withFiles<T>(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-config-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const HEAD = (kind: string, name: string): string =>
  `apiVersion: ccm-migrate.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\n`;

export const FLEET = `${HEAD('FleetMigration', 'home')}spec:
  inventory: home
  policy: standard
`;

export const INVENTORY = `${HEAD('ClusterInventory', 'home')}spec:
  clusters:
    - name: prod-1
      kubeconfig: ./prod-1.kubeconfig
      machinesApi: { url: https://machines.example.net }
`;

export const POLICY = `${HEAD('MigrationPolicy', 'standard')}spec:
  source: { version: 1.29.15, cloudProvider: example, kcmImage: kcm:1.29 }
  target: { version: 1.30.14, kcmImage: kcm:1.30 }
  ccm: { image: ccm:1.30, version: 1.30.14, manifest: ./ccm.yaml }
`;

export const CCM_POD = `apiVersion: v1
kind: Pod
metadata: { name: cloud-controller-manager, namespace: kube-system }
spec:
  containers:
    - { name: ccm, image: 'ccm:1.30' }
`;
