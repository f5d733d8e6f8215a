import { CancellationScope, condition, log, setHandler } from '@temporalio/workflow';
import type {
  Delivery,
  OtherCounts,
  StartedCluster,
  SweepInput,
  SweepReport,
  WaveOpenings,
} from '../../activities/fleet-contract.js';
import type { FleetEvent, MemberReport } from '../../domain/fleet/fleet-events.js';
import type { FleetCommand } from '../../domain/fleet/fleet-command.js';
import { type UnreadableCommand, readFleetCommand } from '../../domain/fleet/read-fleet-command.js';
import { readMemberReport } from '../../domain/fleet/read-member-report.js';
import type { RevisionOrder } from '../../activities/fleet-input.js';
import type { MemberMessage } from '../../domain/run/membership.js';
import { readRevision } from './read-revision.js';
import {
  fleetCommandSignal,
  fleetRevisionSignal,
  reportSignal,
} from '../messages/fleet-messages.js';

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'atMs'> : never;

/** An event of the rule; it gets its time when it is taken. */
export type UntimedEvent = WithoutTime<FleetEvent>;

/** Everything that happens to a fleet. */
export type FleetMail =
  | { readonly kind: 'event'; readonly event: UntimedEvent }
  | UnreadableCommand
  /** `principal`: whose key signed it; empty where no one signs. */
  | { readonly kind: 'revision'; readonly order: RevisionOrder; readonly principal: string }
  | { readonly kind: 'started'; readonly answers: readonly StartedCluster[] }
  | {
      readonly kind: 'delivered';
      readonly messages: readonly MemberMessage[];
      readonly deliveries: readonly Delivery[];
    }
  | { readonly kind: 'reported'; readonly report: MemberReport }
  | {
      readonly kind: 'swept';
      /** Those that were described, whether anything was found or not. */
      readonly rows: SweepInput['rows'];
      readonly report: SweepReport;
    }
  | {
      readonly kind: 'openings';
      readonly untilMs: number;
      readonly openings: readonly WaveOpenings[];
    }
  | {
      readonly kind: 'others';
      readonly asked: { readonly askedAtMs: number; readonly revision: number };
      readonly report: OtherCounts;
    };

/** Passes on what becomes of a command: at once, or when a worker has said whose it is. */
export type ReceiveFleetCommand = (
  command: FleetCommand,
  pass: (mail: FleetMail) => void,
) => Promise<void> | undefined;

/** The same of a new plan. */
export type ReceiveRevision = (
  order: RevisionOrder,
  pass: (mail: FleetMail) => void,
) => Promise<void> | undefined;

/** In order of arrival. Handlers and activities only add; only the loop takes. */
export interface FleetMailbox {
  readonly put: (mail: FleetMail) => void;
  /** A bug in this program: fails the workflow task at the next `takeAll`. */
  readonly fail: (error: unknown) => void;
  /** Waits until there is something, and takes all of it. */
  readonly takeAll: () => Promise<readonly FleetMail[]>;
  /** That this will put something in: until then it is not empty. */
  readonly expect: (coming: Promise<void>) => Promise<void>;
  readonly isEmpty: () => boolean;
}

export function openFleetMailbox(): FleetMailbox {
  const mails: FleetMail[] = [];
  const mistakes: unknown[] = [];
  let expected = 0;
  return {
    expect: async (coming) => {
      expected += 1;
      await coming.finally(() => (expected -= 1));
    },
    put: (mail) => void mails.push(mail),
    fail: (error) => void mistakes.push(error),
    takeAll: async () => {
      await condition(() => mails.length > 0 || mistakes.length > 0);
      if (mistakes.length > 0) throw mistakes[0];
      return mails.splice(0);
    },
    isEmpty: () => mails.length === 0 && mistakes.length === 0 && expected === 0,
  };
}

/** Signals become events. What cannot be read is answered or logged; it never stops the fleet. */
export function receiveFleetSignals(
  mailbox: FleetMailbox,
  receiveCommand: ReceiveFleetCommand,
  receiveRevision: ReceiveRevision,
): void {
  const receive = (sent: unknown): Promise<void> | undefined => {
    const read = readFleetCommand(sent);
    if (read.kind === 'command') {
      const coming = receiveCommand(read.command, mailbox.put);
      return coming === undefined ? undefined : mailbox.expect(coming);
    }
    log.warn('unreadable fleet command ignored', { problem: read.problem });
    mailbox.put(read);
    return undefined;
  };
  setHandler(fleetCommandSignal, receive, { unfinishedPolicy: 'ABANDON' });
  const receivePlan = (sent: unknown): Promise<void> | undefined => {
    const read = readRevision(sent);
    if (read.kind === 'revision') {
      const coming = receiveRevision(read.order, mailbox.put);
      return coming === undefined ? undefined : mailbox.expect(coming);
    }
    log.warn('unreadable plan ignored', { problem: read.problem });
    mailbox.put(read);
    return undefined;
  };
  setHandler(fleetRevisionSignal, receivePlan, { unfinishedPolicy: 'ABANDON' });
  setHandler(reportSignal, (sent: unknown) => {
    const report = readMemberReport(sent);
    if (report === null) log.warn('unreadable report ignored');
    else mailbox.put({ kind: 'reported', report });
  });
}

/** Cancelling the workflow stops the fleet: every run ends at its next safe point. It never starts a rollback. */
export function cancellationStopsFleet(mailbox: FleetMailbox): void {
  CancellationScope.current().cancelRequested.catch(() => {
    const command = {
      commandId: 'cancellation',
      actor: 'temporal',
      reason: "the fleet's workflow was cancelled",
      fleetRun: null,
      scope: { kind: 'fleet' },
      order: { verb: 'stop' },
    } as const;
    mailbox.put({ kind: 'event', event: { kind: 'command', command } });
  });
}
