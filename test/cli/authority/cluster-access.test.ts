import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fakeTerminal, ran } from '../fake-terminal.js';

const ROOT = join(import.meta.dirname, '../../..');
const EXAMPLE = join(ROOT, 'config/examples/ssh-nodes');
const SHIPPED = join(ROOT, 'deploy/cluster-access/worker-role.yaml');

const typed = (...words: readonly string[]) => ran(words, { terminal: fakeTerminal({}) });

interface Printed {
  readonly objects: readonly {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly labels?: object };
    readonly subjects?: readonly { readonly name: string }[];
    readonly rules?: readonly { readonly verbs: readonly string[] }[];
  }[];
}

async function objectsOf(...words: readonly string[]): Promise<Printed['objects']> {
  const { exit, stdout } = await typed(...words, '-o', 'json');
  expect(exit).toBe(0);
  return (JSON.parse(stdout) as Printed).objects;
}

describe('access role', () => {
  it('prints what is shipped for nodes over SSH, changed in place, with access that is provided', async () => {
    const { exit, stdout } = await typed('access', 'role', '-f', EXAMPLE);
    expect(exit).toBe(0);
    const shipped = await readFile(SHIPPED, 'utf8');
    expect(shipped.replace(/^(#.*\n)+/, '')).toBe(stdout);
  });

  it('binds it to the user of the kubeconfig', async () => {
    const objects = await objectsOf('access', 'role', '-f', EXAMPLE, '--user', 'w@example.com');
    const users = objects.flatMap(({ subjects = [] }) => subjects.map(({ name }) => name));
    expect(new Set(users)).toEqual(new Set(['w@example.com']));
  });

  it('names every rule by what it is for', async () => {
    const { stdout } = await typed('access', 'role', '-f', EXAMPLE);
    const rules = stdout
      .split('\n')
      .filter((line) => /^ {2}- (apiGroups|nonResourceURLs)/.test(line));
    const whys = stdout.split('\n').filter((line) => /^ {2}# \S/.test(line));
    expect(whys).toHaveLength(rules.length);
  });

  it('of a policy whose runs create the access themselves has the rights to do so', async () => {
    const single = join(ROOT, 'config/examples/single-cluster');
    const objects = await objectsOf('access', 'role', '-f', single);
    const verbs = objects.flatMap(({ rules = [] }) => rules.flatMap((one) => one.verbs));
    expect(verbs).toContain('bind');
    expect(verbs).not.toContain('escalate');
  });

  it('asks which cluster of a fleet is meant', async () => {
    const { exit, stderr } = await typed(
      'access',
      'role',
      '-f',
      join(ROOT, 'config/examples/fleet'),
    );
    expect(exit).not.toBe(0);
    expect(stderr).toContain('choose one cluster of the fleet with --cluster');
  });
});

describe('access grants', () => {
  it('prints the objects that runs would create, with the label by which they are found', async () => {
    const objects = await objectsOf('access', 'grants', '-f', EXAMPLE);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Role ccm-migrate-leader-migration',
      'RoleBinding ccm-migrate-leader-migration',
      'ServiceAccount cloud-controller-manager',
      'ClusterRole ccm-migrate-cloud-controller-manager',
      'ClusterRoleBinding ccm-migrate-cloud-controller-manager',
      'ClusterRoleBinding ccm-migrate-cloud-controller-manager-delegation',
      'Role ccm-migrate-cloud-controller-manager',
      'RoleBinding ccm-migrate-cloud-controller-manager',
      'RoleBinding ccm-migrate-cloud-controller-manager-authentication',
    ]);
    for (const { metadata } of objects) {
      expect(metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'ccm-migrate' });
    }
    const { stdout } = await typed('access', 'grants', '-f', EXAMPLE);
    expect(stdout.split('---\n')).toHaveLength(objects.length);
  });
});
