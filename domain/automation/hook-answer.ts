/** What became of one alert at one run. */
export const HOOK_OUTCOMES = [
  /** The server has stored the command; the run answers it at its next safe point. */
  'sent',
  /** The run has this command, or is paused by automation. */
  'known',
  /** A pause is stored, or was, at a run that rolls back: it holds nothing unless the run is turned forward. */
  'rollingBack',
  /** The alert is over, which is noted on the pause it caused. */
  'noted',
  /** The alert is over, and nothing here was paused by it. */
  'over',
  'noTarget',
  'badVerb',
  /** No open run is selected. */
  'unmatched',
  'forbidden',
  /** Asked for too often; the sender tries again. */
  'tooMany',
  /** Temporal did not store it in time; the sender tries again. */
  'unavailable',
] as const;

export type HookOutcome = (typeof HOOK_OUTCOMES)[number];

/** Status of the answer: 503 is the only one after which Alertmanager tries again; it drops the notification after any 4xx, 429 too. */
export function hookStatus(outcomes: readonly HookOutcome[]): 200 | 202 | 403 | 503 {
  const has = (...some: readonly HookOutcome[]): boolean =>
    outcomes.some((each) => some.includes(each));
  if (has('unavailable', 'tooMany')) return 503;
  if (has('sent', 'known', 'rollingBack', 'noted')) return 202;
  return has('forbidden') ? 403 : 200;
}
