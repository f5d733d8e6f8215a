import { nativeDigest } from '../../activities/native-digest.js';
import { intentOutcomes } from '../../domain/evidence/intent-outcomes.js';
import type { EvidenceIntent, EvidenceRecord } from '../../domain/evidence/record.js';
import { redact } from '../../domain/redaction.js';
import { type AuditCheck, judged } from './audit-check.js';
import type { RecordedEvent } from './recorded-run.js';

type Asked = Extract<RecordedEvent, { readonly kind: 'asked' }>;

/**
 * Evidence and history tell of the same changes. Each intent was written by an activity that the run asked for, in the name and
 * for the reason that it was given; and as many changes as a step reported are on record as applied.
 */
export function checkIntents(
  events: readonly RecordedEvent[],
  records: readonly Pick<EvidenceRecord, 'entry'>[],
  named: { readonly workflowId: string; readonly cluster: string },
): AuditCheck {
  const asked = events.filter((event) => event.kind === 'asked');
  const intents = records.flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent] : []));
  const given = givenBy(asked);
  const faults = [
    ...asked.filter((each) => !isNamed(each, named)).map(otherText),
    ...intents.filter((intent) => !isAsked(intent, given)).map(strayText),
    ...missing(events, appliedBy(intents, records)),
  ];
  return judged('intents', faults, `${String(intents.length)}, each of an activity of the run`);
}

function isNamed(
  { asked }: Asked,
  { workflowId, cluster }: { readonly workflowId: string; readonly cluster: string },
): boolean {
  return asked.workflowId === workflowId && asked.cluster.name === cluster;
}

function otherText({ where, asked }: Asked): string {
  return `${where} is of cluster ${asked.cluster.name} and workflow ${asked.workflowId}`;
}

/** By what evidence repeats of an activity: the epochs in which it was asked for, null where only its result names one. */
type Given = ReadonlyMap<string, ReadonlySet<number | null>>;

/**
 * Each activity is redacted once and looked up by each intent: an export may have thousands of both, each with a reason of any
 * length, and nothing of it needs a key.
 */
function givenBy(activities: readonly Asked[]): Given {
  const given = new Map<string, Set<number | null>>();
  for (const { step, asked } of activities) {
    const [actor, reason] = [redact(asked.actor), redact(asked.reason)];
    const key = keyOf({ ...asked, step, cluster: asked.cluster.name, actor, reason });
    const epochs = given.get(key) ?? new Set();
    given.set(key, epochs.add(asked.epoch));
  }
  return given;
}

function isAsked(intent: EvidenceIntent, given: Given): boolean {
  const epochs = given.get(keyOf(intent));
  return epochs !== undefined && (epochs.has(null) || epochs.has(intent.epoch));
}

type Repeated = Pick<
  EvidenceIntent,
  'step' | 'workflowId' | 'runId' | 'cluster' | 'planDigest' | 'actor' | 'reason'
>;

function keyOf(of: Repeated): string {
  const { step, workflowId, runId, cluster, planDigest, actor, reason } = of;
  return nativeDigest(
    JSON.stringify([step, workflowId, runId, cluster, planDigest, actor, reason]),
  );
}

function strayText({ step, object, actor }: EvidenceIntent): string {
  return `the history asks for no ${step} by ${actor} that would change ${object}`;
}

const TOOK_EFFECT: readonly string[] = ['applied', 'foundApplied'];

/** How many changes took effect, by step and epoch. */
function appliedBy(
  intents: readonly EvidenceIntent[],
  records: readonly Pick<EvidenceRecord, 'entry'>[],
): ReadonlyMap<string, number> {
  const outcomes = intentOutcomes(records);
  const counts = new Map<string, number>();
  for (const { id, step, epoch } of intents) {
    if (!TOOK_EFFECT.includes(outcomes.get(id) ?? '')) continue;
    const key = `${step} ${String(epoch)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function missing(
  events: readonly RecordedEvent[],
  applied: ReadonlyMap<string, number>,
): readonly string[] {
  const reported = new Map<string, number>();
  for (const event of events) {
    if (event.kind !== 'step') continue;
    const key = `${event.planned.step.name} ${String(event.epoch)}`;
    reported.set(key, (reported.get(key) ?? 0) + event.mutations);
  }
  return [...reported].flatMap(([key, mutations]) => {
    const found = applied.get(key) ?? 0;
    if (found >= mutations) return [];
    const [step = '', epoch = ''] = key.split(' ');
    return [
      `${step} in epoch ${epoch} reported ${String(mutations)} changes, the evidence has ${String(found)}`,
    ];
  });
}
