import { z } from 'zod';
import { STEP_PHASES } from '../../domain/vocabulary.js';
import { duration } from '../duration.js';

const holdThenRollBack = duration(
  '1s',
  '168h',
  'How long a hold waits for a person, or for the end of its cause, before the run rolls back by itself.',
);

/** What a failed gate causes, as written in a policy: a word, or `holdThenRollBack` with its time. */
export const breachRule = z
  .union([z.enum(['hold', 'rollBack']), z.strictObject({ holdThenRollBack })])
  .meta({
    description:
      'What a breach or a failed gate causes at the next safe point. Only what was measured to be bad rolls back.',
  });

export type WrittenBreachRule = z.output<typeof breachRule>;

/** Rules of single phases; those that are left out follow `onBreach`. */
export const breachRulesByPhase = z.partialRecord(z.enum(STEP_PHASES), breachRule).meta({
  description:
    'Other rules than onBreach, by the phase of the step that is due; soaks of the completed migration are in verify.',
});
