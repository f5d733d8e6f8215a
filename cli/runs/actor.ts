import { hostname, userInfo } from 'node:os';
import type { Cli } from '../cli.js';
import { WrongUsage } from '../refusal.js';

/** Who claims to act, why, and under which ticket; part of history and evidence. */
export interface Attribution {
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
}

/**
 * `--actor`, or the user of this machine. A reason is never made up: where none is given and somebody is there, they are
 * asked, so that a command can be typed as it is shown.
 */
export async function attribution({ options, terminal, signal }: Cli): Promise<Attribution> {
  const given = options.text('reason') ?? '';
  const asks = given.trim() === '' && terminal.canAsk && !options.flag('yes');
  const reason = asks
    ? (await terminal.ask('Reason, for history and evidence: ', signal)).trim()
    : given;
  if (reason.trim() === '') {
    throw new WrongUsage('--reason is required: it goes into the history and the evidence');
  }
  const actor = options.text('actor') ?? `${userInfo().username}@${hostname()}`;
  return { actor, reason, ticket: options.text('ticket') ?? '' };
}
