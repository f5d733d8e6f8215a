import { z } from 'zod';
import { GATE_CATALOGUE } from '../../domain/gates/catalogue/gate-catalogue.js';
import { HARD_GATES } from '../../domain/gates/hard-gates.js';
import { OBJECT_GATES } from '../../domain/gates/objects/object-gates.js';
import { countSelectors, tellsBadEvents } from '../../domain/gates/own/count-query.js';
import { selectorsIn } from '../../domain/gates/own/promql-selectors.js';
import { selectorFrom } from '../../domain/gates/own/series-selector.js';
import { SURVIVAL_GATES } from '../../domain/gates/survival-gates.js';
import type { OwnGate } from '../../domain/policy.js';

/** What verdicts of ours are called: a gate of the same name could be skipped in its place. */
const TAKEN: readonly string[] = [
  ...GATE_CATALOGUE.map(({ name }) => name),
  ...OBJECT_GATES.map(({ name }) => name),
  ...[...HARD_GATES, ...SURVIVAL_GATES],
  // Of a fence in which the guard has not reported them.
  'metrics',
];

/** Each becomes a part of one query. */
const MOST_SELECTORS = 8;

const name = z
  .string()
  .regex(
    /^[a-z][a-zA-Z0-9]{1,39}$/,
    'must be 2 to 40 letters and digits that begin with a small letter, such as ingressErrors',
  )
  .refine((written) => !TAKEN.includes(written), {
    message: 'is the name of a gate of this tool: `ccm-migrate gates list`',
  });

/** A text, unless something is wrong with it. */
function checkedText(longest: number, complaint: (written: string) => string | null) {
  return z
    .string()
    .min(1)
    .max(longest)
    .superRefine((written, context) => {
      const message = complaint(written);
      if (message !== null) context.addIssue({ code: 'custom', message, input: written });
    });
}

const promql = checkedText(1000, complaintAbout);

function complaintAbout(written: string): string | null {
  const found = selectorsIn(written);
  if (found.kind === 'refused') return `is no PromQL: it ${found.why}`;
  if (found.selectors.length === 0) {
    return 'names no series, so that nothing shows how old its value is';
  }
  return found.selectors.length > MOST_SELECTORS
    ? `names ${String(found.selectors.length)} series, of at most ${String(MOST_SELECTORS)}: record it as a rule`
    : null;
}

/** Neither NaN nor infinite: nothing is beyond those. */
const bound = z.number();

/** Neither a range, nor an offset, nor a calculation: the counters of each process are differenced one by one. */
const selector = checkedText(500, (written) => {
  const found = selectorFrom(written);
  return found.kind === 'measured' ? null : found.why;
});

const share = z.number().gt(0).lt(1);

const gauge = z.strictObject({
  name,
  kind: z.literal('gauge'),
  promql: promql.meta({
    description:
      'An expression with one result for each cluster that keeps the labels of metrics.prometheus.match, for example max by (cluster) (…).',
  }),
  limit: z
    .union([z.strictObject({ above: bound }), z.strictObject({ below: bound })])
    .meta({ description: 'Where values are bad: {above: 0.02} or {below: 3}.' }),
});

const ratio = z
  .strictObject({
    name,
    kind: z.literal('ratio'),
    bad: selector.meta({
      description: 'Counter of bad events, for example requests_total{code=~"5.."}.',
    }),
    total: selector.meta({ description: 'Counter of all events, the bad ones among them.' }),
    limit: share.meta({ description: 'The most that is good, as a share of events: 0.02.' }),
  })
  .superRefine((written, context) => {
    const found = countSelectors(written);
    if (found.kind === 'unmeasured' || tellsBadEvents(found.value)) return;
    const message = 'selects the same events as total';
    context.addIssue({ code: 'custom', path: ['bad'], message, input: written.bad });
  });

const quantile = z.strictObject({
  name,
  kind: z.literal('quantile'),
  histogram: selector.meta({
    description: 'Classic histogram without _bucket, for example request_duration_seconds.',
  }),
  quantile: share.meta({ description: 'The share of events that must not be above the limit.' }),
  limit: z
    .number()
    .min(0.0001)
    .max(1e15)
    .meta({ description: 'Edge of a bucket, in the unit of the metric.' }),
});

/** A gate that the operator defines, in policies and in plans. */
export const ownGate = z.discriminatedUnion('kind', [gauge, ratio, quantile]).meta({
  description:
    "A gate on what the cluster's Prometheus has: any number, a share of bad events, or a share of slow ones.",
}) satisfies z.ZodType<OwnGate>;
