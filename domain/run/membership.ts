import type { Target } from '../vocabulary.js';
import type { Envelope } from '../authority/signed-envelope.js';
import type { Requester } from './who-asked.js';

/** The row of a fleet that a run belongs to. */
export interface Membership {
  readonly fleetWorkflowId: string;
  /** First run id of the fleet's workflow: an earlier or later fleet of the same name is another one. */
  readonly fleetRun: string;
  readonly row: number;
  /** Rises with each start, adoption, re-grant, and turn of a parked run; orders and reports of older grants do not count. */
  readonly grant: number;
}

/** What a fleet orders one of its runs. Applied at the next safe point, as commands are. */
export type MemberOrder =
  /** An open run without a fleet becomes a member. */
  | { readonly kind: 'adopt'; readonly fleetWorkflowId: string }
  /** Give the slot back: change nothing until the next grant. */
  | { readonly kind: 'park' }
  /** The slot is given again. What held the run is tried again, for a run that people signed where it heals or they asked for it. */
  | {
      readonly kind: 'grant';
      readonly target: Target;
      readonly by: Requester;
      readonly signed?: Envelope;
      /** The command to the fleet that asks for another try, unchanged; absent where no one asked. */
      readonly retry?: Envelope;
    }
  /** Change the direction; the run has a slot. `byPerson`: not the fleet's policy. */
  | {
      readonly kind: 'turn';
      readonly target: Target;
      readonly by: Requester;
      readonly byPerson: boolean;
      /** The command to the fleet that it comes from, unchanged; absent where there is none. */
      readonly signed?: Envelope;
    }
  /** Stop at the next safe point and end. */
  | { readonly kind: 'withdraw'; readonly by: Requester }
  /** Pause at the next safe point until the brake of this command is released; only its own release counts. */
  | { readonly kind: 'brake'; readonly commandId: string; readonly by: Requester }
  | { readonly kind: 'release'; readonly commandId: string; readonly by: Requester };

/**
 * An order as it is sent. A run refuses those of another fleet run, another row, or an older grant; a release, which names
 * its brake, counts whatever its grant.
 */
export interface MemberMessage {
  readonly fleetRun: string;
  readonly row: number;
  readonly grant: number;
  readonly order: MemberOrder;
}
