import type { Row } from './fleet-state.js';

/** Signature of a run that a person paused, by itself. */
export const PAUSED = 'paused';

/** An approval that the policy of a cluster asks for: domain/findings/runs.ts. */
const APPROVAL_MISSING = 'CCM4015';

/** No guard has confirmed the fence: domain/findings/runs.ts. */
const UNGUARDED = 'CCM4028';

/** Whether a hold with this signature waits for its guard, which no worker of its region has taken: they are full or busy, or away. */
export function awaitsGuard(signature: string): boolean {
  return signature.split(' ', 1)[0] === UNGUARDED;
}

/**
 * Whether a hold with this signature waits for a person's word and for nothing that could be wrong: many such clusters say nothing about
 * the others of their group, which must be able to get as far.
 */
export function awaitsWord(signature: string): boolean {
  return signature === PAUSED || signature.split(' ', 1)[0] === APPROVAL_MISSING;
}

/** What a person has to say before a cluster goes on, where nothing is to be judged. */
export type Word = 'approval' | 'resume';

/**
 * The word that an open run waits for, in whatever phase its fleet has it. A row that heals has nothing to be judged, and one that is
 * ready has been told already. What is told to stop needs no word.
 */
export function awaitedWord({ heals, ready, stopping, signature }: Told): Word | null {
  if (!heals || ready || stopping || !awaitsWord(signature)) return null;
  return signature === PAUSED ? 'resume' : 'approval';
}

type Told = Pick<Row, 'heals' | 'ready' | 'stopping' | 'signature'>;
