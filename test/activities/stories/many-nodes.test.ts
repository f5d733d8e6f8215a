import { getEventListeners } from 'node:events';
import { afterEach, expect, it, jest } from '@jest/globals';
import { inspectCluster } from '../../../activities/inspection.js';
import { openEnvironment, type Environment } from '../environment.js';

jest.setTimeout(120_000);

let environment: Environment;
afterEach(() => environment.close());

it('an inspection of seven nodes causes no warning of Node and leaves no listener behind', async () => {
  environment = await openEnvironment({ spec: { nodes: 7, workers: 0 } });
  const { signal } = new AbortController();
  const most = { listeners: 0 };
  const add = signal.addEventListener.bind(signal);
  // Node warns its process of the eleventh; here each is counted as it is added.
  Object.assign(signal, {
    addEventListener: (...given: Parameters<AbortSignal['addEventListener']>) => {
      add(...given);
      most.listeners = Math.max(most.listeners, getEventListeners(signal, 'abort').length);
    },
  });
  const { clock, ports, context } = environment;
  const inspection = await inspectCluster(ports, { ...context, clock, signal });
  expect(Object.keys(inspection.manifests)).toHaveLength(7);
  expect(most.listeners).toBeGreaterThan(0);
  expect(most.listeners).toBeLessThanOrEqual(10);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
