import type { GateVerdict } from './verdicts.js';

/** What a gate could not see, for people: its verdict holds nothing, and proves nothing either. */
export interface QuietNote {
  readonly gate: string;
  /** For example `0 of 34 events: harm of 10 % would show`. */
  readonly detail: string;
}

/** A run carries them to its end, so both numbers bound its history. */
const MOST_NOTES = 20;
const LONGEST_DETAIL = 200;

/** The notes among these verdicts, in their order and within bounds. */
export function quietNotes(verdicts: readonly GateVerdict[]): readonly QuietNote[] {
  return verdicts
    .filter(({ verdict, noted }) => noted === true && verdict !== 'fail')
    .slice(0, MOST_NOTES)
    .map(({ gate, detail }) => ({ gate, detail: detail.slice(0, LONGEST_DETAIL) }));
}

/** As a member of what a run says: absent where there is nothing to say. */
export function toldNotes(notes: readonly QuietNote[] = []): {
  readonly notes?: readonly QuietNote[];
} {
  return notes.length === 0 ? {} : { notes };
}

/** One line for each thing that was said, after the gates that say it. */
export function noteLines(notes: readonly QuietNote[]): readonly string[] {
  const details = [...new Set(notes.map(({ detail }) => detail))];
  return details.map((detail) => {
    const gates = notes.filter((each) => each.detail === detail).map(({ gate }) => gate);
    return `${gates.join(', ')}: ${detail}`;
  });
}
