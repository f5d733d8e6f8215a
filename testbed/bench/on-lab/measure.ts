import { OWNED } from '../../base/truth/truth.js';
import { requestsSince, truthWhere, type BenchEnvironment } from './bench-environment.js';
import { measuredFigures } from './measured-figures.js';
import type { RunMeasurement } from './records.js';
import { isOwnedBy } from './settled.js';

const MONITOR_WITHIN_MS = 20_000;
/** Chained elections take up to 43 s; this is far longer. */
const SETTLED_WITHIN_MS = 180_000;
const SIGN_OF_LIFE_MS = 60_000;

/**
 * Performs one direction and returns what the lab's evidence recorded about it, up to the moment when ownership is
 * settled.
 */
export async function measureDirection(
  environment: BenchEnvironment,
  direction: RunMeasurement['direction'],
  act: () => Promise<void>,
): Promise<RunMeasurement> {
  const manager = direction === 'forward' ? 'ccm' : 'kcm';
  const before = await truthWhere(
    environment,
    'the process monitor has reported',
    () => true,
    MONITOR_WITHIN_MS,
  );
  const requestsBefore = requestsSince(environment, 0).length;
  const fromMs = Date.now();
  await withSignsOfLife(environment, `  ${direction} in progress`, act);
  const isSettled = (truth: typeof before): boolean => isOwnedBy(truth, manager);
  const what = `each controller has one owner, a ${manager.toUpperCase()}, and one KCM leads`;
  const after = await truthWhere(environment, what, isSettled, SETTLED_WITHIN_MS);
  const requests = requestsSince(environment, requestsBefore);
  const record = {
    direction,
    seconds: (after.nowMs - fromMs) / 1000,
    ...measuredFigures(after, { fromMs, toMs: after.nowMs }),
    requests: requests.length,
    writes: requests.filter(({ mutating }) => mutating).length,
    contradictions: after.contradictions.filter((text) => !before.contradictions.includes(text)),
  };
  environment.report(`  ${directionText(record)}`);
  return record;
}

/** One line for the terminal. */
function directionText({ direction, seconds, controllers, kcm, requests }: RunMeasurement): string {
  const loops = OWNED.map((loop) => controllers[loop]);
  const most = (of: (loop: (typeof loops)[number]) => number): number => Math.max(...loops.map(of));
  return [
    `${direction} ${seconds.toFixed(0)} s: no owner ${most((loop) => loop.orphanSeconds).toFixed(1)} s`,
    `two owners ${most((loop) => loop.overlapSeconds).toFixed(1)} s`,
    `${most((loop) => loop.moves)} moves`,
    `no KCM leads ${kcm.orphanSeconds.toFixed(1)} s`,
    `${requests} requests`,
  ].join(' · ');
}

async function withSignsOfLife(
  { report }: BenchEnvironment,
  text: string,
  act: () => Promise<void>,
): Promise<void> {
  const beganMs = Date.now();
  const say = (): void => report(`${text}: ${((Date.now() - beganMs) / 1000).toFixed(0)} s`);
  const life = setInterval(say, SIGN_OF_LIFE_MS);
  try {
    await act();
  } finally {
    clearInterval(life);
  }
}
