import { BACK, FORWARD } from './fleet-plan.js';
import { carriedOthers } from './other-runs.js';
import {
  CAUSES,
  PHASES,
  REHEARSALS,
  REVERSIBILITIES,
  type FleetState,
  type Row,
} from './fleet-state.js';

/** The numbers are wave, expected ms, phase, grant, sequence, started, requeues, cause, reversibility, flags, signatures and times. */
export type EncodedRow = readonly [name: string, groups: readonly number[], numbers: RowNumbers];

type RowNumbers = readonly [
  ...plan: readonly [wave: number, expectedMs: number],
  ...run: readonly [phase: number, grant: number, sequence: number, started: number],
  ...why: readonly [requeues: number, cause: number, reversibility: number, flags: number],
  ...last: readonly [signature: number, burntBy: number, sinceMs: number],
  ...times: readonly [passedMs: number, burntMs: number, notBeforeMs: number],
  /** Not there in the states of builds before the one that forecasts running fleets. */
  ...measure: readonly [changeFromMs?: number],
];

/** The state as it enters the history: rows as short arrays, repeated texts by number, times since the fleet began. */
export type EncodedFleet = Omit<FleetState, 'rows' | 'otherRuns'> & {
  /** Empty in the states of builds before the one that counts others. */
  readonly otherRuns: FleetState['otherRuns'] | Record<string, never>;
  readonly texts: readonly string[];
  readonly rows: readonly EncodedRow[];
};

const FLAGS = [
  'canary',
  'ready',
  'asked',
  'heals',
  'rollbackQueued',
  'turnedByPerson',
  'stopping',
  'lastPass',
] as const satisfies readonly (keyof Row)[];

/** Beside the flags: the row's target is the KCM. */
const GOES_BACK = 2 ** FLAGS.length;
/** Above both: the row's rehearsal. */
const REHEARSAL = 2 * GOES_BACK;

export function encodeFleet(state: FleetState): EncodedFleet {
  const texts = [
    ...new Set(state.rows.flatMap((row) => [...row.groups, row.signature, row.burntBy])),
  ];
  const numberOf = new Map(texts.map((text, index) => [text, index]));
  const code = (text: string): number => Number(numberOf.get(text));
  const rows = state.rows.map((row) => encodeRow(row, state.beganMs, code));
  return { ...state, texts, rows };
}

function encodeRow(row: Row, beganMs: number, code: (text: string) => number): EncodedRow {
  const flags = FLAGS.reduce((sum, name, bit) => sum + (row[name] ? 2 ** bit : 0), 0);
  const since = (atMs: number | null): number => (atMs === null ? 0 : atMs - beganMs + 1);
  return [
    row.name,
    row.groups.map(code),
    [
      ...([row.wave, row.expectedMs] as const),
      ...([PHASES.indexOf(row.phase), row.grant, row.sequence, row.started] as const),
      ...([row.requeues, CAUSES.indexOf(row.cause)] as const),
      REVERSIBILITIES.indexOf(row.reversibility),
      flags + (row.target === BACK ? GOES_BACK : 0) + REHEARSALS.indexOf(row.rehearsal) * REHEARSAL,
      ...([code(row.signature), code(row.burntBy), row.sinceMs - beganMs] as const),
      ...([since(row.passedMs), since(row.burntMs)] as const),
      since(row.notBeforeMs === 0 ? null : row.notBeforeMs),
      since(row.changeFromMs),
    ],
  ];
}

/** @throws RangeError for a number that `encodeFleet` never writes. */
export function decodeFleet({ texts, ...encoded }: EncodedFleet): FleetState {
  const { beganMs } = encoded;
  const rows = encoded.rows.map((row, index) => decodeRow(row, index, { texts, beganMs }));
  return { ...encoded, otherRuns: carriedOthers(encoded.otherRuns), rows };
}

type RowCode = Pick<EncodedFleet, 'texts' | 'beganMs'>;

function decodeRow(row: EncodedRow, index: number, { texts, beganMs }: RowCode): Row {
  const [name, groups, numbers] = row;
  const [wave, expectedMs, phase, grant, sequence, started, requeues] = numbers;
  const [, , , , , , , cause, reversibility, flags, signature, burntBy] = numbers;
  const [, , , , , , , , , , , , sinceMs, passed, burnt, notBefore, changeFrom = 0] = numbers;
  const at = (code: number): number | null => (code === 0 ? null : code - 1 + beganMs);
  // One literal without spreads: V8 makes a row of spreads a hash table, ten times as slow for 10,000 of them.
  return {
    name,
    index,
    wave,
    expectedMs,
    grant,
    sequence,
    started,
    requeues,
    groups: groups.map((each) => entry(texts, each)),
    phase: entry(PHASES, phase),
    target: hasBit(flags, FLAGS.length) ? BACK : FORWARD,
    cause: entry(CAUSES, cause),
    rehearsal: entry(REHEARSALS, Math.floor(flags / REHEARSAL)),
    reversibility: entry(REVERSIBILITIES, reversibility),
    signature: entry(texts, signature),
    burntBy: entry(texts, burntBy),
    sinceMs: sinceMs + beganMs,
    passedMs: at(passed),
    burntMs: at(burnt),
    notBeforeMs: at(notBefore) ?? 0,
    changeFromMs: at(changeFrom),
    canary: hasFlag(flags, 'canary'),
    ready: hasFlag(flags, 'ready'),
    asked: hasFlag(flags, 'asked'),
    heals: hasFlag(flags, 'heals'),
    rollbackQueued: hasFlag(flags, 'rollbackQueued'),
    turnedByPerson: hasFlag(flags, 'turnedByPerson'),
    stopping: hasFlag(flags, 'stopping'),
    lastPass: hasFlag(flags, 'lastPass'),
  };
}

function hasBit(flags: number, bit: number): boolean {
  return Math.floor(flags / 2 ** bit) % 2 === 1;
}

function hasFlag(flags: number, name: (typeof FLAGS)[number]): boolean {
  return hasBit(flags, FLAGS.indexOf(name));
}

function entry<Entry>(list: readonly Entry[], index: number): Entry {
  const found = list[index];
  if (found === undefined) throw new RangeError(`the fleet's state names entry ${index}`);
  return found;
}
