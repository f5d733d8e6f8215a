import { describe, expect, it } from '@jest/globals';
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
} from './environment.js';

const SEEDS = Array.from({ length: 12 }, (_, index) => `seed-${String(index)}`);
const IN_TREE_WITH_CCM = node(kcm({ migration: 'canonical' }), ccm(), { afterMs: { ccm: 8000 } });

function range(values: readonly number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

/** What real binaries did (lab runs P12 to P22), reproduced by the simulator: processes, pods, Leases of dead and live holders. */
describe('proven on real binaries: processes and Leases', () => {
  it('P12 an edit in place starts the successor late, removing the manifest first starts it soon', () => {
    const times = SEEDS.map((seed) => {
      const environment = new Environment({ plans: [node(kcm())], seed }).wait(10);
      const old = environment.pid('cp-1', 'kcm');
      environment.put('cp-1', 'kcm', kcm({ migration: 'canonical' }));
      const died = environment.until(
        'old gone',
        () => environment.pid('cp-1', 'kcm') === undefined,
        1,
      );
      const inPlace =
        died + environment.until('new runs', () => environment.pid('cp-1', 'kcm') !== undefined);
      environment.removeStale('cp-1', 'kcm');
      const mirror = environment.until(
        'mirror gone',
        () => environment.mirror('cp-1', 'kcm') === undefined,
      );
      environment.put('cp-1', 'kcm', kcm());
      const apart = environment.until(
        'new runs',
        () => environment.pid('cp-1', 'kcm') !== undefined,
      );
      expect(environment.pid('cp-1', 'kcm')).not.toBe(old);
      return { died, inPlace, mirror, apart };
    });
    const [died, inPlace, mirror, apart] = (['died', 'inPlace', 'mirror', 'apart'] as const).map(
      (key) => range(times.map((each) => each[key])),
    );
    expect(died).toSatisfyRange(0.02, 0.06);
    expect(inPlace).toSatisfyRange(11.7, 15.7);
    expect(mirror).toSatisfyRange(0.45, 2.3);
    expect(apart).toSatisfyRange(1.7, 2.9);
  });

  it('P13 a paused holder that wakes continues as a second owner for ten seconds', () => {
    const environment = new Environment({ plans: [IN_TREE_WITH_CCM] }).wait(20);
    expect(environment.cluster.pauseProcess('cp-1', 'kcm')).toBe(true);
    const takeover = environment.until('the CCM owns', () => environment.ownedBy() === 'ccm');
    expect(takeover).toBeGreaterThan(13);
    expect(takeover).toBeLessThan(28);
    expect(environment.overlap()).toBe(0);
    environment.wait(5);
    environment.cluster.resumeProcess('cp-1', 'kcm');
    const sinceMs = environment.clock.nowMs();
    environment.addService('web');
    environment.wait(1);
    const [first, second] = environment.calls('EnsureLoadBalancer', sinceMs);
    expect([first?.manager, second?.manager].sort()).toEqual(['ccm', 'kcm']);
    environment.wait(20);
    expect(environment.overlap()).toBeGreaterThan(9.9);
    expect(environment.overlap()).toBeLessThan(10.1);
    expect(environment.ownedBy()).toBe('ccm');
    expect(environment.unexplained()).toBe(0);
  });

  it('P14 a KCM without Leader Migration runs everything while the migration Lease names a dead holder', () => {
    const plans = [
      node(kcm({ migration: 'canonical' })),
      node(kcm(), null, { afterMs: { kcm: 8000 } }),
    ];
    const environment = new Environment({ plans }).wait(20);
    const dead = environment.holder(MIGRATION);
    environment.removeStale('cp-1', 'kcm');
    environment.wait(40);
    expect(OWNED.map((each) => environment.ownedBy(each))).toEqual(['kcm', 'kcm', 'kcm']);
    expect(environment.owners()[0]).toContain('cp-2');
    expect(environment.holder(MIGRATION)).toBe(dead);
    expect(environment.holder(MAIN.kcm)).not.toBe(dead);
  });

  it('P15 pod objects prove nothing: a deleted mirror pod returns, a restarted one keeps its UID', () => {
    const environment = new Environment({ plans: [node(kcm())] }).wait(10);
    const before = environment.mirror('cp-1', 'kcm');
    const pid = environment.pid('cp-1', 'kcm');
    environment.cluster.store.delete({
      resource: 'pods',
      namespace: 'kube-system',
      name: `${MAIN.kcm}-cp-1`,
    });
    environment.wait(0.05);
    const back = environment.mirror('cp-1', 'kcm');
    expect(back?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(back?.metadata.deletionTimestamp).toBeUndefined();
    expect(environment.pid('cp-1', 'kcm')).toBe(pid);
    environment.cluster.crashProcess('cp-1', 'kcm');
    environment.wait(5);
    const restarted = environment.mirror('cp-1', 'kcm');
    expect(restarted?.metadata.uid).toBe(back?.metadata.uid);
    expect(restarted?.metadata.annotations).toEqual(back?.metadata.annotations);
    expect(environment.pid('cp-1', 'kcm')).not.toBe(pid);
    environment.cluster
      .node('cp-1')
      ?.files.write(manifestPath('kcm'), `${manifestText(environment)}# a comment\n`);
    const same = environment.pid('cp-1', 'kcm');
    environment.wait(30);
    expect(environment.pid('cp-1', 'kcm')).toBe(same);
  });

  it('P16 where a CCM wins the emptied Lease of a live holder, there are two owners for ten seconds', () => {
    const overlaps = SEEDS.map((seed) => {
      const environment = new Environment({ plans: [IN_TREE_WITH_CCM], seed }).wait(20);
      environment.release(MIGRATION);
      environment.wait(30);
      return environment.overlap();
    });
    const doubled = overlaps.filter((seconds) => seconds > 0);
    expect(doubled.length).toBeGreaterThan(0);
    expect(doubled.length).toBeLessThan(SEEDS.length);
    expect(range(doubled)).toSatisfyRange(9, 12.1);
  });

  it('P17 releasing both Leases at once may let a standby external KCM with Leader Migration retake the lock, releasing the migration Lease first never does', () => {
    const winners = (order: 'together' | 'migrationFirst'): readonly string[] =>
      SEEDS.map((seed) => {
        const plans = [
          node(kcm({ migration: 'canonical' })),
          node(external({ migration: 'canonical' }), ccm(), { afterMs: { kcm: 8000, ccm: 8000 } }),
        ];
        const environment = new Environment({ plans, seed }).wait(30);
        environment.removeStale('cp-1', 'kcm');
        environment.until('dead', () => environment.pid('cp-1', 'kcm') === undefined);
        environment.release(MIGRATION);
        if (order === 'migrationFirst')
          environment.until('new holder', () => environment.holder(MIGRATION) !== '');
        environment.release(MAIN.kcm);
        environment.wait(12);
        return environment.holder(MIGRATION) === environment.holder(MAIN.ccm) ? 'ccm' : 'kcm';
      });
    const together = winners('together');
    expect(new Set(together)).toEqual(new Set(['ccm', 'kcm']));
    expect(new Set(winners('migrationFirst'))).toEqual(new Set(['ccm']));
  });

  it('P22 enabling Leader Migration in place with mixed KCMs makes no overlap, whichever KCM takes the main lock', () => {
    const protectedPlan = kcm({ migration: 'canonical' });
    const gaps = (from: 'off' | 'canonical', to: 'off' | 'canonical'): readonly number[] =>
      SEEDS.map((seed) => {
        const plans = [
          node(kcm({ migration: from })),
          node(kcm({ migration: to }), null, { afterMs: { kcm: 8000 } }),
        ];
        const environment = new Environment({ plans, seed, leaseGrant: true }).wait(20);
        environment.removeStale('cp-1', 'kcm');
        environment.wait(5);
        environment.put('cp-1', 'kcm', protectedPlan);
        environment.wait(60);
        expect(environment.overlap()).toBe(0);
        expect(environment.ownedBy()).toBe('kcm');
        return environment.orphan();
      });
    expect(range(gaps('off', 'canonical'))).toSatisfyRange(12, 25);
    expect(range(gaps('canonical', 'off'))).toSatisfyRange(12, 27);
  });
});

function manifestText(environment: Environment): string {
  return environment.cluster.node('cp-1')?.files.read(manifestPath('kcm'))?.content ?? '';
}

expect.extend({
  /** Lower and upper end of measured values, both within limits. */
  toSatisfyRange(values: unknown, low: number, high: number) {
    const [least, most] = values as readonly [number, number];
    const pass = least >= low && most <= high;
    return {
      pass,
      message: () =>
        `${String(least)} to ${String(most)} is not within ${String(low)} to ${String(high)}`,
    };
  },
});

declare module 'expect' {
  interface Matchers<R> {
    toSatisfyRange(low: number, high: number): R;
  }
}
