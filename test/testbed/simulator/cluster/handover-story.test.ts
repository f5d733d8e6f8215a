import { describe, expect, it } from '@jest/globals';
import { managerManifest } from '../../../../testbed/simulator/cluster/manifest-texts.js';
import {
  migrationFile,
  MIGRATION_FILES,
} from '../../../../testbed/simulator/cluster/migration-files.js';
import {
  ccm,
  external,
  kcm,
  MAIN,
  manifestPath,
  MIGRATION,
  node,
  OWNED,
  Environment,
} from '../environment.js';

const SOURCE = kcm({ migration: 'canonical' });
const FILES = {
  [manifestPath('kcm')]: managerManifest('kcm', external()),
  [manifestPath('ccm')]: managerManifest('ccm', ccm()),
  [MIGRATION_FILES.ccm]: migrationFile(ccm()) ?? '',
};

function order(environment: Environment, name: string): void {
  const request = { name, side: 'target' as const, version: '1.30.14', files: FILES };
  const answer = environment.cluster.machines.order({
    ...request,
    epoch: 1,
    idempotencyKey: `add-${name}`,
  });
  expect(answer.kind).toBe('created');
  environment.until(`${name} is ready`, () => state(environment, name) === 'ready');
}

function remove(environment: Environment, name: string): void {
  const guard = { epoch: 1, idempotencyKey: `remove-${name}` };
  expect(environment.cluster.machines.delete(name, guard).kind).toBe('deleting');
  environment.until(`${name} is gone`, () => state(environment, name) === undefined);
}

function state(environment: Environment, name: string): string | undefined {
  return environment.cluster.machines.list().find((machine) => machine.name === name)?.state;
}

/** A whole migration by hand: three nodes replaced, the holder last, its Leases released once it is proven dead. */
function replaceAll(seed: string, release: boolean): Environment {
  const plans = [node(SOURCE), node(SOURCE), node(SOURCE)];
  const environment = new Environment({
    plans,
    seed,
    etcd: 'stacked',
    loadBalancers: 2,
    ccmAccess: true,
  }).wait(30);
  const holder = environment.leader(MAIN.kcm);
  const others = ['cp-1', 'cp-2', 'cp-3'].filter((name) => name !== holder);
  for (const [index, name] of [...others, holder].entries()) {
    order(environment, `new-${String(index + 1)}`);
    environment.wait(20);
    remove(environment, name);
    if (name === holder && release) {
      environment.release(MIGRATION);
      environment.until('the CCM holds', () => environment.holder(MIGRATION) !== '');
      environment.release(MAIN.kcm);
    }
  }
  return environment.wait(60);
}

describe('a migration by replaced nodes', () => {
  it('a migration with release after proof has one move, no overlap, seconds without owner, and all objects as before', () => {
    const environment = replaceAll('story', true);
    for (const controller of OWNED) {
      expect(environment.ownedBy(controller)).toBe('ccm');
      expect(environment.overlap(controller)).toBe(0);
    }
    expect(environment.cluster.truth().controllers.service.moves).toBe(1);
    expect(environment.orphan()).toBeLessThan(10);
    expect(environment.cluster.nodes().map((each) => each.name)).toEqual([
      'new-1',
      'new-2',
      'new-3',
    ]);
    expect(environment.cluster.etcd()?.map(({ voter, healthy }) => voter && healthy)).toEqual([
      true,
      true,
      true,
    ]);
    expect(environment.ingress('web-1')).toBe('198.18.0.1');
    expect(environment.unexplained()).toBe(0);
  });

  it('a migration by expiry has the same move, later', () => {
    const environment = replaceAll('story', false);
    expect(environment.ownedBy()).toBe('ccm');
    expect(environment.overlap()).toBe(0);
    expect(environment.orphan()).toBeGreaterThan(13);
    expect(environment.orphan()).toBeLessThan(26);
  });

  it('a migration is identical for the same seed, and differs for another', () => {
    const tell = (seed: string): string => {
      const environment = replaceAll(seed, true);
      return JSON.stringify([
        environment.cluster.truth(),
        environment.cluster.cloudJournal(),
        environment.cluster.store.resourceVersion(),
      ]);
    };
    expect(tell('a')).toBe(tell('a'));
    expect(tell('a')).not.toBe(tell('b'));
  });
});
