import { describe, expect, it } from '@jest/globals';
import type { CompileRequest } from '../../../domain/managers/compile-leader-migration.js';
import {
  compileLeaderMigration,
  compiledProblems,
} from '../../../domain/managers/compile-leader-migration.js';
import { dispositions } from '../../../domain/managers/controller-names.js';
import { MINORS } from '../../../domain/managers/minors.js';
import {
  parseLeaderMigration,
  readerMinor,
} from '../../../domain/managers/parse-leader-migration.js';
import type { CloudController, Manager } from '../../../domain/vocabulary.js';

const THREE: readonly CloudController[] = ['service', 'route', 'cloud-node-lifecycle'];
const FOUR: readonly CloudController[] = [...THREE, 'nodeipam'];
const NAME = 'cloud-provider-extraction-migration';

function request(manager: Manager, version: string, controllers = THREE): CompileRequest {
  return { manager, version, lock: { name: NAME, controllers } };
}

const CASES = MINORS.flatMap((minor) =>
  (['kcm', 'ccm'] as const).flatMap((manager) =>
    [THREE, FOUR].map((controllers) => [minor, manager, controllers] as const),
  ),
);

describe('compileLeaderMigration', () => {
  it.each(CASES)(
    'the file for 1.%i %s migrates exactly the lock set (%s)',
    (minor, manager, controllers) => {
      const { text } = compileLeaderMigration(request(manager, `1.${minor}.3`, controllers));
      const parsed = parseLeaderMigration(text, minor, 'strict');
      if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
      expect(parsed.file.leaderName).toBe(NAME);
      expect(parsed.file.fileVersion).toBe(minor < 22 ? 'v1alpha1' : minor < 24 ? 'v1beta1' : 'v1');
      const seen = dispositions(parsed.file.entries, manager, minor);
      expect(Object.values(seen).filter((one) => one === 'migrated')).toHaveLength(
        controllers.length,
      );
      expect(Object.values(seen)).not.toContain('unowned');
    },
  );

  it('a KCM and a CCM with the same names get the same text', () => {
    const kcm = compileLeaderMigration(request('kcm', '1.27.4'));
    const ccm = compileLeaderMigration(request('ccm', '0.28.1'));
    expect(ccm).toEqual(kcm);
    expect(kcm.fileName).toBe(`leader-migration-${kcm.digest.slice(7, 19)}.yaml`);
    expect(kcm.text).toMatchInlineSnapshot(`
     "apiVersion: controllermanager.config.k8s.io/v1
     kind: LeaderMigrationConfiguration
     leaderName: cloud-provider-extraction-migration
     controllerLeaders:
     - name: service
       component: "*"
     - name: service-lb-controller
       component: "*"
     - name: route
       component: "*"
     - name: node-route-controller
       component: "*"
     - name: cloud-node-lifecycle
       component: "*"
     - name: cloud-node-lifecycle-controller
       component: "*"
     "
    `);
  });

  it('the file for 1.21 names its own component, since 1.21 has no wildcard', () => {
    expect(compileLeaderMigration(request('kcm', '1.21.0', ['service'])).text)
      .toMatchInlineSnapshot(`
     "apiVersion: controllermanager.config.k8s.io/v1alpha1
     kind: LeaderMigrationConfiguration
     leaderName: cloud-provider-extraction-migration
     resourceLock: leases
     controllerLeaders:
     - name: service
       component: "kube-controller-manager"
     "
    `);
  });

  it('the file in v1beta1 has the lock kind', () => {
    expect(compileLeaderMigration(request('ccm', '0.23.0')).text).toContain(
      'resourceLock: leases\n',
    );
  });

  it.each([
    [27, 'service'],
    [28, 'service-lb-controller'],
  ])('only controllers that 1.%i registers can be listed', (minor, name) => {
    const { text } = compileLeaderMigration({
      ...request('kcm', `1.${minor}.0`, ['service']),
      bothSpellings: false,
    });
    expect(text.match(/- name: .*/g)).toEqual([`- name: ${name}`]);
  });

  it.each(['1.20.9', 'latest'])('no file is compiled for %s', (version) => {
    expect(() => compileLeaderMigration(request('kcm', version))).toThrow(
      `Bug: no Leader Migration file exists for version ${version}`,
    );
  });

  it('a file that cannot be read back is never returned', () => {
    const broken = { ...request('kcm', '1.30.0'), lock: { name: '', controllers: THREE } };
    expect(() => compileLeaderMigration(broken)).toThrow('leaderName must not be empty');
  });
});

describe('compiledProblems', () => {
  it('compiledProblems finds a text with another effect than requested', () => {
    const { text } = compileLeaderMigration(request('kcm', '1.30.0', FOUR));
    expect(compiledProblems(text, request('kcm', '1.30.0'), 30)).toEqual(['nodeipam is migrated']);
    expect(compiledProblems('a: [', request('kcm', '1.30.0'), 30)).toHaveLength(1);
  });
});

describe('readerMinor', () => {
  it.each([
    ['1.20.0', null],
    ['1.21.0', 21],
    ['1.40.0', 40],
    ['x', null],
  ])('readerMinor maps %s → %s', (version, minor) => expect(readerMinor(version)).toBe(minor));
});
