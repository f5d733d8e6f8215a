import type { DescribedRun, RunDirectory } from '../../../activities/fleet/run-directory.js';
import type { FleetMigrationInput } from '../../../activities/fleet-input.js';
import { type RunStart, runStartOf } from '../../../activities/run-start.js';
import type { MemberMessage } from '../../../domain/run/membership.js';
import type { RunOutcome } from '../../../domain/run/outcome.js';
import { UNPLANNED } from '../../../domain/run/unplanned.js';

interface HeldRun {
  readonly start: RunStart;
  readonly requestId: string;
  readonly orders: MemberMessage[];
  closed: { readonly atMs: number; readonly outcome: RunOutcome | null } | null;
}

/** Runs in memory, as a server keeps them. */
export class MemoryDirectory implements RunDirectory {
  readonly runs = new Map<string, HeldRun[]>();
  readonly inputs = new Map<string, FleetMigrationInput>();
  readonly unserved: string[] = [];
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
    const { actor, reason, fleet, member } = runStartOf(run.start, []).memo;
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

  async start(start: RunStart, requestId: string): Promise<'started' | 'taken'> {
    const { workflowId } = runStartOf(start, []);
    const runs = this.runs.get(workflowId) ?? [];
    await Promise.resolve();
    if (runs.at(-1)?.requestId === requestId) return 'started';
    if (this.openRun(workflowId) !== null) return 'taken';
    this.runs.set(workflowId, [...runs, { start, requestId, orders: [], closed: null }]);
    this.afterStart();
    return 'started';
  }

  signal(workflowId: string, message: MemberMessage): Promise<'sent' | 'over' | 'unreachable'> {
    const run = this.openRun(workflowId);
    if (this.away.has(workflowId)) return Promise.resolve('unreachable');
    run?.orders.push(message);
    return Promise.resolve(run === null ? 'over' : 'sent');
  }

  isServed(region: string): Promise<boolean> {
    return Promise.resolve(!this.unserved.includes(region));
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
