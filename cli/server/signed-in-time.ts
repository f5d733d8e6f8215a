import { setTimeout as sleep } from 'node:timers/promises';

/** What an alert asks for is stored while its sender waits: an agent that no one watches has a part of that time. */
export const SERVER_SIGNS_WITHIN_MS = 250;

export interface SignedInTime<Command> {
  readonly command: Command;
  /** Why it is not signed; empty where it is, or no key is given. */
  readonly unsigned: string;
}

/** A rollback whose agent refuses, or is slow, is sent without a signature: its run pauses then, instead of hearing nothing. */
export async function signedInTime<Command>(
  command: Command,
  signing: Promise<Command>,
): Promise<SignedInTime<Command>> {
  try {
    const late = sleep(SERVER_SIGNS_WITHIN_MS, null, { ref: false });
    const signed = await Promise.race([signing, late]);
    return signed === null
      ? { command, unsigned: 'its key did not sign in time' }
      : { command: signed, unsigned: '' };
  } catch (error) {
    return { command, unsigned: error instanceof Error ? error.message : String(error) };
  }
}
