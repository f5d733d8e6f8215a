import { z } from 'zod';
import { type Alert, type AlertGroup, VERB_LABEL } from '../../domain/automation/alert.js';
import { oneLine } from '../../domain/findings/plain-text.js';
import { redact } from '../../domain/redaction.js';
import { OutOfBounds, parseBoundedJson } from '../../domain/yaml/bounded-json.js';

/** Formats that are accepted; each has its own path. */
export const HOOK_FORMATS = ['alertmanager', 'grafana', 'generic'] as const;
export type HookFormat = (typeof HOOK_FORMATS)[number];

/** More would keep a server busy for longer than its sender waits. `max_alerts` of a sender bounds them. */
const MOST_ALERTS = 500;
const MOST_LABELS = 200;

const labels = z
  .record(z.string().max(1024), z.string().max(64 * 1024))
  .refine((given) => Object.keys(given).length <= MOST_LABELS, `at most ${MOST_LABELS} labels`);
const time = z.iso.datetime({ offset: true });
const fingerprint = z.string().min(1).max(256);
const status = z.enum(['firing', 'resolved']);

/** What Alertmanager and Grafana share. Sources: Alertmanager `template.Data` and `webhook.Message`, Grafana `webhookMessage`. */
const foreignAlert = z.object({
  ...{ status, labels, annotations: labels, startsAt: time, endsAt: time, fingerprint },
});

const foreignGroup = z.object({
  groupKey: z
    .string()
    .min(1)
    .max(64 * 1024),
  truncatedAlerts: z.number().int().min(0).default(0),
  groupLabels: labels,
  alerts: z.array(foreignAlert).max(MOST_ALERTS),
});

const alertmanager = foreignGroup.extend({ version: z.literal('4') });
const grafana = foreignGroup.extend({ version: z.literal('1') });

/** For any other sender, as it is documented in docs/contracts/hooks.md. */
export const AlertHook = z
  .strictObject({
    version: z.literal('1'),
    groupKey: z.string().max(1024).default(''),
    alerts: z
      .array(
        z.strictObject({
          id: fingerprint.meta({ description: 'The same for every notification of one alert.' }),
          status: status.default('firing'),
          verb: z.enum(['pause', 'rollBack']).default('pause'),
          startsAt: time.meta({ description: 'When the alert began: RFC 3339.' }),
          endsAt: time.optional(),
          labels: labels.meta({
            description: 'cluster_uid, cluster, fleet, or region and wave: the narrowest counts.',
          }),
          summary: z.string().max(1024).default(''),
        }),
      )
      .min(1)
      .max(MOST_ALERTS),
  })
  .meta({ title: 'AlertHook', description: 'Body of POST /v1/hooks/generic.' });

export type ReadHook =
  | { readonly kind: 'read'; readonly group: AlertGroup }
  | { readonly kind: 'unreadable'; readonly status: 400 | 413; readonly problem: string };

/** Reads the body of a request. Problems name places and quote nothing of it. */
export function readHook(format: HookFormat, text: string): ReadHook {
  let body: unknown;
  try {
    body = parseBoundedJson(text);
  } catch (error) {
    if (!(error instanceof OutOfBounds)) return unreadable('it is not JSON');
    return { kind: 'unreadable', status: 413, problem: error.message };
  }
  switch (format) {
    case 'alertmanager':
      return groupOf(alertmanager.safeParse(body), ofForeign);
    case 'grafana':
      return groupOf(grafana.safeParse(body), ofForeign);
    case 'generic':
      return groupOf(AlertHook.safeParse(body), ofGeneric);
  }
}

function groupOf<Read>(
  parsed: z.ZodSafeParseResult<Read>,
  read: (given: Read) => AlertGroup,
): ReadHook {
  if (parsed.success) return { kind: 'read', group: read(parsed.data) };
  const { issues } = parsed.error;
  const tooMany = issues.some(
    ({ code, path }) => code === 'too_big' && path.length === 1 && path[0] === 'alerts',
  );
  if (tooMany) {
    return { kind: 'unreadable', status: 413, problem: `more than ${MOST_ALERTS} alerts` };
  }
  const places = issues.slice(0, 5).map(({ path, code }) => `${placeOf(path)}: ${code}`);
  return unreadable(places.join('; '));
}

/** Keys of labels are the sender's. */
function placeOf(path: readonly PropertyKey[]): string {
  const known = path.slice(0, 3).map(String).join('.');
  return known === '' ? 'body' : oneLine(known).slice(0, 100);
}

function unreadable(problem: string): ReadHook {
  return { kind: 'unreadable', status: 400, problem };
}

function ofForeign({
  groupKey,
  truncatedAlerts: truncated,
  groupLabels,
  alerts,
}: z.output<typeof foreignGroup>): AlertGroup {
  return { groupKey, truncated, groupLabels, alerts: alerts.map(foreign) };
}

function foreign({
  status: is,
  labels: given,
  annotations,
  startsAt,
  endsAt,
  fingerprint: name,
}: z.output<typeof foreignAlert>): Alert {
  const alertname = given['alertname'] ?? 'alert';
  const said = annotations['summary'] ?? annotations['description'] ?? '';
  return {
    ...{ fingerprint: name, status: is, labels: given, startsAtMs: Date.parse(startsAt) },
    endsAtMs: is === 'resolved' ? Date.parse(endsAt) : null,
    verb: given[VERB_LABEL] ?? annotations[VERB_LABEL] ?? null,
    summary: shortened(said === '' ? alertname : `${alertname}: ${said}`),
  };
}

function ofGeneric({ groupKey, alerts }: z.output<typeof AlertHook>): AlertGroup {
  const read = alerts.map(
    ({ id, status: is, verb, startsAt, endsAt, labels: given, summary }): Alert => ({
      ...{ fingerprint: id, status: is, labels: given, startsAtMs: Date.parse(startsAt) },
      endsAtMs: is === 'resolved' && endsAt !== undefined ? Date.parse(endsAt) : null,
      ...{ verb, summary: shortened(summary === '' ? id : summary) },
    }),
  );
  return { groupKey, truncated: 0, groupLabels: {}, alerts: read };
}

const LONGEST_SUMMARY = 300;

/** For histories, screens and logs: one line, and nothing that looks like a credential. */
function shortened(text: string): string {
  return redact(oneLine(text.slice(0, LONGEST_SUMMARY * 4))).slice(0, LONGEST_SUMMARY);
}
