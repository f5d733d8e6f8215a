import type { EvidenceIntent, EvidenceRecord } from '../../../../domain/evidence/record.js';
import type { StepName } from '../../../../domain/decision/step.js';
import type { Target } from '../../../../domain/vocabulary.js';
import { manifestPath } from '../../../../activities/node-paths.js';
import { MIGRATION } from '../../simulator/environment.js';

/**
 * When a direction in place is struck. The run's evidence shows the moment: each record is on disk before the run continues, so timing does
 * not matter.
 */
export type MomentName =
  /** The run has observed the cluster, and is about to write for its first step. */
  | 'firstStep'
  /** The first KCM's manifest is gone from its node and its successor not yet there. */
  | 'firstTakenAway'
  /** The first KCM's successor has just been written; the others are as they were. */
  | 'firstChanged'
  /** The process that held the migration Lease is dead, and the Lease about to be emptied. */
  | 'handover';

export interface Moment {
  readonly fits: (intent: EvidenceIntent) => boolean;
  /** `intended`: the record before the write. `applied`: the one after it. */
  readonly when: 'intended' | 'applied';
}

export interface Place {
  /** The node of the write; empty for objects of the API. */
  readonly node: string;
  /** When the write was begun, epoch ms. */
  readonly atMs: number;
}

const KCM_MANIFEST = new RegExp(`^[^:]+:${manifestPath('kcm')}$`);
const MIGRATION_LEASE = new RegExp(`^Lease kube-system/${MIGRATION}$`);

/** Which step changes the KCMs, and which ends the last process of the old owner. */
const STEPS = {
  ccm: { changes: 'externalizeKcm', ends: 'externalizeKcm' },
  kcm: { changes: 'restoreKcm', ends: 'stopCcm' },
} as const satisfies Record<Target, Record<string, StepName>>;

/** Writes of the run's own fence come before its first observation. */
const FENCING = 'takeFence';

export function momentOf(name: MomentName, target: Target): Moment {
  const { changes, ends } = STEPS[target];
  const write = (step: StepName, verb: EvidenceIntent['verb'], object: RegExp): Moment['fits'] => {
    return (intent) => intent.step === step && intent.verb === verb && object.test(intent.object);
  };
  switch (name) {
    case 'firstStep':
      return { fits: ({ step }) => step !== FENCING, when: 'intended' };
    case 'firstTakenAway':
      return { fits: write(changes, 'takeAway', KCM_MANIFEST), when: 'applied' };
    case 'firstChanged':
      return { fits: write(changes, 'writeFile', KCM_MANIFEST), when: 'applied' };
    case 'handover':
      return { fits: write(ends, 'patch', MIGRATION_LEASE), when: 'intended' };
  }
}

/** When a run first reached this moment; null when it has not yet. */
export function placeIn(records: readonly EvidenceRecord[], moment: Moment): Place | null {
  const intents = records.flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent] : []));
  const fitting = intents.filter((intent) => moment.fits(intent));
  const found =
    moment.when === 'intended'
      ? fitting[0]
      : fitting.find(({ id }) => records.some(({ entry }) => isApplied(entry, id)));
  if (found === undefined) return null;
  const { object, at } = found;
  const node = object.includes(':/') ? object.slice(0, object.indexOf(':')) : '';
  return { node, atMs: Date.parse(at) };
}

function isApplied(entry: EvidenceRecord['entry'], id: string): boolean {
  return entry.kind === 'outcome' && entry.intentId === id && entry.outcome.kind === 'applied';
}
