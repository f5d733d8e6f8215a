import { brokenAnswers, type GoodAnswer } from '../broken-metrics/broken-answers.js';
import { judgeAnswer, startMetricsServer } from '../broken-metrics/judge-answer.js';

/** What became of the broken answers of a metrics server. */
export interface BrokenFigures {
  /** How many ways of being broken were tried. */
  readonly answers: number;
  /** Names of those from which something was measured all the same: none may be. */
  readonly passed: readonly string[];
  /** Names of those that were refused for another reason than theirs. */
  readonly misnamed: readonly string[];
}

/** As in production, so a server that hangs costs this long. */
const TIMEOUT_MS = 10_000;

/** Asks a real server on loopback once for each broken answer, and judges it as the product does. */
export async function judgeBrokenAnswers(nowMs: number): Promise<BrokenFigures> {
  const good: GoodAnswer = { nowMs };
  const answers = brokenAnswers(good);
  const passed: string[] = [];
  const misnamed: string[] = [];
  for (const { name, answer, reason } of answers) {
    const server = await startMetricsServer(answer);
    try {
      const judged = await judgeAnswer(server.url, good, TIMEOUT_MS);
      if (judged.kind === 'measured') passed.push(name);
      else if (!reason.test(judged.why)) misnamed.push(name);
    } finally {
      await server.close();
    }
  }
  return { answers: answers.length, passed, misnamed };
}
