import { USER_AGENTS } from '../../../config/names.js';
import type { EvidenceRecord } from '../../../domain/evidence/record.js';
import type { Manager } from '../../../domain/vocabulary.js';
import type { ApiRequest } from '../../lab/truth/audit-entry.js';
import { labWrites } from './lab-writes.js';
import type { LabBrakeRun } from './lab-brake-records.js';

/** The process that was stopped. */
export interface Struck {
  /** Just before the signal, epoch ms. */
  readonly atMs: number;
  readonly node: string;
  readonly manager: Manager;
  readonly pids: readonly number[];
}

/** Epoch ms; null for what was not seen. */
export interface SeenSign {
  /** The fence with the finding. */
  readonly closedAtMs: number | null;
  /** The stopped process is gone. */
  readonly overAtMs: number | null;
}

export interface LabBrakeFacts extends SeenSign {
  readonly struck: Struck;
  /** All of the product's user, by time. */
  readonly requests: readonly ApiRequest[];
  readonly records: readonly EvidenceRecord[];
}

/** Counts what a run wrote after the signal, while the harm lasted: a hard sign stops a step between two writes, so each is new. */
export function labBrakeAccount(
  facts: LabBrakeFacts,
): Omit<LabBrakeRun, 'step' | 'changing' | 'end'> {
  const { struck, overAtMs, requests, records } = facts;
  const { atMs, node, manager } = struck;
  const later = labWrites(requests, records).filter(
    (write) => write.atMs > atMs && write.atMs <= (overAtMs ?? Infinity),
  );
  const last = later.at(-1);
  return {
    ...{ stopped: `${manager} of ${node}`, newWrites: later.length, closedMs: closedMs(facts) },
    lastNewMs: last === undefined ? null : last.atMs - atMs,
    lastNew: last === undefined ? '' : `${last.step}: ${last.what}`,
    overMs: overAtMs === null ? null : overAtMs - atMs,
  };
}

/** The guard's write that the fence was seen with. */
function closedMs({ closedAtMs, struck, requests }: LabBrakeFacts): number | null {
  if (closedAtMs === null) return null;
  const write = requests.findLast(
    ({ atMs, userAgent, mutating }) =>
      mutating && userAgent === USER_AGENTS.guard && atMs <= closedAtMs,
  );
  return Math.max(0, (write?.atMs ?? closedAtMs) - struck.atMs);
}
