import { describe, expect, it } from '@jest/globals';
import {
  brokenAnswers,
  goodResult,
  vectorAnswer,
} from '../../../../testbed/bench/broken-metrics/broken-answers.js';
import {
  judgeAnswer,
  startMetricsServer,
} from '../../../../testbed/bench/broken-metrics/judge-answer.js';

const GOOD = { nowMs: 1_790_000_000_000 };
/** For answers that come; the others end by it. */
const PATIENT_MS = 60_000;
const IMPATIENT_MS = 300;
/** What sockets buffer on both sides beyond what was read. */
const MOST_SENT = 64 * 1024 * 1024;

describe('an answer of a metrics server', () => {
  it('that is whole and true is measured', async () => {
    const server = await startMetricsServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(vectorAnswer(goodResult(GOOD), { infos: ['a remark'] })));
    });
    try {
      expect(await judgeAnswer(server.url, GOOD, PATIENT_MS)).toEqual({
        kind: 'measured',
        value: { atMs: GOOD.nowMs, bad: 0, total: 10 },
      });
    } finally {
      await server.close();
    }
  });

  it.each(brokenAnswers(GOOD).map((broken) => [broken.name, broken] as const))(
    'that is broken never passes, and its reason is named: %s',
    async (name, { answer, reason }) => {
      const server = await startMetricsServer(answer);
      try {
        const timeoutMs = name.startsWith('a hang') ? IMPATIENT_MS : PATIENT_MS;
        const judged = await judgeAnswer(server.url, GOOD, timeoutMs);
        expect(judged).toEqual({ kind: 'unmeasured', why: expect.stringMatching(reason) });
        expect(server.sent()).toBeLessThan(MOST_SENT);
        if (name === '1 GB') expect(server.sent()).toBeGreaterThan(8 * 1024 * 1024);
      } finally {
        await server.close();
      }
    },
  );
});
