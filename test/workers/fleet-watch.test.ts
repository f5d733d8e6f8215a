import { describe, expect, it } from '@jest/globals';
import { createFleetWatch, type FleetWatch } from '../../workers/fleet-watch.js';
import type { FleetDirectory } from '../../workers/temporal-fleets.js';
import { GivenFleet } from '../domain/fleet/given-fleet.js';

/** What a watch shows and writes to the log, of fleets as a server answers that is not there. */
class Watched {
  readonly shown: string[] = [];
  readonly warnings: string[] = [];
  private atMs = 0;

  watch(changes: Partial<FleetDirectory>): FleetWatch {
    return createFleetWatch({
      directory: {
        listOpen: () => Promise.resolve([]),
        isOpen: () => Promise.reject(new Error('away')),
        state: () => Promise.resolve(new GivenFleet().state),
        ...changes,
      },
      metrics: {
        show: (fleet, gauges, unreadMs) => {
          this.shown.push(`${fleet} ${gauges === null ? 'unread' : 'read'} ${String(unreadMs)}`);
        },
        showListed: (atMs) => {
          this.shown.push(`listed at ${String(atMs)}`);
        },
      },
      log: {
        warn: (...given: readonly unknown[]) => {
          this.warnings.push(given.map((each) => JSON.stringify(each)).join(' '));
        },
      },
      nowMs: () => this.atMs,
    });
  }

  pass(ms: number): void {
    this.atMs += ms;
  }
}

describe('a watch of fleets', () => {
  it('a server that does not list fleets is told in the log, and nothing claims to be fresh', async () => {
    const watched = new Watched();
    const listOpen = (): Promise<never> => Promise.reject(new Error('no route'));
    const end = watched.watch({ listOpen }).begin();
    await new Promise(setImmediate);
    end();
    expect(watched.warnings).toEqual([expect.stringContaining('no route')]);
    expect(watched.shown).toEqual([]);
  });

  it('of a fleet that never answered the age counts from when it was seen first', async () => {
    const watched = new Watched();
    const state = (): Promise<never> => Promise.reject(new Error('no worker'));
    const watch = watched.watch({ listOpen: () => Promise.resolve(['prod']), state });
    await watch.read();
    watched.pass(30_000);
    await watch.read();
    expect(watched.shown).toEqual([
      ...['listed at 0', 'prod unread 0', 'listed at 30000', 'prod unread 30000'],
    ]);
    expect(watched.warnings).toHaveLength(2);
  });

  it('a fleet of which it is unknown whether it has ended is unread, not over', async () => {
    const watched = new Watched();
    const listed = ['prod'];
    const watch = watched.watch({ listOpen: () => Promise.resolve(listed.splice(0)) });
    await watch.read();
    watched.pass(5);
    await watch.read();
    expect(watched.shown.at(-1)).toBe('prod unread 5');
  });

  it('more fleets than are read are told in the log', async () => {
    const watched = new Watched();
    const listOpen = (atMost: number): Promise<readonly string[]> =>
      Promise.resolve(Array.from({ length: atMost }, (_, index) => `f${String(index)}`));
    await watched.watch({ listOpen }).read();
    expect(watched.shown).toHaveLength(201);
    expect(watched.warnings).toEqual([expect.stringContaining('200')]);
  });
});
