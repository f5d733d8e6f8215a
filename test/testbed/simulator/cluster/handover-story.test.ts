import { describe, expect, it } from '@jest/globals';
import { managerManifest } from '../../../../testbed/simulator/cluster/manifest-texts.js';
import {
  migrationFile,
  MIGRATION_FILES,
} from '../../../../testbed/simulator/cluster/migration-files.js';
import { ccm, external, kcm, MAIN, manifestPath, MIGRATION, node, OWNED, Scene } from '../scene.js';

const SOURCE = kcm({ migration: 'canonical' });
const FILES = {
  [manifestPath('kcm')]: managerManifest('kcm', external(), { livenessProbes: true }),
  [manifestPath('ccm')]: managerManifest('ccm', ccm(), { livenessProbes: true }),
  [MIGRATION_FILES.ccm]: migrationFile(ccm()) ?? '',
};

function order(scene: Scene, name: string): void {
  const request = { name, side: 'target' as const, version: '1.30.14', files: FILES };
  const answer = scene.cluster.machines.order({
    ...request,
    epoch: 1,
    idempotencyKey: `add-${name}`,
  });
  expect(answer.kind).toBe('created');
  scene.until(`${name} is ready`, () => state(scene, name) === 'ready');
}

function remove(scene: Scene, name: string): void {
  const guard = { epoch: 1, idempotencyKey: `remove-${name}` };
  expect(scene.cluster.machines.delete(name, guard).kind).toBe('deleting');
  scene.until(`${name} is gone`, () => state(scene, name) === undefined);
}

function state(scene: Scene, name: string): string | undefined {
  return scene.cluster.machines.list().find((machine) => machine.name === name)?.state;
}

/** A whole migration by hand: three nodes replaced, the holder last, its Leases released once it is proven dead. */
function replaceAll(seed: string, release: boolean): Scene {
  const plans = [node(SOURCE), node(SOURCE), node(SOURCE)];
  const scene = new Scene({ plans, seed, etcd: 'stacked', loadBalancers: 2, ccmAccess: true }).wait(
    30,
  );
  const holder = scene.leader(MAIN.kcm);
  const others = ['cp-1', 'cp-2', 'cp-3'].filter((name) => name !== holder);
  for (const [index, name] of [...others, holder].entries()) {
    order(scene, `new-${String(index + 1)}`);
    scene.wait(20);
    remove(scene, name);
    if (name === holder && release) {
      scene.release(MIGRATION);
      scene.until('the CCM holds', () => scene.holder(MIGRATION) !== '');
      scene.release(MAIN.kcm);
    }
  }
  return scene.wait(60);
}

describe('a migration by replaced nodes', () => {
  it('a migration with release after proof has one move, no overlap, seconds without owner, and all objects as before', () => {
    const scene = replaceAll('story', true);
    for (const controller of OWNED) {
      expect(scene.ownedBy(controller)).toBe('ccm');
      expect(scene.overlap(controller)).toBe(0);
    }
    expect(scene.cluster.truth().controllers.service.moves).toBe(1);
    expect(scene.orphan()).toBeLessThan(10);
    expect(scene.cluster.nodes().map((each) => each.name)).toEqual(['new-1', 'new-2', 'new-3']);
    expect(scene.cluster.etcd()?.map(({ voter, healthy }) => voter && healthy)).toEqual([
      true,
      true,
      true,
    ]);
    expect(scene.ingress('web-1')).toBe('198.18.0.1');
    expect(scene.unexplained()).toBe(0);
  });

  it('a migration by expiry has the same move, later', () => {
    const scene = replaceAll('story', false);
    expect(scene.ownedBy()).toBe('ccm');
    expect(scene.overlap()).toBe(0);
    expect(scene.orphan()).toBeGreaterThan(13);
    expect(scene.orphan()).toBeLessThan(26);
  });

  it('a migration is identical for the same seed, and differs for another', () => {
    const tell = (seed: string): string => {
      const scene = replaceAll(seed, true);
      return JSON.stringify([
        scene.cluster.truth(),
        scene.cluster.cloudJournal(),
        scene.cluster.store.resourceVersion(),
      ]);
    };
    expect(tell('a')).toBe(tell('a'));
    expect(tell('a')).not.toBe(tell('b'));
  });
});
