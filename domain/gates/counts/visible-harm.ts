import { ruleEvidence, type CountRule } from './count-rule.js';
import { MISSED_HARM, suspicionThreshold } from './count-watch.js';

const HALVINGS = 40;

/**
 * What a gate could have seen: the least ratio of bad events that would have made it suspect among `total` events, with 95 %
 * confidence (Chernoff's bound, so rather too large); null if none would.
 */
export function visibleHarm(rule: CountRule, total: number, logShare: number): number | null {
  const threshold = suspicionThreshold(rule) - logShare;
  const isSeen = (bad: number): boolean => ruleEvidence(rule, { bad, total }) >= threshold;
  if (total < 1 || !isSeen(total)) return null;
  return leastRatioWith(leastCount(Math.floor(total), isSeen), total);
}

/** Null baseline and limit are none. */
export function harmThatMustShow({ baseline, limit, tolerance, mustShow }: CountRule): number {
  const usual = baseline === null || baseline.total === 0 ? 0 : baseline.bad / baseline.total;
  return Math.min(1, Math.max(mustShow, 2 * tolerance * usual, 2 * (limit ?? 0)));
}

/** "0 of 34 events: harm of 10 % would show". */
export function seenText(bad: number, total: number, harm: number | null): string {
  const counted = `${bad} of ${total} ${total === 1 ? 'event' : 'events'}`;
  if (harm === null) return `${counted}: no harm would show`;
  return `${counted}: harm of ${Math.ceil(harm * 100)} % would show`;
}

/** The least count from 1 to `most` that is seen; more bad events never prove less. */
function leastCount(most: number, isSeen: (bad: number) => boolean): number {
  let [unseen, seen] = [0, most];
  while (seen - unseen > 1) {
    const middle = Math.floor((unseen + seen) / 2);
    if (isSeen(middle)) seen = middle;
    else unseen = middle;
  }
  return seen;
}

/** The least ratio at which fewer than `bad` of `total` events are improbable. */
function leastRatioWith(bad: number, total: number): number {
  const needed = -Math.log(MISSED_HARM) / total;
  let [low, high] = [(bad - 1) / total, 1];
  for (let turn = 0; turn < HALVINGS; turn += 1) {
    const middle = (low + high) / 2;
    if (divergence((bad - 1) / total, middle) >= needed) high = middle;
    else low = middle;
  }
  return high;
}

/** Kullback–Leibler divergence of two Bernoulli ratios, in nats. */
function divergence(observed: number, presumed: number): number {
  const bad = observed === 0 ? 0 : observed * Math.log(observed / presumed);
  return bad + (1 - observed) * Math.log((1 - observed) / (1 - presumed));
}
