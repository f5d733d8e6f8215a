import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { askStatus } from '../runs/run-view.js';
import { sealedCommand, sealedFleetCommand } from '../authority/sign-requests.js';
import type { Signer } from '../authority/signing-key.js';
import {
  patientlySigned,
  sendCommand,
  type AnswerPatience,
  type Seal,
} from '../runs/send-command.js';
import type { Attribution } from '../runs/start-run.js';
import { viewFleetRun } from './fleet-run.js';
import type { OpenWork } from './open-work.js';
import { sendFleetCommand, type FleetReply } from './send-fleet-command.js';

export type BrakeVerb = 'freeze' | 'unfreeze';

/** What one open fleet or run answered to the freeze, or to its end. */
export interface ToldWork extends Pick<OpenWork, 'kind' | 'workflowId' | 'name'> {
  /**
   * `done`: it holds, or goes on. `ended`: it is over. `left`: it was not frozen by a freeze of everything. `unanswered`: the
   * server keeps the command. `failed`: nothing was sent.
   */
  readonly state: 'done' | 'ended' | 'left' | 'unanswered' | 'refused' | 'failed';
  readonly detail: string;
  /** Clusters of a fleet whose run could not be told, or is still to be. */
  readonly untold: number;
}

export interface WorkOrder {
  readonly verb: BrakeVerb;
  readonly who: Attribution;
  readonly patience: AnswerPatience;
  /** Null where no key is set up: what lets go is refused then by workers with an access policy. */
  readonly signer: Signer | null;
}

/** A run on its own knows pauses only: this tells the one of a freeze from those of people, which stay. */
const FROZEN = 'freeze of everything: ';

/** Tells one of them. An error is its result: it must not keep the others from being told. */
export async function tellWork(
  client: Client,
  work: OpenWork,
  order: WorkOrder,
): Promise<ToldWork> {
  const { kind, workflowId, name } = work;
  try {
    const said = kind === 'fleet' ? tellFleet : order.verb === 'freeze' ? pauseRun : resumeRun;
    return { kind, workflowId, name, ...(await said(client, work, order)) };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { kind, workflowId, name, state: 'failed', detail, untold: 0 };
  }
}

type Said = Pick<ToldWork, 'state' | 'detail' | 'untold'>;

async function tellFleet(
  client: Client,
  { workflowId, name }: OpenWork,
  { verb, who, patience, signer }: WorkOrder,
): Promise<Said> {
  const { actor, reason } = who;
  // A freeze waits for nothing; what lets go is signed for the fleet that is open now.
  const ownSigner = verb === 'unfreeze' ? signer : null;
  const view = ownSigner === null ? null : await viewFleetRun(client, name);
  const plain = {
    ...{ commandId: randomUUID(), actor, reason, fleetRun: view?.fleetRun ?? null },
    ...{ scope: { kind: 'fleet' as const }, order: { verb } },
  };
  const sealed = await patientlySigned(patience, sealedFleetCommand(ownSigner, name, plain));
  const reply = await sendFleetCommand(client, workflowId, sealed.signed, sealed.patience);
  return reply === 'ended' ? ENDED : saidBy(reply, verb);
}

const ENDED: Said = { state: 'ended', detail: 'it has ended', untold: 0 };

function saidBy(reply: FleetReply, verb: BrakeVerb): Said {
  const { state, detail } = reply;
  if (state === 'unanswered') return { state, detail, untold: 0 };
  if (state === 'applied') {
    const { unreachedCount = 0, waiting = 0 } = reply.reach ?? {};
    return { state: 'done', detail, untold: unreachedCount + waiting };
  }
  // Another person was faster: it is as it should be.
  const already = verb === 'freeze' ? 'freeze by ' : 'nothing here is held by freeze';
  return { state: detail.startsWith(already) ? 'done' : 'refused', detail, untold: 0 };
}

async function pauseRun(
  client: Client,
  { workflowId }: OpenWork,
  { who, patience }: WorkOrder,
): Promise<Said> {
  const command = {
    verb: 'pause',
    arguments: {},
    ...who,
    reason: `${FROZEN}${who.reason}`,
  } as const;
  return runSaid(await sendCommand(client, workflowId, command, patience));
}

/** A pause that a person asked for before stays. */
async function resumeRun(
  client: Client,
  { workflowId, runId }: OpenWork,
  { who, patience, signer }: WorkOrder,
): Promise<Said> {
  const asked = await askStatus(client, workflowId, runId);
  if (asked.kind === 'unanswered') {
    return {
      state: 'failed',
      detail: `${asked.silence.code}: it does not say who paused it`,
      untold: 0,
    };
  }
  const by = asked.value.pausedBy;
  if (by?.reason.startsWith(FROZEN) !== true) {
    const detail = by === null ? 'it is not paused' : `paused by ${by.actor}: ${by.reason}`;
    return { state: 'left', detail, untold: 0 };
  }
  const run = { workflowId, runId: asked.value.runId, planDigest: '' };
  const seal: Seal = (command) => sealedCommand(signer, run, command);
  const order = { verb: 'resume', arguments: {}, ...who } as const;
  return runSaid(await sendCommand(client, workflowId, order, patience, seal));
}

function runSaid(sent: Awaited<ReturnType<typeof sendCommand>>): Said {
  if (sent === 'ended') return ENDED;
  const { state, detail } = sent.answer;
  if (state === 'applied') return { state: 'done', detail, untold: 0 };
  return { state: state === 'refused' ? 'refused' : 'unanswered', detail, untold: 0 };
}
