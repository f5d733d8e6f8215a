import type { CommandAnswer } from './operator-command.js';
import type { Commands } from './run-state.js';

/** As many as a run carries over when it continues as new. */
const ANSWERS_TOLD = 100;
const LONGEST_ID = 128;
const LONGEST_DETAIL = 300;

/**
 * What became of its last commands, as a run says it with its outcome: queries have no answer once the server has forgotten the
 * run. Bounded in every way, because anyone in the namespace can send commands of any length, and a result that is too large could
 * not be reported at all.
 */
export function toldAnswers({
  answers,
}: Pick<Commands, 'answers'>): Readonly<Record<string, CommandAnswer>> {
  const last = Object.entries(answers)
    .filter(([id]) => id.length <= LONGEST_ID)
    .slice(-ANSWERS_TOLD);
  return Object.fromEntries(
    last.map(([id, { state, detail }]) => [id, { state, detail: detail.slice(0, LONGEST_DETAIL) }]),
  );
}
