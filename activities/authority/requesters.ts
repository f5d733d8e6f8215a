import type { SignedStatement } from '../../domain/authority/authorise.js';
import type { OpenedEnvelope } from './signed-statement.js';

/** Those whose signature is right. */
export function signedOf(opened: readonly OpenedEnvelope[]): readonly SignedStatement[] {
  return opened.flatMap((each) => (each.kind === 'signed' ? [each] : []));
}

const TURNS: readonly string[] = ['rollBack', 'rollForward'];

/** The command that turned a run last; undefined where none did. */
export function lastTurnOf(commands: readonly SignedStatement[]): SignedStatement | undefined {
  return commands.filter(({ statement }) => TURNS.includes(statement.verb)).at(-1);
}

/** Who asked for where a run goes, and so cannot approve it: the one who turned it last, or who asked for it. */
export function askedLastBy(start: SignedStatement, commands: readonly SignedStatement[]): string {
  return (lastTurnOf(commands) ?? start).by.name;
}
