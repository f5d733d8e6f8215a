import { attemptDigest } from '../../domain/decision/decisive-digest.js';
import type { DecisionRequest, PlannedStep } from '../../domain/decision/run-decision.js';
import { digestJson } from '../../domain/digest.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import { EFFECT_VERSIONS, type Step } from '../../domain/decision/step.js';

/** What the activities of a run without approvals decide by. */
export const NO_JUDGEMENTS: DecisionRequest = {
  target: 'ccm',
  waivers: [],
  approvals: [],
  since: null,
  revision: 0,
};

/** A step as a run sends it, for stories that choose their steps themselves. */
export function planned(step: Step, observation: ClusterObservation | null = null): PlannedStep {
  const key = digestJson([step.name, step.effect]);
  return {
    step,
    effectVersion: EFFECT_VERSIONS[step.effect.kind],
    key,
    attempt: observation === null ? key : attemptDigest(key, step.effect, observation),
    approval: null,
    afterProof: false,
    keepsProof: false,
    recovers: false,
  };
}

/** Leader Migration for the KCM of a node, as the first steps of a run switch it on. */
export function enabling(node: string) {
  return {
    kind: 'changeManager',
    node,
    want: { manager: 'kcm', role: 'inTree', leaderMigration: 'on' },
    release: 'mainThenMigration',
  } as const;
}
