import { spreadOf, type Spread } from '../spread.js';
import type { BrakeAccount, RunPhase } from './brake-account.js';
import type { LoopDelay } from './loop-delay.js';

/** What one bench measured. */
export interface BrakeFigures {
  readonly seconds: number;
  readonly accounts: readonly BrakeAccount[];
  /** Why runs are not among them. */
  readonly missed: readonly string[];
  /** Of each process, by its program. */
  readonly loopDelays: Readonly<Record<string, LoopDelay>>;
  /** Seconds between two observations of a guard while writes may come, p99; null without any. */
  readonly guardGapP99: number | null;
}

/** Signs that stop a run at once, and those on metrics and objects, which stop it between two steps. */
export type SignKind = 'hard' | 'soft';

/** Runs with one kind of sign in one phase. Seconds are from the signal. */
export interface BrakeGroup {
  readonly kind: SignKind;
  readonly phase: RunPhase;
  readonly runs: number;
  readonly limitSeconds: number;
  /** Of those with a new write after the signal. */
  readonly lastNew: Spread | null;
  /** Those whose last new write came later than the limit. */
  readonly late: number;
  /** Those without a new write after the signal: their last one came before it. */
  readonly before: number;
  readonly closed: Spread | null;
  /** The fence never said it, or the run went on. */
  readonly unstopped: number;
  readonly finishing: number;
  readonly cures: number;
}

const IDLE_OBSERVATION_SECONDS = 10;
const SCRAPE_SECONDS = 15;

/** The bars of the last new write: one scrape and 5 s for suspicions, one idle observation more where nothing may change. */
function limitSeconds(kind: SignKind, phase: RunPhase): number {
  if (kind === 'soft') return SCRAPE_SECONDS + 5;
  return phase === 'changing' ? 2 : IDLE_OBSERVATION_SECONDS + 2;
}

const PHASES: readonly RunPhase[] = ['changing', 'waiting', 'soaking'];
const KINDS: readonly SignKind[] = ['hard', 'soft'];

/** Groups with at least one run. */
export function brakeGroups({ accounts }: Pick<BrakeFigures, 'accounts'>): readonly BrakeGroup[] {
  return KINDS.flatMap((kind) => PHASES.map((phase) => groupOf(accounts, kind, phase))).filter(
    ({ runs }) => runs > 0,
  );
}

function groupOf(all: readonly BrakeAccount[], kind: SignKind, phase: RunPhase): BrakeGroup {
  const accounts = all.filter((each) => kindOf(each) === kind && each.phase === phase);
  const limit = limitSeconds(kind, phase);
  const lastNew = accounts.flatMap(({ lastNewMs }) =>
    lastNewMs === null ? [] : [lastNewMs / 1000],
  );
  const closed = accounts.flatMap(({ closedMs }) => (closedMs === null ? [] : [closedMs / 1000]));
  const total = (count: (account: BrakeAccount) => number): number =>
    accounts.reduce((sum, each) => sum + count(each), 0);
  return {
    ...{ kind, phase, runs: accounts.length, limitSeconds: limit },
    lastNew: spreadOf(lastNew),
    late: lastNew.filter((seconds) => seconds > limit).length,
    before: accounts.length - lastNew.length,
    closed: spreadOf(closed),
    unstopped: accounts.filter(({ closedMs, isStopped }) => closedMs === null || !isStopped).length,
    finishing: total((each) => each.finishing),
    cures: total((each) => each.cures),
  };
}

function kindOf({ situation }: BrakeAccount): SignKind {
  return situation === 'cloudRefuses' ? 'soft' : 'hard';
}
