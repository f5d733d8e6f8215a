import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Lab } from '../../../testbed/lab/lab.js';
import { openLab } from '../../../testbed/lab/lab.js';
import type { ApiServerUnderTest } from '../../contract/corpus/exchange.js';
import { openLabServer } from '../../contract/corpus/lab-server.js';
import { playOn } from '../../contract/corpus/play.js';
import { readRecording, writeRecording } from '../../contract/corpus/recordings.js';
import { SCENARIOS } from '../../contract/corpus/scenarios/all.js';
import { describeInLab } from './wanted.js';

/** Records again; read the diff before you commit it. */
const RECORDS = process.env['CCM_RECORD_CORPUS'] === '1';
const VERSION = process.env['CCM_TEST_LAB_VERSION'] ?? '1.30.14';

jest.setTimeout(600_000);

describeInLab('a real kube-apiserver answers what was recorded', () => {
  let lab: Lab;
  let server: ApiServerUnderTest;
  beforeAll(async () => {
    lab = await openLab({
      ...{ nodes: 1, from: VERSION, to: VERSION, env: process.env },
      report: (line) => void process.stderr.write(`${line}\n`),
    });
    server = await openLabServer(lab);
  });
  afterAll(async () => {
    await server.close();
    await lab.close();
  });

  it.each(SCENARIOS)(
    'a real API server still answers as recorded: $name ($about)',
    async (scenario) => {
      const calls = await playOn(server, scenario);
      const { name, about } = scenario;
      if (RECORDS) writeRecording({ scenario: name, about, version: `v${VERSION}`, calls });
      expect(calls).toEqual(readRecording(name).calls);
    },
  );
});
