import { describe, expect, it } from '@jest/globals';
import { ccm, external, kcm, MAIN, manifestPath, MIGRATION, node, OWNED, Scene } from './scene.js';

const SEEDS = Array.from({ length: 12 }, (_, index) => `seed-${String(index)}`);
const IN_TREE_WITH_CCM = node(kcm({ migration: 'canonical' }), ccm(), { afterMs: { ccm: 8000 } });

function range(values: readonly number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

/** What real binaries did (lab runs P12 to P22), reproduced by the simulator: processes, pods, Leases of dead and live holders. */
describe('proven on real binaries: processes and Leases', () => {
  it('P12 an edit in place starts the successor late, removing the manifest first starts it soon', () => {
    const times = SEEDS.map((seed) => {
      const scene = new Scene({ plans: [node(kcm())], seed }).wait(10);
      const old = scene.pid('cp-1', 'kcm');
      scene.put('cp-1', 'kcm', kcm({ migration: 'canonical' }));
      const died = scene.until('old gone', () => scene.pid('cp-1', 'kcm') === undefined, 1);
      const inPlace = died + scene.until('new runs', () => scene.pid('cp-1', 'kcm') !== undefined);
      scene.takeAway('cp-1', 'kcm');
      const mirror = scene.until('mirror gone', () => scene.mirror('cp-1', 'kcm') === undefined);
      scene.put('cp-1', 'kcm', kcm());
      const apart = scene.until('new runs', () => scene.pid('cp-1', 'kcm') !== undefined);
      expect(scene.pid('cp-1', 'kcm')).not.toBe(old);
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
    const scene = new Scene({ plans: [IN_TREE_WITH_CCM] }).wait(20);
    expect(scene.cluster.pauseProcess('cp-1', 'kcm')).toBe(true);
    const takeover = scene.until('the CCM owns', () => scene.ownedBy() === 'ccm');
    expect(takeover).toBeGreaterThan(13);
    expect(takeover).toBeLessThan(28);
    expect(scene.overlap()).toBe(0);
    scene.wait(5);
    scene.cluster.resumeProcess('cp-1', 'kcm');
    const sinceMs = scene.clock.nowMs();
    scene.addService('web');
    scene.wait(1);
    const [first, second] = scene.calls('EnsureLoadBalancer', sinceMs);
    expect([first?.manager, second?.manager].sort()).toEqual(['ccm', 'kcm']);
    scene.wait(20);
    expect(scene.overlap()).toBeGreaterThan(9.9);
    expect(scene.overlap()).toBeLessThan(10.1);
    expect(scene.ownedBy()).toBe('ccm');
    expect(scene.unexplained()).toBe(0);
  });

  it('P14 a KCM without Leader Migration runs everything while the migration Lease names a dead holder', () => {
    const plans = [
      node(kcm({ migration: 'canonical' })),
      node(kcm(), null, { afterMs: { kcm: 8000 } }),
    ];
    const scene = new Scene({ plans }).wait(20);
    const dead = scene.holder(MIGRATION);
    scene.takeAway('cp-1', 'kcm');
    scene.wait(40);
    expect(OWNED.map((each) => scene.ownedBy(each))).toEqual(['kcm', 'kcm', 'kcm']);
    expect(scene.owners()[0]).toContain('cp-2');
    expect(scene.holder(MIGRATION)).toBe(dead);
    expect(scene.holder(MAIN.kcm)).not.toBe(dead);
  });

  it('P15 pod objects prove nothing: a deleted mirror pod returns, a restarted one keeps its UID', () => {
    const scene = new Scene({ plans: [node(kcm())] }).wait(10);
    const before = scene.mirror('cp-1', 'kcm');
    const pid = scene.pid('cp-1', 'kcm');
    scene.cluster.store.delete({
      resource: 'pods',
      namespace: 'kube-system',
      name: `${MAIN.kcm}-cp-1`,
    });
    scene.wait(0.05);
    const back = scene.mirror('cp-1', 'kcm');
    expect(back?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(back?.metadata.deletionTimestamp).toBeUndefined();
    expect(scene.pid('cp-1', 'kcm')).toBe(pid);
    scene.cluster.crashProcess('cp-1', 'kcm');
    scene.wait(5);
    const restarted = scene.mirror('cp-1', 'kcm');
    expect(restarted?.metadata.uid).toBe(back?.metadata.uid);
    expect(restarted?.metadata.annotations).toEqual(back?.metadata.annotations);
    expect(scene.pid('cp-1', 'kcm')).not.toBe(pid);
    scene.cluster
      .node('cp-1')
      ?.files.write(manifestPath('kcm'), `${manifestText(scene)}# a comment\n`);
    const same = scene.pid('cp-1', 'kcm');
    scene.wait(30);
    expect(scene.pid('cp-1', 'kcm')).toBe(same);
  });

  it('P16 a live holder’s emptied Lease: where the CCM wins it, two owners for ten seconds', () => {
    const overlaps = SEEDS.map((seed) => {
      const scene = new Scene({ plans: [IN_TREE_WITH_CCM], seed }).wait(20);
      scene.release(MIGRATION);
      scene.wait(30);
      return scene.overlap();
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
        const scene = new Scene({ plans, seed }).wait(30);
        scene.takeAway('cp-1', 'kcm');
        scene.until('dead', () => scene.pid('cp-1', 'kcm') === undefined);
        scene.release(MIGRATION);
        if (order === 'migrationFirst')
          scene.until('new holder', () => scene.holder(MIGRATION) !== '');
        scene.release(MAIN.kcm);
        scene.wait(12);
        return scene.holder(MIGRATION) === scene.holder(MAIN.ccm) ? 'ccm' : 'kcm';
      });
    const together = winners('together');
    expect(new Set(together)).toEqual(new Set(['ccm', 'kcm']));
    expect(new Set(winners('migrationFirst'))).toEqual(new Set(['ccm']));
  });

  it('P22 enabling in place with mixed KCMs: no overlap, whichever KCM takes the main lock', () => {
    const protectedPlan = kcm({ migration: 'canonical' });
    const gaps = (from: 'off' | 'canonical', to: 'off' | 'canonical'): readonly number[] =>
      SEEDS.map((seed) => {
        const plans = [
          node(kcm({ migration: from })),
          node(kcm({ migration: to }), null, { afterMs: { kcm: 8000 } }),
        ];
        const scene = new Scene({ plans, seed, leaseGrant: true }).wait(20);
        scene.takeAway('cp-1', 'kcm');
        scene.wait(5);
        scene.put('cp-1', 'kcm', protectedPlan);
        scene.wait(60);
        expect(scene.overlap()).toBe(0);
        expect(scene.ownedBy()).toBe('kcm');
        return scene.orphan();
      });
    expect(range(gaps('off', 'canonical'))).toSatisfyRange(12, 25);
    expect(range(gaps('canonical', 'off'))).toSatisfyRange(12, 27);
  });
});

function manifestText(scene: Scene): string {
  return scene.cluster.node('cp-1')?.files.read(manifestPath('kcm'))?.content ?? '';
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
