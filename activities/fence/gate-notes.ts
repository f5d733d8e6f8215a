import { judgesSoftGates, METRIC_CODES } from '../../domain/gates/soft-codes.js';
import { type GateVerdict, VERDICTS } from '../../domain/gates/verdicts.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { RunContext } from '../contract.js';
import { type FenceRecord, renewalLimitMs } from './fence-record.js';

/** Of an annotation of the fence that its readers take. */
const MOST_CHARACTERS = 12 * 1024;

/** The verdicts as the fence carries them; without their numbers where there are too many. */
export function gateNote(verdicts: readonly GateVerdict[]): string {
  const whole = JSON.stringify(verdicts);
  if (whole.length <= MOST_CHARACTERS) return whole;
  return JSON.stringify(verdicts.map(({ numbers: _numbers, ...each }) => each));
}

/** What a reader of the fence makes of its gates on metrics. */
interface Reading {
  readonly fence: Pick<FenceRecord, 'runId' | 'metrics'> | null;
  readonly serverTimeMs: number;
}

/**
 * What the guard's gates on metrics say, as the fence records it; empty where policy judges none. A guard that does not report, or
 * reported too long ago, leaves them unmeasured: it may be of a build that knows none.
 */
export function metricVerdicts(
  { fence, serverTimeMs }: Reading,
  {
    runId,
    timings,
    policy,
  }: Pick<RunContext, 'runId' | 'timings'> & {
    readonly policy: Pick<MigrationPolicy, 'metricGates'>;
  },
): readonly GateVerdict[] {
  if (!judgesSoftGates(policy.metricGates)) return [];
  if (fence?.runId !== runId || fence.metrics === undefined) {
    return [unmeasured('the guard has not reported them; is it of this build?')];
  }
  const ageMs = serverTimeMs - fence.metrics.atMs;
  // Not a number, or of a server whose clock is far ahead, is as bad as too old.
  if (!(Math.abs(ageMs) <= renewalLimitMs({ timings }, 'idle'))) {
    const seconds = String(Math.round(Math.abs(ageMs) / 1000));
    const when = ageMs < 0 ? `${seconds} s in the future` : `${seconds} s ago`;
    return [unmeasured(`the guard reported them ${when}`)];
  }
  return readNote(fence.metrics.note) ?? [unmeasured('what the guard reported cannot be read')];
}

function unmeasured(detail: string): GateVerdict {
  return {
    ...{ gate: 'metrics', hardness: 'soft', verdict: 'error' },
    ...{ detail, code: METRIC_CODES.unmeasured },
  };
}

function readNote(text: string): readonly GateVerdict[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) && parsed.length > 0 && parsed.every(isSoftVerdict)
      ? parsed
      : null;
  } catch {
    return null;
  }
}

function isSoftVerdict(value: unknown): value is GateVerdict {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const isText = (name: string): boolean => typeof fields.get(name) === 'string';
  return (
    fields.get('hardness') === 'soft' &&
    VERDICTS.some((each) => each === fields.get('verdict')) &&
    ['gate', 'detail', 'code'].every(isText)
  );
}
