import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { differences, type FoundDifference } from './compare.js';
import { LISTED, listedAs } from './differences.js';
import type { ApiServerUnderTest } from './exchange.js';
import { playOn } from './play.js';
import { readRecording, recordedScenarios } from './recordings.js';
import { SCENARIOS } from './scenarios/all.js';
import { openSimulatedServer } from './simulator-server.js';

/** Version that the recordings were made with; the simulated cluster has the same. */
const VERSION = '1.30.14';

let server: ApiServerUnderTest;
beforeAll(async () => {
  server = await openSimulatedServer(VERSION);
});
afterAll(async () => server.close());

describe('the simulator answers what a real kube-apiserver answered', () => {
  const found: FoundDifference[] = [];

  it('the simulator answers every recorded scenario', () => {
    expect(recordedScenarios()).toEqual(SCENARIOS.map(({ name }) => name).sort());
  });

  it.each(SCENARIOS)('$name: $about', async (scenario) => {
    const { calls, version } = readRecording(scenario.name);
    expect(version).toBe(`v${VERSION}`);
    expect(calls.length).toBeGreaterThan(0);
    const here = differences(scenario.name, calls, await playOn(server, scenario));
    found.push(...here);
    expect(here.filter((difference) => listedAs(difference) === null)).toEqual([]);
  });

  it('every listed difference still exists', () => {
    const used = new Set(found.map(listedAs));
    expect(LISTED.filter((rule) => !used.has(rule)).map(({ code }) => code)).toEqual([]);
  });
});
