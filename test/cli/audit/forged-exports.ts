import { canonicalJson, digestJson } from '../../../domain/digest.js';
import { EMPTY_CHAIN, nextRecord } from '../../../domain/evidence/chain.js';
import type { EvidenceRecord } from '../../../domain/evidence/record.js';
import { CARRIED_NAMES, carried } from './carried-forgeries.js';
import { sealed } from './signed-export.js';
import { payloads } from './written-run.js';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Members = { [name: string]: Json };

/** Numbers from 0 up to, not including, `below`; the same for the same seed (mulberry32). */
export type Dice = (below: number) => number;

export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** An export with its payloads decoded, so that what it says can be changed. */
export interface OpenExport {
  readonly content: Members;
  readonly records: Json[];
  /** Activities, each with its two events. */
  readonly activities: OpenActivity[];
  readonly started: Members;
  readonly outcome: Members;
  /** The history has no end. */
  isOpen: boolean;
}

interface OpenActivity {
  name: string;
  id: string;
  input: Json;
  result: Json;
  /** `twice`: well, and badly after that. `badlyFirst`: the other way round. */
  ended: 'well' | 'badly' | 'twice' | 'badlyFirst';
  /** How its result is carried otherwise than a worker writes it. */
  carried?: string;
}

export function openExport(text: string): OpenExport {
  const content = JSON.parse(text) as Members;
  const [execution] = content['executions'] as Members[];
  const { events } = execution?.['history'] as { events: Members[] };
  const activities: OpenActivity[] = [];
  let [started, outcome]: [Members, Members] = [{}, {}];
  for (const event of events) {
    const begun = event['workflowExecutionStartedEventAttributes'];
    const asked = event['activityTaskScheduledEventAttributes'] as Members | undefined;
    const ended = event['activityTaskCompletedEventAttributes'] as Members | undefined;
    const closed = event['workflowExecutionCompletedEventAttributes'] as Members | undefined;
    if (begun !== undefined) started = begun as Members;
    if (closed !== undefined) outcome = decodedIn(closed['result']) as Members;
    if (asked !== undefined) {
      const { name } = asked['activityType'] as { name: string };
      const input = decodedIn(asked['input']);
      activities.push({
        name,
        id: asked['activityId'] as string,
        input,
        result: null,
        ended: 'well',
      });
    }
    const last = activities.at(-1);
    if (ended !== undefined && last !== undefined) last.result = decodedIn(ended['result']);
  }
  return {
    content,
    records: content['records'] as Json[],
    activities,
    started,
    outcome,
    isOpen: false,
  };
}

function decodedIn(given: Json | undefined): Json {
  const [first] = (given as { payloads: { data: string }[] }).payloads;
  return JSON.parse(Buffer.from(first?.data ?? '', 'base64').toString('utf8')) as Json;
}

/** What a forger computes again after the change: all that needs no key. */
const SEALS = ['nothing', 'digest', 'history', 'chain', 'heads'] as const;
export type Seal = (typeof SEALS)[number];

/** The file of a changed export. */
export function closed(open: OpenExport, seal: Seal): string {
  const does = (what: Seal): boolean => SEALS.indexOf(seal) >= SEALS.indexOf(what);
  const { digest = '', head = '', ...rest } = open.content;
  const records = does('chain') ? linked(open.records) : open.records;
  if (does('heads')) follow(open, records);
  const history = historyOf(open);
  const [execution] = open.content['executions'] as Members[];
  const historyDigest = does('history') ? { historyDigest: digestJson(history) } : {};
  const content = {
    ...{ ...rest, records, head: does('chain') ? hashAt(records, records.length) : head },
    executions: [{ ...execution, history, ...historyDigest }],
  };
  return does('digest') ? sealed(content) : sealedWith(content, digest);
}

/** Of the record with this number, from 1. */
function hashAt(records: readonly Json[], count: number): Json {
  return membersOf(records[count - 1])['hash'] ?? EMPTY_CHAIN.hash;
}

function sealedWith(content: object, digest: Json): string {
  const now = sealed(content);
  const own = /"digest": "([^"]*)"\n\}\n$/.exec(now)?.[1] ?? '';
  return now.replace(`"digest": "${own}"\n}\n`, `"digest": ${JSON.stringify(digest)}\n}\n`);
}

/** The chain over other entries, in their order. */
function linked(records: readonly Json[]): Json[] {
  let head = EMPTY_CHAIN;
  return records.map((record) => {
    const { entry, signature } = membersOf(record) as unknown as EvidenceRecord;
    // No forger has the key of a worker.
    const next = nextRecord(head, entry, signature === undefined ? null : () => signature);
    head = { records: next.sequence + 1, hash: next.hash };
    return JSON.parse(JSON.stringify(next)) as Json;
  });
}

/** Reported heads name the chain as it is now. */
function follow({ activities, outcome }: OpenExport, records: readonly Json[]): void {
  for (const { input, result } of activities) {
    for (const told of [input, result]) {
      const evidence = membersOf(membersOf(told)['evidence']);
      if ('hash' in evidence) evidence['hash'] = hashAt(records, Number(evidence['records']));
    }
    const report = membersOf(result);
    if ('evidenceHead' in report) {
      report['evidenceRecords'] = records.length;
      report['evidenceHead'] = hashAt(records, records.length);
    }
  }
  outcome['evidence'] = { records: records.length, head: hashAt(records, records.length) };
}

/** Of what may have been changed into anything. */
function membersOf(value: Json | undefined): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function historyOf({ activities, started, outcome, isOpen }: OpenExport): Members {
  const events: Members[] = [];
  const add = (event: Members): string => {
    const eventId = String(events.length + 1);
    events.push({ eventId, eventTime: '2026-11-21T10:00:00Z', ...event });
    return eventId;
  };
  add({ workflowExecutionStartedEventAttributes: started });
  for (const activity of activities) {
    const { name, id, input, ended } = activity;
    const asked = {
      activityType: { name },
      activityId: id,
      input: payloads(input ?? null) as Members,
    };
    const scheduledEventId = add({ activityTaskScheduledEventAttributes: asked });
    const failed = { activityTaskFailedEventAttributes: { scheduledEventId } };
    const with_ = { scheduledEventId, result: resultOf(activity) };
    if (ended === 'badly' || ended === 'badlyFirst') add(failed);
    if (ended !== 'badly') add({ activityTaskCompletedEventAttributes: with_ });
    if (ended === 'twice') add(failed);
  }
  if (isOpen) return { events };
  add({ workflowExecutionCompletedEventAttributes: { result: payloads(outcome) as Members } });
  return { events };
}

function resultOf({ result, carried: how }: OpenActivity): Members {
  const written = how === undefined ? payloads(result ?? null) : carried(how, result);
  return written as Members;
}

/** One change of what the export says; its name, or null where it would change nothing. */
export function forge(open: OpenExport, other: OpenExport, dice: Dice): string | null {
  const kinds = [
    changeMember,
    changeMember,
    changeMember,
    moveRecord,
    moveActivity,
    carryOtherwise,
    borrow,
  ] as const;
  const change = kinds[dice(kinds.length)] ?? changeMember;
  return change(open, dice, other);
}

function changeMember(open: OpenExport, dice: Dice): string | null {
  const [execution] = open.content['executions'] as [Members];
  const roots: (readonly [string, Json])[] = [
    ['export', { workflowId: '', runId: '', cluster: '', head: '' }],
    ['execution', { runId: '', historyDigest: '', buildId: '' }],
    ['started', open.started],
    ['outcome', { kind: '', evidence: '' }],
    ...open.records.map((record, at) => [`record ${String(at)}`, record] as const),
    ...open.activities.map(
      (each, at) => [`activity ${String(at)}`, each as unknown as Json] as const,
    ),
  ];
  const [name, shape] = roots[dice(roots.length)] ?? ['', null];
  const real = { export: open.content, execution, outcome: open.outcome }[name] ?? shape;
  const path = pathIn(shape, dice);
  if (path.length === 0) return null;
  const holder = path.slice(0, -1).reduce<Json>((at, step) => (at as Members)[step] ?? null, real);
  const last = path.at(-1) ?? '';
  if (typeof holder !== 'object' || holder === null || !(last in holder)) return null;
  return `${name}: ${path.join('.')} ${changeIn(holder as Members, last, dice)}`;
}

/** Down to a leaf, or sometimes only part of the way. */
function pathIn(value: Json, dice: Dice): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const names = Object.keys(value);
  const name = names[dice(Math.max(names.length, 1))];
  if (name === undefined) return [];
  const below = dice(12) === 0 ? [] : pathIn((value as Members)[name] ?? null, dice);
  return [name, ...below];
}

function changeIn(holder: Members, name: string, dice: Dice): string {
  const before = holder[name] ?? null;
  const isListed = Array.isArray(holder);
  // An empty text and none are the same in a history.
  if (before !== '' && dice(8) === 0) {
    if (isListed) (holder as unknown as Json[]).splice(Number(name), 1);
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a forger may leave anything out
    else delete holder[name];
    return 'left out';
  }
  holder[name] = changed(before, dice);
  return 'changed';
}

function changed(before: Json, dice: Dice): Json {
  if (typeof before === 'number') return before + 1 + dice(3);
  if (typeof before === 'boolean') return !before;
  if (typeof before !== 'string') return before === null ? 'x' : null;
  if (before === '') return 'x';
  const at = dice(before.length);
  const letter = before[at] === 'a' ? 'b' : 'a';
  return dice(6) === 0 ? '' : `${before.slice(0, at)}${letter}${before.slice(at + 1)}`;
}

function moveRecord({ records }: OpenExport, dice: Dice): string | null {
  return moved(records, dice, 'record');
}

function moveActivity({ activities }: OpenExport, dice: Dice): string | null {
  const at = dice(activities.length);
  const one = activities[at];
  if (one !== undefined && dice(4) === 0) {
    one.ended = (['badly', 'twice', 'badlyFirst'] as const)[dice(3)] ?? 'badly';
    return `activity ${String(at)} ended ${one.ended}`;
  }
  if (one !== undefined && dice(8) === 0) {
    one.id = dice(2) === 0 ? `${one.id}.5` : one.id.replaceAll(/\d/g, arabic);
    return `activity ${String(at)} has the id ${one.id}`;
  }
  const said = moved(activities, dice, 'activity');
  // A forger numbers them again.
  if (dice(2) === 0) activities.forEach((each, index) => (each.id = String(index + 1)));
  return said;
}

/** Says the same, or nothing, in a form that no worker writes. */
function carryOtherwise({ activities }: OpenExport, dice: Dice): string | null {
  const at = dice(activities.length);
  const one = activities[at];
  const how = CARRIED_NAMES[dice(CARRIED_NAMES.length)];
  if (one === undefined || how === undefined) return null;
  const all = dice(3) === 0;
  for (const each of all ? activities : [one]) each.carried = how;
  return `${all ? 'all results' : `result of activity ${String(at)}`} ${how}`;
}

function moved(list: unknown[], dice: Dice, what: string): string | null {
  const [at, to] = [dice(list.length), dice(list.length)];
  switch (dice(4)) {
    case 0:
      list.splice(at, 1);
      return `${what} ${String(at)} left out`;
    case 1:
      list.splice(to, 0, structuredClone(list[at]));
      return `${what} ${String(at)} repeated at ${String(to)}`;
    case 2:
      list.splice(at);
      return `${what} ${String(at)} and all after it left out`;
    default:
      [list[at], list[to]] = [list[to], list[at]];
      return at === to ? null : `${what} ${String(at)} and ${String(to)} exchanged`;
  }
}

function arabic(digit: string): string {
  return String.fromCodePoint(0x660 + Number(digit));
}

/** Signed by the same people and workers, of another run. */
function borrow(open: OpenExport, dice: Dice, other: OpenExport): string | null {
  const [from, to] = [other.activities, open.activities];
  const at = dice(Math.min(from.length, to.length));
  const [given, own] = [structuredClone(from[at]), to[at]];
  if (given === undefined || own === undefined) return null;
  const before = canonicalJson(own);
  switch (dice(4)) {
    case 0:
      to[at] = given;
      break;
    case 1:
      own.result = given.result;
      break;
    case 2:
      own.input = given.input;
      break;
    default: {
      const { authority } = membersOf(given.input);
      if (authority === undefined) return null;
      for (const each of to) membersOf(each.input)['authority'] = authority;
    }
  }
  return canonicalJson(to[at]) === before ? null : `activity ${String(at)} of another run`;
}

export function anySeal(dice: Dice): Seal {
  return SEALS[dice(SEALS.length)] ?? 'nothing';
}
