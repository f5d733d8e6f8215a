import type {
  DescribedRun,
  ListedRun,
  RegionService,
  RunDirectory,
} from '../../../activities/fleet/run-directory.js';
import type { FleetMigrationInput } from '../../../activities/fleet-input.js';
import { type RunStart, runStartOf } from '../../../activities/run-start.js';
import type { MemberMessage } from '../../../domain/run/membership.js';
import type { RunOutcome } from '../../../domain/run/outcome.js';
import { UNPLANNED } from '../../../domain/run/unplanned.js';

interface HeldRun {
  readonly start: RunStart;
  readonly requestId: string;
  /** Null for a run of an older version. */
  readonly groups: readonly string[] | null;
  readonly soaks: boolean;
  readonly orders: MemberMessage[];
  closed: { readonly atMs: number; readonly outcome: RunOutcome | null } | null;
}

const NO_NOTES = { files: [], groups: [] };

/** Runs in memory, as a server keeps them. */
export class MemoryDirectory implements RunDirectory {
  readonly runs = new Map<string, HeldRun[]>();
  readonly inputs = new Map<string, FleetMigrationInput>();
  readonly unserved: string[] = [];
  readonly full: string[] = [];
  /** Workflow ids that no signal reaches. */
  readonly away = new Set<string>();
  /** Runs after a request was carried out and before its answer arrives. */
  afterStart: () => void = () => undefined;
  inputsRead = 0;
  nowMs = 1000;

  fleetInput(_workflowId: string, execution: string): Promise<FleetMigrationInput> {
    this.inputsRead += 1;
    const input = this.inputs.get(execution);
    return input === undefined ? Promise.reject(new Error('no input')) : Promise.resolve(input);
  }

  describe(workflowId: string): Promise<DescribedRun> {
    const run = this.runs.get(workflowId)?.at(-1);
    if (run === undefined) return Promise.resolve({ kind: 'none' });
    const { actor, reason, fleet, member } = runStartOf(run.start, NO_NOTES).memo;
    const memo = { actor, reason, fleet, member };
    if (run.closed === null) return Promise.resolve({ kind: 'open', ...memo });
    const { atMs: closedAtMs, outcome } = run.closed;
    return Promise.resolve({ kind: 'closed', ...memo, closedAtMs, outcome });
  }

  direction(workflowId: string) {
    const { fleet = '', target, planDigest } = this.openRun(workflowId)?.start ?? {};
    const known = target !== undefined && planDigest !== undefined && planDigest !== UNPLANNED;
    return Promise.resolve(known ? { fleet, target, planDigest } : null);
  }

  async start(
    start: RunStart,
    requestId: string,
    groups: readonly string[] | null = [],
  ): Promise<'started' | 'taken'> {
    const { workflowId } = runStartOf(start, NO_NOTES);
    const runs = this.runs.get(workflowId) ?? [];
    await Promise.resolve();
    if (runs.at(-1)?.requestId === requestId) return 'started';
    if (this.openRun(workflowId) !== null) return 'taken';
    this.runs.set(workflowId, [
      ...runs,
      { start, requestId, groups, soaks: start.cluster.name === 'soaks', orders: [], closed: null },
    ]);
    this.afterStart();
    return 'started';
  }

  signal(workflowId: string, message: MemberMessage): Promise<'sent' | 'over' | 'unreachable'> {
    const run = this.openRun(workflowId);
    if (this.away.has(workflowId) || isTooLong(message)) return Promise.resolve('unreachable');
    run?.orders.push(message);
    return Promise.resolve(run === null ? 'over' : 'sent');
  }

  openRuns(atMost: number): Promise<readonly ListedRun[]> {
    const open = [...this.runs].flatMap(([workflowId, runs]) =>
      runs.slice(-1).flatMap(({ start, groups, soaks, closed }) => {
        const { member } = runStartOf(start, NO_NOTES).memo;
        return closed === null ? [{ workflowId, member, groups, soaks }] : [];
      }),
    );
    return open.length > atMost
      ? Promise.reject(new Error('more runs are open'))
      : Promise.resolve(open);
  }

  serviceOf(region: string): Promise<RegionService> {
    if (this.unserved.includes(region)) return Promise.resolve('unserved');
    return Promise.resolve(this.full.includes(region) ? 'full' : 'served');
  }

  close(workflowId: string, outcome: RunOutcome | null): void {
    const run = this.openRun(workflowId);
    if (run !== null) run.closed = { atMs: this.nowMs, outcome };
  }

  private openRun(workflowId: string): HeldRun | null {
    const run = this.runs.get(workflowId)?.at(-1);
    return run?.closed === null ? run : null;
  }
}

/** A server refuses what is longer than two megabytes. */
function isTooLong(message: MemberMessage): boolean {
  return JSON.stringify(message).length > 2_097_152;
}
