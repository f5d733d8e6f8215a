import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { migrate, openOneCluster, succeeds, type OneCluster } from './one-cluster.js';

const STORY_MS = 10 * 60_000;
const MOST_EVENTS = 150;
const MOST_BYTES = 512 * 1024;

let environment: OneCluster;
beforeAll(async () => {
  environment = await openOneCluster({
    speed: 10,
    spec: { nodes: 3, workers: 1000, loadBalancers: 500 },
    policy: (text) =>
      text.replace('soak: 5s', 'soak: 1s').replace('forward: replace', 'forward: inPlace'),
  });
  await environment.startDev();
}, 60_000);
afterAll(() => environment.close(), 60_000);

it(
  'a cluster of 1,000 nodes and 500 load balancers leaves a history as small as any other',
  async () => {
    await migrate(environment, '--reason', 'CHG-3', '-y');
    const { stdout } = await succeeds(environment, 'describe', 'sim-1', '-o', 'json');
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
