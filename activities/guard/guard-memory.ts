import { holdsRun, type GateVerdict } from '../../domain/gates/verdicts.js';
import { slimBook } from '../../domain/gates/watch/slim-book.js';
import type { OwnershipTrace } from '../../domain/ownership/ownership-trace.js';
import { emptyTrace, unknownTrace } from '../../domain/ownership/ownership.js';
import type { GuardInput, GuardMemory } from '../contract.js';
import type { FenceRecord } from '../fence/fence-record.js';
import { breachKey, breachLines } from '../fence/fence-record.js';

const MOST_BREACHES = 20;
const LONGEST_DETAIL = 200;
const MOST_FIRST_SEEN = 40;
/** Every heartbeat carries it, and the server keeps the last one. */
const MOST_BYTES = 16 * 1024;
/** At most 28 windows at other minutes are kept, so that none is left then. */
const HALVINGS = 5;

/** Memory of the previous attempt, else of an earlier guard of this run, else empty. */
export function memoryAtStart(
  lastHeartbeat: unknown,
  input: GuardInput,
  nowMs: number,
): GuardMemory {
  return (
    remembered(lastHeartbeat) ??
    remembered(input.memory) ?? {
      guard: 1,
      observations: 0,
      breaches: [],
      trace: traceAtStart(input, nowMs),
      firstSeen: [],
      reachable: {},
      apiReachable: true,
    }
  );
}

/** Who owned what is unknown since the run's start, where it may have written and its guards' figures are lost. */
function traceAtStart(
  { policy: { lock }, mayHaveWritten }: GuardInput,
  nowMs: number,
): OwnershipTrace {
  return mayHaveWritten === undefined
    ? emptyTrace(lock.controllers, nowMs)
    : unknownTrace(lock.controllers, mayHaveWritten.sinceMs ?? nowMs);
}

/** The memory of an older worker lacks newer members. */
function remembered(details: unknown): GuardMemory | null {
  if (typeof details !== 'object' || details === null) return null;
  if (!('guard' in details) || details.guard !== 1) return null;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- our own heartbeat of the attempt before; the mark tells it from anything else
  return { reachable: {}, apiReachable: true, ...details } as GuardMemory;
}

/** Each gate once, with the detail of its latest failure. */
export function rememberBreaches(
  before: readonly GateVerdict[],
  verdicts: readonly GateVerdict[],
): readonly GateVerdict[] {
  const failing = breachesOf(verdicts);
  const gates = new Set(failing.map(({ gate }) => gate));
  return [...before.filter(({ gate }) => !gates.has(gate)), ...failing].slice(-MOST_BREACHES);
}

/**
 * The same memory within its bounds: windows of gates that began at other minutes than a step go first, then the oldest breaches
 * and sightings; figures, owners and baselines never.
 */
export function bounded(memory: GuardMemory): GuardMemory {
  let kept: GuardMemory = {
    ...memory,
    breaches: memory.breaches.map((each) => ({
      ...each,
      detail: each.detail.slice(0, LONGEST_DETAIL),
    })),
    firstSeen: memory.firstSeen.slice(-MOST_FIRST_SEEN),
  };
  for (let halving = 0; halving < HALVINGS && bytesOf(kept) > MOST_BYTES; halving += 1) {
    kept = slimmed(kept);
  }
  while (bytesOf(kept) > MOST_BYTES && kept.breaches.length + kept.firstSeen.length > 0) {
    kept =
      kept.breaches.length > 0
        ? { ...kept, breaches: kept.breaches.slice(1) }
        : { ...kept, firstSeen: kept.firstSeen.slice(1) };
  }
  return kept;
}

function slimmed(memory: GuardMemory): GuardMemory {
  const { gates, own } = memory;
  return {
    ...memory,
    ...(gates === undefined ? {} : { gates: slimBook(gates) }),
    ...(own?.counted === undefined ? {} : { own: { ...own, counted: slimBook(own.counted) } }),
  };
}

function bytesOf(memory: GuardMemory): number {
  return Buffer.byteLength(JSON.stringify(memory));
}

/** The urgent part: a change in it is reported at once, other changes at the next heartbeat. */
export function newsIn({ breaches, trace, reachable, apiReachable }: GuardMemory): string {
  const owners = trace.controllers.map((each) => [each.owners, each.staleOwners ?? []]);
  const codes = breaches.map(({ code, gate }) => [code, gate]);
  return JSON.stringify([owners, codes, reachable, apiReachable]);
}

/**
 * The fence's text for these verdicts: one line for each failing hard gate, and for each gate on metrics that holds. A hard gate
 * that could not be measured is no breach: the step measures it itself.
 */
function breachText(verdicts: readonly GateVerdict[]): string {
  return verdicts
    .filter((each) => (each.hardness === 'hard' ? each.verdict === 'fail' : holdsRun(each)))
    .map(({ code, gate, detail }) => `${code} ${gate}: ${lineText(detail)}`)
    .join('\n');
}

function lineText(detail: string): string {
  return detail.slice(0, LONGEST_DETAIL).replaceAll('\n', ' ');
}

/** What was measured and is bad. */
export function breachesOf(verdicts: readonly GateVerdict[]): readonly GateVerdict[] {
  return verdicts.filter(({ verdict }) => verdict === 'fail');
}

/**
 * Whether the fence must be rewritten because other gates fail now than recorded; changed figures alone are no reason.
 * A breach stays until the gate passes again; a gate that cannot be read keeps it.
 */
export function breachChange(
  fence: FenceRecord,
  verdicts: readonly GateVerdict[],
): { readonly changed: boolean; readonly text: string } {
  const noted = breachLines(fence.breach);
  const unread = verdicts
    .filter(({ hardness, verdict }) => hardness === 'hard' && isUnread(verdict))
    .map(({ code }) => code);
  const kept = noted
    .filter(({ code }) => unread.includes(code))
    .map(({ code, detail }) => `${code} ${detail}`);
  const text = [breachText(verdicts), ...kept].filter((line) => line !== '').join('\n');
  const before = noted.map(breachKey).sort();
  const after = breachLines(text).map(breachKey).sort();
  return { changed: before.join() !== after.join(), text };
}

function isUnread(verdict: GateVerdict['verdict']): boolean {
  return verdict !== 'fail' && verdict !== 'pass';
}
