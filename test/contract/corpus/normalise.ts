import { isObject } from '../../../testbed/base/json.js';
import type { Exchange, Json, RecordedCall } from './exchange.js';
import { placeholdersOf, type Placeholders } from './placeholders.js';

/** Members that nothing here reads and that would fill the recordings. */
const LEFT_OUT: ReadonlySet<string> = new Set(['managedFields', 'selfLink']);
/** Members of `/version` that describe when and with what a server was built. */
const OF_THE_BUILD = /^(git(Commit|TreeState)|buildDate|goVersion)$/;
/** Times of the server. Times in Leases are the writer's, and have their own form. */
const SERVER_TIMES =
  /^(creationTimestamp|deletionTimestamp|startTime|startedAt|finishedAt|last\w+Time)$/;
/** go-cmp describes what a refused update would have changed and indents with either kind of space, chosen at random by each server. */
const DRAWN_INDENT = '\u00a0';
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
/** Times as epoch milliseconds, in the product's results. */
const CLOCK_READINGS = /AtMs$/;
/** What a cluster allocates to a Service from its ranges. */
const ALLOCATED = /^(clusterIPs?|nodePort)$/;
/** Versions at which a list was read, as opposed to versions of an object. */
const IS_LIST = /List$/;

/**
 * Recorded calls with everything that differs between runs replaced by a name: the same value always by the same name, versions in their
 * order. `own` selects the list items that the scenario made; a real cluster has more.
 */
export function normalised(
  calls: readonly RecordedCall[],
  own: (name: string) => boolean,
): readonly RecordedCall[] {
  const kept = calls.map((call) => ({
    ...call,
    exchanges: call.exchanges.map((exchange) => withOwnItems(exchange, own)),
  }));
  const names = placeholdersOf(kept);
  return kept.map(({ call, exchanges, outcome }) => ({
    call,
    exchanges: exchanges.map((exchange) => renamed(exchange, names)),
    outcome: replaced(outcome, '', names),
  }));
}

function withOwnItems(exchange: Exchange, own: (name: string) => boolean): Exchange {
  const { body, events } = exchange.answer;
  const isOwn = (object: Json): boolean => own(String(object?.metadata?.name ?? ''));
  const answer = {
    ...exchange.answer,
    ...(isObject(body) && Array.isArray(body['items'])
      ? { body: { ...body, items: body['items'].filter(isOwn) } }
      : {}),
    ...(events === undefined ? {} : { events: oneBookmark(events).filter(isTold) }),
  };
  return { ...exchange, answer };
  function isTold(event: Json): boolean {
    return ['BOOKMARK', 'ERROR'].includes(event.type) || isOwn(event.object);
  }
}

/** Servers choose how often they send bookmarks; of several in a row only the last one is kept. */
function oneBookmark(events: readonly Json[]): readonly Json[] {
  const isBookmark = (event: Json): boolean => event?.type === 'BOOKMARK';
  return events.filter((event, index) => !(isBookmark(event) && isBookmark(events[index + 1])));
}

function renamed({ request, answer }: Exchange, names: Placeholders): Exchange {
  const query = Object.fromEntries(
    Object.entries(request.query).map(([name, value]) => [name, queryValue(name, value, names)]),
  );
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [
      name,
      name === 'date' ? date(value) : value,
    ]),
  );
  return {
    request: { ...request, query, body: replaced(request.body, '', names) },
    answer: {
      ...answer,
      headers,
      ...(answer.body === undefined ? {} : { body: replaced(answer.body, '', names) }),
      ...(answer.events === undefined
        ? {}
        : { events: answer.events.map((event) => replaced(event, '', names)) }),
    },
  };
}

function queryValue(name: string, value: string, names: Placeholders): string {
  if (name === 'continue') return names.token(value);
  return name === 'resourceVersion' ? names.version(value) : value;
}

function date(value: string): string {
  return Number.isNaN(Date.parse(value)) ? value : '<date>';
}

/** A value below the member `name`, with named values replaced by their names. */
function replaced(value: Json, name: string, names: Placeholders): Json {
  if (ALLOCATED.test(name) && value !== 'None') return '<allocated>';
  if (CLOCK_READINGS.test(name) && typeof value === 'number') return '<time>';
  if (typeof value === 'string') return replacedText(value, name, names);
  if (Array.isArray(value)) return value.map((item) => replaced(item, '', names));
  if (!isObject(value)) return value;
  const isReading = IS_LIST.test(String(value['kind'])) || value['type'] === 'BOOKMARK';
  const inside = isReading ? { ...names, version: names.reading } : names;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member]) => !LEFT_OUT.has(member))
      .map(([member, each]) => [
        member,
        // Only the list's own metadata describes the read; its items have their own versions.
        replaced(each, member, member === 'items' ? names : inside),
      ]),
  );
}

function replacedText(value: string, name: string, names: Placeholders): string {
  if (name === 'resourceVersion') return names.version(value);
  if (name === 'continue') return names.token(value);
  if (name === 'uid') return names.uid(value);
  if (OF_THE_BUILD.test(name)) return '<of the build>';
  if (SERVER_TIMES.test(name)) return Number.isNaN(Date.parse(value)) ? value : '<time>';
  if (MICRO_TIME.test(value)) return names.microTime(value);
  return names.inText(value.replaceAll(DRAWN_INDENT, ' '));
}
