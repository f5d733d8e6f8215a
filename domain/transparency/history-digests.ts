import { canonicalJson, digestText } from '../digest.js';

const NOTHING = `sha256:${'0'.repeat(64)}`;

/**
 * Digest of a history after each of its events: of the digest before and what the event says. `events` are those of Temporal's
 * JSON. Only what a run rests on counts: a server or SDK that knows more of an event does not change it. Of a payload all
 * counts that says how it is read: the same bytes in another encoding say something else, or nothing.
 */
export function historyDigests(events: readonly unknown[]): readonly string[] {
  let previous = NOTHING;
  return events.map((event) => {
    previous = digestText(canonicalJson({ event: essenceOf(event), previous }));
    return previous;
  });
}

/** How an execution ended, for example `completed` or `continuedAsNew`; `open` where its history has not ended. */
export function endingOf(events: readonly unknown[]): string {
  const type = textOf(events.at(-1), 'eventType');
  return ENDINGS.get(type) ?? 'open';
}

const ENDINGS: ReadonlyMap<string, string> = new Map(
  ['completed', 'failed', 'timedOut', 'canceled', 'terminated', 'continuedAsNew'].map((ending) => {
    const words = ending.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    return [`EVENT_TYPE_WORKFLOW_EXECUTION_${words}`, ending];
  }),
);

/** Members that are texts in themselves. */
const TEXTS = [
  ...['activityId', 'scheduledEventId', 'signalName'],
  ...['firstExecutionRunId', 'continuedExecutionRunId', 'newExecutionRunId'],
];
/** Members that count by one of their own. */
const ONE_MEMBER: readonly (readonly [string, string])[] = [
  ['activityType', 'name'],
  ['workflowType', 'name'],
  ['failure', 'message'],
  ['deploymentVersion', 'buildId'],
  ['workerVersion', 'buildId'],
];
/** Members that are lists of payloads. */
const LISTS = ['input', 'result'];

function essenceOf(event: unknown): object {
  const names = ['eventId', 'eventTime', 'eventType'];
  // By their names: attributes that are not of the event's type would be read by others.
  const said = Object.entries(recordOf(event)).filter(([name]) => name.endsWith('Attributes'));
  return {
    ...Object.fromEntries(names.map((name) => [name, textOf(event, name)])),
    said: Object.fromEntries(said.map(([name, attributes]) => [name, saidIn(attributes)])),
  };
}

/** Only members that are there, so that the text of an event is short. */
function saidIn(said: unknown): object {
  const members: readonly (readonly [string, string | readonly unknown[]])[] = [
    ...TEXTS.map((name) => [name, textOf(said, name)] as const),
    ...ONE_MEMBER.map(([name, own]) => [name, textOf(memberOf(said, name), own)] as const),
    ...LISTS.map((name) => [name, payloadDigests(memberOf(said, name))] as const),
    ['details', payloadDigests(failureDetails(said))],
    ['memo', memoDigests(said)],
  ];
  return Object.fromEntries(members.filter(([, value]) => value.length > 0));
}

function failureDetails(said: unknown): unknown {
  return memberOf(memberOf(memberOf(said, 'failure'), 'applicationFailureInfo'), 'details');
}

function memoDigests(said: unknown): readonly (readonly string[])[] {
  const fields = recordOf(memberOf(memberOf(said, 'memo'), 'fields'));
  const names = Object.keys(fields).sort();
  return names.map((name) => [name, payloadDigest(fields[name])]);
}

function payloadDigests(payloads: unknown): readonly string[] {
  const listed = memberOf(payloads, 'payloads');
  return Array.isArray(listed) ? listed.map(payloadDigest) : [];
}

function payloadDigest(payload: unknown): string {
  const data = textOf(payload, 'data');
  const metadata = recordOf(memberOf(payload, 'metadata'));
  const names = Object.keys(metadata).filter((name) => typeof metadata[name] === 'string');
  const texts = Object.fromEntries(names.map((name) => [name, metadata[name]]));
  return digestText(canonicalJson({ data, metadata: texts }));
}

function memberOf(value: unknown, name: string): unknown {
  return recordOf(value)[name];
}

function textOf(value: unknown, name: string): string {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
