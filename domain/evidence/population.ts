/** A run of a cluster, as exports and the server know it. Times in epoch ms. */
export interface RunOnRecord {
  readonly workflowId: string;
  /** Of its first execution. */
  readonly runId: string;
  readonly cluster: string;
  /** UID of the cluster. */
  readonly uid: string;
  readonly startedAtMs: number;
  /** Null while it is open. */
  readonly endedAtMs: number | null;
  /** Epochs in which it took the fence of its cluster. */
  readonly epochs: readonly number[];
  /** Those that its history names, and that no worker has signed where that is asked: who lists runs can make one up. */
  readonly claimed: readonly number[];
  /** The server lists it. */
  readonly listed: boolean;
  /** An export of it was given. */
  readonly exported: boolean;
}

/** The fence of a cluster as it is now. Its epoch rises with each run and each turn of one, and never falls. */
export interface FenceEpoch {
  readonly cluster: string;
  readonly uid: string;
  /** 0 where no run ever took it. */
  readonly epoch: number;
  /** When it was read. */
  readonly readAtMs: number;
}

export type PopulationGap =
  /** The cluster was changed in these epochs, and no run on record took its fence then. */
  | {
      readonly kind: 'missingRun';
      readonly cluster: string;
      readonly from: number;
      readonly to: number;
    }
  /** A run on record claims this epoch, which is of no other, and nothing proves that it took it. */
  | { readonly kind: 'unprovenRun'; readonly epoch: number; readonly run: RunOnRecord }
  /** More was on record once than the cluster knows: its fence was deleted, or restored from a backup. */
  | {
      readonly kind: 'fenceFell';
      readonly cluster: string;
      readonly epoch: number;
      readonly taken: number;
    }
  | { readonly kind: 'takenTwice'; readonly cluster: string; readonly epoch: number }
  /** It has ended, and its export is not there. */
  | { readonly kind: 'notExported'; readonly run: RunOnRecord }
  /** The server no longer lists it, although it keeps runs for longer. */
  | { readonly kind: 'deleted'; readonly run: RunOnRecord }
  /** A log outside has it, and neither the server nor an export has. */
  | { readonly kind: 'onlyInLog'; readonly run: RunInLog };

/** A run that a log has an entry of. */
export type RunInLog = Pick<RunOnRecord, 'runId' | 'cluster' | 'startedAtMs'>;

export interface Population {
  readonly runs: readonly RunOnRecord[];
  /** Empty where no log is given. */
  readonly logged: readonly RunInLog[];
  readonly fences: readonly FenceEpoch[];
}

/** Which runs are meant, by when they began, in epoch ms; infinite where it is not limited. */
export interface PopulationSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface KeptFor {
  readonly nowMs: number;
  /** How long the server keeps a run after its end. */
  readonly retentionMs: number;
}

/** What is missing of the runs of a span: unlike lists and files, the epochs of fences are written where the changes were made. */
export function populationGaps(
  population: Population,
  span: PopulationSpan,
  kept: KeptFor,
): readonly PopulationGap[] {
  const meant = population.runs.filter((run) => isInSpan(span, run));
  const known = new Set(population.runs.map(({ runId }) => runId));
  return [
    ...population.fences.flatMap((fence) => epochGaps(fence, population.runs, span)),
    ...meant
      .filter(({ listed, exported, endedAtMs }) => listed && !exported && endedAtMs !== null)
      .map((run) => ({ kind: 'notExported', run }) as const),
    ...meant
      .filter((run) => isDeleted(run, kept))
      .map((run) => ({ kind: 'deleted', run }) as const),
    ...population.logged
      .filter((run) => isInSpan(span, run) && !known.has(run.runId))
      .map((run) => ({ kind: 'onlyInLog', run }) as const),
  ];
}

export function isInSpan(
  { fromMs, toMs }: PopulationSpan,
  { startedAtMs }: Pick<RunOnRecord, 'startedAtMs'>,
): boolean {
  return startedAtMs >= fromMs && startedAtMs <= toMs;
}

function isDeleted({ listed, endedAtMs }: RunOnRecord, { nowMs, retentionMs }: KeptFor): boolean {
  return !listed && endedAtMs !== null && endedAtMs + retentionMs > nowMs;
}

function epochGaps(
  { cluster, uid, epoch, readAtMs }: FenceEpoch,
  runs: readonly RunOnRecord[],
  span: PopulationSpan,
): readonly PopulationGap[] {
  const own = runs.filter((run) => run.uid === uid);
  const before = epochsOf(own.filter(({ startedAtMs }) => startedAtMs < span.fromMs));
  const after = epochsOf(own.filter(({ startedAtMs }) => startedAtMs > span.toMs));
  const taken = epochsOf(own);
  // A run that is open may have taken it since.
  const most = highest(epochsOf(own.filter((run) => isOver(run, readAtMs))));
  const first = highest(before) + 1;
  const last = after.reduce((least, each) => Math.min(least, each - 1), Math.max(epoch, most));
  const proven = new Set(taken);
  const unproven = own
    .flatMap((run) => run.claimed.map((each) => ({ run, epoch: each })))
    .filter((each) => each.epoch >= first && each.epoch <= last && !proven.has(each.epoch));
  const known = new Set([...proven, ...unproven.map((each) => each.epoch)]);
  const twice = repeated(taken);
  return [
    ...missingEpochs(first, last, known).map(
      ([from, to]) => ({ kind: 'missingRun', cluster, from, to }) as const,
    ),
    ...unproven.map((each) => ({ kind: 'unprovenRun', ...each }) as const),
    ...(most > epoch ? [{ kind: 'fenceFell', cluster, epoch, taken: most } as const] : []),
    ...twice.map((each) => ({ kind: 'takenTwice', cluster, epoch: each }) as const),
  ];
}

/** 0 where there is none. An export may name more than a call takes arguments. */
function highest(epochs: readonly number[]): number {
  return epochs.reduce((most, each) => Math.max(most, each), 0);
}

/** Each as often as it was there before. */
function repeated(epochs: readonly number[]): readonly number[] {
  const seen = new Set<number>();
  return epochs.filter((each) => {
    const isRepeated = seen.has(each);
    seen.add(each);
    return isRepeated;
  });
}

function isOver({ endedAtMs }: RunOnRecord, readAtMs: number): boolean {
  return endedAtMs !== null && endedAtMs <= readAtMs;
}

function epochsOf(runs: readonly RunOnRecord[]): readonly number[] {
  return runs.flatMap(({ epochs }) => epochs);
}

/** Runs of numbers that are not known, from first to last. */
function missingEpochs(
  first: number,
  last: number,
  known: ReadonlySet<number>,
): readonly (readonly [number, number])[] {
  const inside = [...known].filter((each) => each >= first && each <= last);
  const ends = [...inside, last + 1].sort((a, b) => a - b);
  let begin = first;
  return ends.flatMap((end) => {
    const gap = [[begin, end - 1] as const].filter(([from, to]) => to >= from);
    begin = end + 1;
    return gap;
  });
}
