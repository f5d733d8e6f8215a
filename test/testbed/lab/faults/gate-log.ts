import { metricVerdicts } from '../../../../activities/fence/gate-notes.js';
import { FENCE, readFence } from '../../../../activities/fence/fence-record.js';
import type { LeaseObject } from '../../../../activities/lease-reading.js';
import type { GateVerdict } from '../../../../domain/gates/verdicts.js';
import { LEASES } from '../truth/lab-observations.js';
import type { LabRuns } from '../runs/lab-runs.js';

/** What a gate has said, once for each verdict. */
export interface Said {
  readonly atMs: number;
  readonly verdict: GateVerdict;
}

const EVERY_MS = 1_000;

/** What the guard of a run reports about the gates, read from the fence beside the run, as its steps read it. */
export class GateLog {
  private readonly environment: LabRuns;
  private readonly kept: Said[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(environment: LabRuns) {
    this.environment = environment;
    this.timer = setInterval(() => {
      // An API server that is busy answers the next time.
      void this.read().catch(() => undefined);
    }, EVERY_MS);
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Each change of a verdict so far, in order. */
  get said(): readonly Said[] {
    return this.kept;
  }

  /** What all gates say now. */
  async read(): Promise<readonly GateVerdict[]> {
    const { cluster, parts } = this.environment;
    const lease = (await cluster.api.must('GET', `${LEASES}/${FENCE.name}`)) as LeaseObject;
    const fence = readFence(lease);
    if (fence.runId === '') return [];
    const { policy, timings } = parts.fleet;
    const context = { runId: fence.runId, policy, timings };
    const now = metricVerdicts({ fence, serverTimeMs: Date.now() }, context);
    for (const verdict of now) this.keep(verdict);
    return now;
  }

  private keep(verdict: GateVerdict): void {
    const last = this.kept.findLast((each) => each.verdict.gate === verdict.gate)?.verdict;
    if (last?.verdict === verdict.verdict && last.noted === verdict.noted) return;
    this.kept.push({ atMs: Date.now(), verdict });
  }
}

/** For people: one line each. */
export function gateLines(said: readonly Said[]): string {
  const lines = said.map(({ atMs, verdict: { gate, verdict, noted, code, detail } }) => {
    const word = noted === true ? `${verdict} (note)` : verdict;
    return `  ${new Date(atMs).toISOString()} ${gate}: ${word} ${code}: ${detail}`;
  });
  return `${lines.join('\n')}\n`;
}
