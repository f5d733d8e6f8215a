import { describe, expect, it } from '@jest/globals';
import { createDraws } from '../../../../testbed/simulator/clock/draws.js';
import { createVirtualClock } from '../../../../testbed/simulator/clock/virtual-clock.js';
import { Elector, type ElectionTimings } from '../../../../testbed/simulator/electors/elector.js';
import { ProcessTimers } from '../../../../testbed/simulator/managers/process-timers.js';
import type { StoredObject, VirtualClock } from '../../../../testbed/simulator/model.js';
import { createObjectStore } from '../../../../testbed/simulator/store/object-store.js';

const DEFAULTS: ElectionTimings = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2000 };
const LOCK = { namespace: 'kube-system', name: 'lock' };

class Race {
  readonly clock: VirtualClock = createVirtualClock();
  readonly store = createObjectStore({ clock: this.clock, draws: createDraws('store') });
  readonly ledAtMs = new Map<string, number>();
  readonly lostAtMs = new Map<string, number>();
  private readonly timers = new Map<string, ProcessTimers>();

  enter(
    identity: string,
    seed: string,
    options: { readonly timings?: ElectionTimings; readonly expiryBy?: 'own' | 'record' } = {},
  ): ProcessTimers {
    const timers = new ProcessTimers(this.clock);
    this.timers.set(identity, timers);
    new Elector({
      lock: LOCK,
      identity,
      timings: options.timings ?? DEFAULTS,
      expiryBy: options.expiryBy ?? 'record',
      writesBlindly: seed.length % 2 === 0,
      client: this.store,
      draws: createDraws(seed),
      timers,
      onLead: () => this.ledAtMs.set(identity, this.clock.nowMs()),
      onLost: () => this.lostAtMs.set(identity, this.clock.nowMs()),
    }).acquire();
    return timers;
  }

  kill(identity: string): number {
    this.timers.get(identity)?.end();
    return this.clock.nowMs();
  }

  lease(): StoredObject {
    const answer = this.store.get({ resource: 'leases', ...LOCK });
    if (!answer.ok) throw new Error(answer.message);
    return answer.object;
  }

  release(): void {
    const lease = this.lease();
    const spec = { ...(lease['spec'] as object), holderIdentity: '', leaseDurationSeconds: 1 };
    this.store.update('leases', { ...lease, spec });
  }

  secondsUntilLed(identity: string, sinceMs: number): number {
    this.clock.advanceUntil(() => this.ledAtMs.has(identity), 60_000);
    return ((this.ledAtMs.get(identity) ?? Number.NaN) - sinceMs) / 1000;
  }
}

const SEEDS = Array.from({ length: 300 }, (_, index) => `elector-${String(index)}`);

function gaps(measure: (race: Race, seed: string, offsetMs: number) => number): readonly number[] {
  return SEEDS.map((seed) => {
    const race = new Race();
    race.enter('holder', `${seed}/holder`);
    const offsetMs = createDraws(seed).between(20_000, 24_000);
    return measure(race, seed, offsetMs);
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

describe('an elector takes over as client-go does', () => {
  it('an elector takes over by expiry 13 to 24 s after the holder’s death, about 17 s in the mean', () => {
    const measured = gaps((race, seed, offsetMs) => {
      race.enter('candidate', `${seed}/candidate`);
      race.clock.advanceBy(offsetMs);
      return race.secondsUntilLed('candidate', race.kill('holder'));
    });
    expect(Math.min(...measured)).toBeGreaterThan(13);
    expect(Math.max(...measured)).toBeLessThan(24);
    expect(mean(measured)).toBeGreaterThan(16);
    expect(mean(measured)).toBeLessThan(19);
    const asMeasured = measured.filter((seconds) => seconds >= 15 && seconds <= 20).length;
    expect(asMeasured / measured.length).toBeGreaterThan(0.6);
  });

  it('an elector takes over after a release within one poll, 4.4 s at most', () => {
    const measured = gaps((race, seed, offsetMs) => {
      race.enter('candidate', `${seed}/candidate`);
      race.clock.advanceBy(offsetMs);
      const diedAtMs = race.kill('holder');
      race.release();
      return race.secondsUntilLed('candidate', diedAtMs);
    });
    expect(Math.max(...measured)).toBeLessThanOrEqual(4.4);
    expect(mean(measured)).toBeGreaterThan(1.4);
    expect(mean(measured)).toBeLessThan(2);
  });

  it('an elector that has just started waits a full lease, however old the record is', () => {
    const measured = gaps((race, seed, offsetMs) => {
      race.clock.advanceBy(offsetMs);
      race.kill('holder');
      race.clock.advanceBy(3_600_000);
      const startedAtMs = race.clock.nowMs();
      race.enter('candidate', `${seed}/candidate`);
      return race.secondsUntilLed('candidate', startedAtMs);
    });
    expect(Math.min(...measured)).toBeGreaterThanOrEqual(15);
    expect(Math.max(...measured)).toBeLessThan(19.5);
  });

  it.each([
    { expiryBy: 'own' as const, low: 5, high: 10.5 },
    { expiryBy: 'record' as const, low: 13, high: 24 },
  ])(
    'an elector with a shorter lease takes over, counting by $expiryBy, after $low to $high s',
    ({ expiryBy, low, high }) => {
      const short = { leaseMs: 7000, renewDeadlineMs: 5000, retryMs: 1000 };
      const measured = gaps((race, seed, offsetMs) => {
        race.enter('candidate', `${seed}/candidate`, { timings: short, expiryBy });
        race.clock.advanceBy(offsetMs);
        return race.secondsUntilLed('candidate', race.kill('holder'));
      });
      expect(Math.min(...measured)).toBeGreaterThan(low);
      expect(Math.max(...measured)).toBeLessThan(high);
    },
  );
});

describe('an elector that holds', () => {
  it('a holder renews every retry period and never gives up by itself', () => {
    const race = new Race();
    race.enter('holder', 'holder');
    race.clock.advanceBy(600_000);
    expect(race.lostAtMs.size).toBe(0);
    const age =
      race.clock.nowMs() - Date.parse((race.lease()['spec'] as { renewTime: string }).renewTime);
    expect(age).toBeLessThanOrEqual(2000);
  });

  it('a holder exits ten seconds after it woke to find another holder', () => {
    const race = new Race();
    const holder = race.enter('holder', 'holder');
    race.clock.advanceBy(5000);
    holder.pause();
    race.enter('candidate', 'candidate');
    race.clock.advanceBy(40_000);
    expect(race.ledAtMs.has('candidate')).toBe(true);
    const wokeAtMs = race.clock.nowMs();
    holder.resume();
    race.clock.advanceBy(30_000);
    expect((race.lostAtMs.get('holder') ?? 0) - wokeAtMs).toBe(10_000);
  });

  it('a holder retakes its own emptied Lease when no other elector waits', () => {
    const race = new Race();
    race.enter('holder', 'holder');
    race.clock.advanceBy(5000);
    race.release();
    race.clock.advanceBy(5000);
    expect(race.lease()['spec']).toMatchObject({ holderIdentity: 'holder', leaseTransitions: 1 });
    expect(race.lostAtMs.size).toBe(0);
  });

  it('a holder leaves its record behind when it dies: nothing is released', () => {
    const race = new Race();
    race.enter('holder', 'holder');
    race.clock.advanceBy(5000);
    race.kill('holder');
    race.clock.advanceBy(3_600_000);
    expect(race.lease()['spec']).toMatchObject({ holderIdentity: 'holder' });
  });
});
