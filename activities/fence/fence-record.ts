import { METRIC_CODES, isSoftCode } from '../../domain/gates/soft-codes.js';
import type { GateVerdict } from '../../domain/gates/verdicts.js';
import type { RunContext, TakeFenceInput } from '../contract.js';
import type { LeaseObject } from '../lease-reading.js';
import type { ObjectRef } from '../ports.js';

/** The Lease that says which run may change a cluster. Its epoch rises and never falls. */
export const FENCE: Required<ObjectRef> = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  namespace: 'kube-system',
  name: 'ccm-migrate',
};

/** Labels of every object we create. */
const OUR_LABELS = { 'app.kubernetes.io/managed-by': 'ccm-migrate' } as const;

const PREFIX = 'ccm-migrate.dev/';

/** The fence as read. Empty texts mean absent. */
export interface FenceRecord {
  readonly resourceVersion: string;
  /** Run that may write; empty when released. */
  readonly runId: string;
  readonly workflowId: string;
  readonly actor: string;
  readonly epoch: number;
  /**
   * Epoch that the guard read at its last renewal of the fence: only its own renewal in this epoch opens it. 0 when
   * none did.
   */
  readonly guardedEpoch: number;
  readonly nonce: string;
  /** `CODE what was seen`, one line each; empty while there is no breach. */
  readonly breach: string;
  /** What the guard's gates on metrics said last, and when, by the API server's clock; absent where it judges none. */
  readonly metrics?: { readonly note: string; readonly atMs: number };
  /**
   * Keys of breaches that were known when the fence was taken. Those of hard gates stop no write of this epoch; where events are
   * counted (`acceptedKey`), the guard counts from their acceptance.
   */
  readonly acknowledged: readonly string[];
  /** Run that the current holder displaced. */
  readonly displaced: string;
  /** Runs that have ended here, latest last: a late attempt of one must not take the fence again. */
  readonly ended: readonly string[];
  /** Statements that were accepted here and could be again, with the end of their time in epoch seconds; absent where none was. */
  readonly statements?: readonly { readonly once: string; readonly notAfter: number }[];
  /** The latest access policy that a run was allowed by; absent where none was asked. */
  readonly accessVersion?: number;
  /** `idle` in soaks and holds: renewed less often. */
  readonly mode: FenceMode;
  /** API server's clock, epoch ms; null when never renewed. */
  readonly renewedAtMs: number | null;
}

export type FenceMode = 'active' | 'idle';

/** Ours are far shorter. Text that others append to the breaches opens nothing, even when truncated. */
const LONGEST_NOTE = 16 * 1024;

export function readFence(lease: LeaseObject): FenceRecord {
  const note = (name: string): string =>
    (lease.metadata?.annotations?.[PREFIX + name] ?? '').slice(0, LONGEST_NOTE);
  const renewed = Date.parse(lease.spec?.renewTime ?? '');
  const list = (name: string): readonly string[] =>
    note(name)
      .split(',')
      .filter((each) => each !== '');
  return {
    resourceVersion: lease.metadata?.resourceVersion ?? '',
    runId: lease.spec?.holderIdentity ?? '',
    workflowId: note('workflow'),
    actor: note('actor'),
    epoch: epochIn(note('epoch')),
    guardedEpoch: epochIn(note('guardedEpoch')),
    nonce: note('nonce'),
    breach: note('breach'),
    ...metricsIn(note('gates'), note('gatesAt')),
    acknowledged: list('acknowledged'),
    displaced: note('displaced'),
    ended: list('ended'),
    ...acceptedIn(list('statements'), epochIn(note('accessVersion'))),
    mode: note('mode') === 'idle' ? 'idle' : 'active',
    renewedAtMs: Number.isNaN(renewed) ? null : renewed,
  };
}

function acceptedIn(
  lines: readonly string[],
  version: number,
): Pick<FenceRecord, 'statements' | 'accessVersion'> {
  const statements = lines.map((text) => {
    const [once = '', notAfter = ''] = text.split('@');
    return { once, notAfter: epochIn(notAfter) };
  });
  return {
    ...(statements.length === 0 ? {} : { statements }),
    ...(version === 0 ? {} : { accessVersion: version }),
  };
}

function metricsIn(text: string, reportedAt: string): Pick<FenceRecord, 'metrics'> {
  const atMs = reportedAt === '' ? NaN : Number(reportedAt);
  return Number.isSafeInteger(atMs) ? { metrics: { note: text, atMs } } : {};
}

function epochIn(text: string): number {
  const epoch = Number(text);
  return Number.isSafeInteger(epoch) ? epoch : 0;
}

/**
 * The fence record for a run that takes it, closed until its guard has read it. `serverTimeMs` is the API
 * server's clock.
 */
export function grantedFence(
  input: TakeFenceInput,
  before: FenceRecord | null,
  { displaced, serverTimeMs, accepted }: Granting,
): LeaseObject {
  return {
    ...FENCE_HEAD,
    metadata: {
      ...metadataHead(before),
      labels: OUR_LABELS,
      annotations: fenceNotes({
        workflow: input.workflowId,
        actor: input.actor,
        epoch: String((before?.epoch ?? 0) + 1),
        nonce: input.nonce,
        displaced,
        breach: before?.breach ?? '',
        ...(before?.runId === input.runId ? metricNotes(before) : {}),
        acknowledged: acknowledgedBy(input, before).join(','),
        ...endedIn(before?.ended ?? []),
        ...acceptedNotes(before, accepted, serverTimeMs),
        mode: 'active',
      }),
    },
    spec: heldSpec(input, serverTimeMs),
  };
}

/** With what a fence is granted. */
export interface Granting {
  readonly displaced: string;
  readonly serverTimeMs: number;
  /** The statement of the run; null where this worker has no access policy. */
  readonly accepted: AcceptedStatement | null;
}

export interface AcceptedStatement {
  /** What may begin one run: the digest of a statement, of a fleet's with the number of the start. */
  readonly once: string;
  /** Epoch seconds. */
  readonly notAfter: number;
  /** Of the access policy. */
  readonly version: number;
}

/** More than are accepted in their time, in 42 KiB; the one whose time is over first is dropped first. */
const MOST_STATEMENTS = 512;

/** Workers accept by their own clocks, and this is judged by the clock of the API server. */
const CLOCKS_DIFFER_MS = 24 * 3_600_000;

/** What was accepted here. A statement whose time is over cannot come again, so that it need not be remembered. */
function acceptedNotes(
  before: FenceRecord | null,
  accepted: AcceptedStatement | null,
  nowMs: number,
): Record<string, string> {
  const earlier = (before?.statements ?? []).filter(
    ({ notAfter }) => notAfter * 1000 >= nowMs - CLOCKS_DIFFER_MS,
  );
  const others = earlier.filter(({ once }) => once !== accepted?.once);
  const all = accepted === null ? earlier : [...others, accepted];
  const version = Math.max(before?.accessVersion ?? 0, accepted?.version ?? 0);
  const lasting = [...all].sort((one, other) => one.notAfter - other.notAfter);
  const lines = lasting.map(({ once, notAfter }) => `${once}@${String(notAfter)}`);
  return {
    ...(lines.length === 0 ? {} : { statements: lines.slice(-MOST_STATEMENTS).join(',') }),
    ...(version === 0 ? {} : { accessVersion: String(version) }),
  };
}

/** Two owners, a paused manager and a lost quorum are never acknowledged: only their cure may write. */
const ACKNOWLEDGEABLE = ['CCM3002', 'CCM3004', 'CCM3005'];

/**
 * Breaches that no longer stop this run: those that it acknowledges now, or acknowledged before, as long as they remain. A
 * run held or rolled back because of them could otherwise never continue; but a fence re-acquired for any other reason must
 * not let unreviewed breaches pass. Of gates on metrics only counted events are accepted, and only now: each acceptance forgets
 * what was counted before it.
 */
function acknowledgedBy(input: TakeFenceInput, before: FenceRecord | null): readonly string[] {
  if (before?.runId !== input.runId) return [];
  const { acknowledge } = input;
  return breachLines(before.breach)
    .filter(({ code }) => ACKNOWLEDGEABLE.includes(code) || (acknowledge && code === COUNTED))
    .map(breachKey)
    .filter((key) => acknowledge || before.acknowledged.includes(key));
}

/**
 * Failures of which the evidence lasts, so that none would ever pass again if it did not begin again. All others pass as soon as
 * what they measure is well; `skip` is for those that are not harm.
 */
const COUNTED = METRIC_CODES.fail;

/** By what the fence says that a failure of this gate was accepted: the whole key, as what is unmeasured or suspected never is. */
export function acceptedKey(gate: string): string {
  return `${COUNTED}:${gate}`;
}

/** Attempts of a run end within its activity timeouts: a few runs later none is left. */
const MOST_ENDED = 5;

function endedIn(ended: readonly string[]): Record<string, string> {
  return ended.length === 0 ? {} : { ended: ended.slice(-MOST_ENDED).join(',') };
}

/** The annotation that names this run among those that have ended. */
export function endedNote({ ended }: FenceRecord, runId: string): Record<string, string> {
  return fenceNotes(endedIn([...ended.filter((each) => each !== runId), runId]));
}

function metricNotes({ metrics }: FenceRecord): Record<string, string> {
  return metrics === undefined ? {} : { gates: metrics.note, gatesAt: String(metrics.atMs) };
}

/** A breach as the fence records it. */
export interface BreachLine {
  readonly code: string;
  /** `GATE: what was seen`. */
  readonly detail: string;
}

/** What tells one breach from another: its code, and for a gate on metrics its name, too, because several share a code. */
export function breachKey({ code, detail }: BreachLine): string {
  return isSoftCode(code) ? `${code}:${gateOf(detail)}` : code;
}

function gateOf(detail: string): string {
  return detail.slice(0, Math.max(0, detail.indexOf(':')));
}

/** The verdict that a line stands for, where it is of a gate on metrics; null for the others. */
export function softVerdictOf({ code, detail }: BreachLine): GateVerdict | null {
  if (!isSoftCode(code)) return null;
  const gate = gateOf(detail);
  const seen = detail.slice(gate.length + 2);
  return { gate, hardness: 'soft', verdict: verdictBy(code), detail: seen, code };
}

function verdictBy(code: string): GateVerdict['verdict'] {
  if (code === METRIC_CODES.suspect) return 'inconclusive';
  return code === METRIC_CODES.unmeasured ? 'error' : 'fail';
}

/** Breaches as the fence records them: one line each, the finding code first. */
export function breachLines(text: string): readonly BreachLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [code = '', ...detail] = line.split(' ');
      return { code, detail: detail.join(' ') };
    });
}

/** The fence after its run ended: no holder, the epoch stays. */
export function releasedFence(before: FenceRecord, serverTimeMs: number): LeaseObject {
  return {
    ...FENCE_HEAD,
    metadata: {
      ...metadataHead(before),
      labels: OUR_LABELS,
      annotations: {
        ...endedNote(before, before.runId),
        ...fenceNotes({
          workflow: before.workflowId,
          actor: before.actor,
          epoch: String(before.epoch),
          nonce: before.nonce,
          ...acceptedNotes(before, null, serverTimeMs),
        }),
      },
    },
    spec: { holderIdentity: '', leaseDurationSeconds: 1, renewTime: leaseTime(serverTimeMs) },
  };
}

const FENCE_HEAD = { apiVersion: FENCE.apiVersion, kind: FENCE.kind } as const;

function metadataHead(before: FenceRecord | null): NonNullable<LeaseObject['metadata']> {
  return {
    name: FENCE.name,
    namespace: FENCE.namespace,
    ...(before === null ? {} : { resourceVersion: before.resourceVersion }),
  };
}

function heldSpec(context: RunContext, serverTimeMs: number): NonNullable<LeaseObject['spec']> {
  return {
    holderIdentity: context.runId,
    leaseDurationSeconds: Math.ceil(renewalLimitMs(context, 'active') / 1000),
    acquireTime: leaseTime(serverTimeMs),
    renewTime: leaseTime(serverTimeMs),
  };
}

/** Annotations of the fence by their short names. */
export function fenceNotes(notes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(notes).map(([name, text]) => [PREFIX + name, text]));
}

/** MicroTime as Leases carry it. */
export function leaseTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -1)}000Z`;
}

/** A renewal older than three intervals means that the run is no longer guarded. */
export function renewalLimitMs({ timings }: Pick<RunContext, 'timings'>, mode: FenceMode): number {
  return 3 * (mode === 'idle' ? timings.fenceRenewIdleMs : timings.fenceRenewMs);
}
