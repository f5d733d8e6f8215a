import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openOneCluster, type OneCluster, type Said } from './one-cluster.js';

const STORY_MS = 10 * 60_000;
const MOST_EVENTS = 150;
const MOST_BYTES = 512 * 1024;

let world: OneCluster;
beforeAll(async () => {
  world = await openOneCluster({
    speed: 10,
    spec: { nodes: 3, workers: 1000, loadBalancers: 500 },
    policy: (text) =>
      text.replace('soak: 5s', 'soak: 1s').replace('forward: replace', 'forward: inPlace'),
  });
  await world.startDev();
}, 60_000);
afterAll(() => world.close(), 60_000);

async function says(...argv: readonly string[]): Promise<Said> {
  const said = await world.command(...argv, '--state-dir', world.stateDir);
  if (said.exit !== 0) throw new Error(JSON.stringify(said));
  return said;
}

it(
  'a cluster of 1,000 nodes and 500 load balancers leaves a history as small as any other',
  async () => {
    const plan = `${world.stateDir}/plan.json`;
    await world.command('plan', '-f', world.fleetDir, '--out', plan);
    await says('apply', plan, '--reason', 'CHG-3', '-y');
    await says('status', 'sim-1', '--until', 'done');
    const { stdout } = await says('describe', 'sim-1', '-o', 'json');
    const view = JSON.parse(stdout) as { historyEvents: number; historyBytes: number };
    expect(view.historyEvents).toBeLessThanOrEqual(MOST_EVENTS);
    expect(view.historyBytes).toBeGreaterThan(10 * 1024);
    expect(view.historyBytes).toBeLessThan(MOST_BYTES);
    process.stdout.write(
      `${String(view.historyEvents)} events, ${String(view.historyBytes)} bytes\n`,
    );
  },
  STORY_MS,
);
