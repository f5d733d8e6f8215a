import type { Cli } from '../cli.js';
import type { Silence } from './ask-run.js';
import { mayHeal } from './server-refusal.js';

/** How long a server may be unreachable before a watch gives up. */
const AWAY_AT_MOST_MS = 120_000;

/** Whether a worker is there cannot be told without the server. */
const SERVER_AWAY: Silence = { code: 'CCM4020', detail: '' };

/**
 * What a watch reads again and again. After the first success a server that is away is waited for instead of being an error: `whileAway`
 * makes of the last observation what is known without an answer. What no waiting heals ends the watch at once.
 */
export function patientReads<View>(
  cli: Cli,
  read: () => Promise<View>,
  whileAway: (last: View, silence: Silence) => View,
): () => Promise<View> {
  let last: View | null = null;
  let awaySinceMs: number | null = null;
  return async () => {
    try {
      last = await read();
      if (awaySinceMs !== null) say(cli, 'the server answers again');
      awaySinceMs = null;
      return last;
    } catch (error) {
      if (!mayHeal(error)) throw error;
      if (awaySinceMs === null) say(cli, 'the server does not answer; waiting for it');
      awaySinceMs ??= Date.now();
      if (last === null || Date.now() - awaySinceMs > AWAY_AT_MOST_MS) throw error;
      return whileAway(last, SERVER_AWAY);
    }
  };
}

/** Nothing is printed beside a painted screen: it shows `NoServer` itself. */
function say({ terminal }: Cli, line: string): void {
  if (!terminal.outIsScreen) terminal.err(`${line}\n`);
}
