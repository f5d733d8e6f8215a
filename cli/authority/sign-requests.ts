import { randomUUID } from 'node:crypto';
import type { RunAuthority } from '../../activities/contract.js';
import type {
  FleetGiven,
  FleetSettings,
  RevisionOrder,
  SignedRevision,
} from '../../activities/fleet-input.js';
import { clusterWorkflowId, fleetWorkflowId } from '../../config/names.js';
import type { Envelope } from '../../domain/authority/signed-envelope.js';
import { commandSubject } from '../../domain/authority/command-subject.js';
import { type SignedRows, fleetLevels } from '../../domain/authority/member-leaves.js';
import { membersRoot } from '../../domain/authority/member-tree.js';
import { wholeStatement } from '../../domain/authority/statement.js';
import { type StatementVerb, VERB_RULES } from '../../domain/authority/verb-roles.js';
import { digestJson } from '../../domain/digest.js';
import type { FleetCommand } from '../../domain/fleet/fleet-command.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { OperatorCommand } from '../../domain/run/operator-command.js';
import type { RunRequest } from '../runs/start-run.js';
import type { Signer } from './signing-key.js';

/** How long a worker may take to accept it. */
const RUN_WITHIN_S = 3600;
/** The clusters of a fleet start over weeks. */
const FLEET_WITHIN_S = 35 * 24 * 3600;

interface Times {
  readonly notBefore: number;
  readonly notAfter: number;
}

function within(seconds: number): Times {
  const now = Math.floor(Date.now() / 1000);
  return { notBefore: now, notAfter: now + seconds };
}

/** A run of one cluster, as it is asked for. */
export async function signedStart(signer: Signer, request: RunRequest): Promise<RunAuthority> {
  const { cluster, target, policy, materials, timings, planDigest, takeOver } = request;
  const { actor, reason, ticket } = request;
  const start = await signer.sign(
    wholeStatement({
      ...{ verb: 'apply', workflowId: clusterWorkflowId(cluster.uid), nonce: randomUUID() },
      ...{ cluster: cluster.uid, target, plan: planDigest, turnsBack: turnsBack([policy]) },
      ...{ policy: digestJson(policy), materials: digestJson(materials) },
      ...{ timings: digestJson(timings), takeOver: takeOver?.reason ?? '' },
      ...{ actor, reason, ticket },
      ...within(RUN_WITHIN_S),
    }),
  );
  return { start, commands: [] };
}

/** Whether a policy may turn a run back by itself. */
function turnsBack(policies: readonly MigrationPolicy[]): '' | 'byPolicy' {
  const rules = policies.flatMap(({ onBreach, onBreachByPhase = {} }) => [
    onBreach,
    ...Object.values(onBreachByPhase),
  ]);
  return rules.some((rule) => rule !== 'hold') ? 'byPolicy' : '';
}

/** The run that a command is for. */
export interface RunToCommand {
  readonly workflowId: string;
  /** The first of its executions. */
  readonly runId: string;
  /** Of the direction that it follows; an approval is of exactly that. */
  readonly planDigest: string;
}

async function signedCommand(
  signer: Signer,
  { workflowId, runId, planDigest }: RunToCommand,
  command: Omit<OperatorCommand, 'signed'>,
): Promise<Envelope> {
  const { verb, commandId: nonce, actor, reason, ticket } = command;
  return signer.sign(
    wholeStatement({
      ...{ verb, workflowId, runId, nonce, actor, reason, ticket },
      subject: commandSubject(command.arguments),
      ...(verb === 'approve' ? { plan: planDigest } : {}),
      ...within(RUN_WITHIN_S),
    }),
  );
}

/** Who asks, as it is written into what is signed. */
interface Asking {
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
}

/** A command to a run, signed where its sender has a key; as it is where not, for workers without an access policy. */
export async function sealedCommand(
  signer: Signer | null,
  run: RunToCommand,
  command: OperatorCommand,
): Promise<OperatorCommand> {
  if (signer === null || isUnsigned(signer, command.verb)) return command;
  return { ...command, signed: await signedCommand(signer, run, command) };
}

/** A brake needs no signature, so it waits for no program and no touch: a file signs at once. */
function isUnsigned({ asksProgram }: Signer, verb: StatementVerb): boolean {
  return asksProgram && VERB_RULES[verb].isBrake;
}

/** The same of a command to a fleet. */
export async function sealedFleetCommand(
  signer: Signer | null,
  fleet: string,
  command: FleetCommand,
): Promise<FleetCommand> {
  if (signer === null || isUnsigned(signer, command.order.verb)) return command;
  return { ...command, signed: await signedFleetCommand(signer, fleet, command) };
}

/** A fleet with all its members, as it is asked for. */
export async function signedFleet(
  signer: Signer,
  fleet: string,
  given: FleetGiven,
  { actor, reason, ticket }: Asking,
): Promise<Envelope> {
  return signer.sign(
    wholeStatement({
      ...{ verb: 'apply', workflowId: fleetWorkflowId(fleet), nonce: randomUUID(), fleet },
      ...{ target: 'ccm', turnsBack: fleetTurnsBack(given), actor, reason, ticket },
      ...{ plan: given.plan.planDigest, members: membersRoot(fleetLevels(given, given.plan)) },
      ...within(FLEET_WITHIN_S),
    }),
  );
}

/** A new plan for an open fleet, with what the fleet starts runs with afterwards. */
export async function signedRevision(
  signer: Signer,
  fleet: string,
  order: Omit<RevisionOrder, 'signed'>,
  { settings, state }: { readonly settings: FleetSettings; readonly state: SignedRows },
): Promise<SignedRevision> {
  const { commandId: nonce, fleetRun: runId, given, actor, reason, ticket } = order;
  const members = membersRoot(fleetLevels(settings, state));
  const statement = await signer.sign(
    wholeStatement({
      ...{ verb: 'revise', workflowId: fleetWorkflowId(fleet), nonce, runId, fleet },
      ...{ target: 'ccm', turnsBack: fleetTurnsBack(given), actor, reason, ticket },
      ...{ plan: given.plan.planDigest, members, subject: members },
      ...within(FLEET_WITHIN_S),
    }),
  );
  return { statement, members };
}

function fleetTurnsBack({ plan, waves }: FleetGiven): '' | 'byPolicy' {
  const turns = plan.policy.onFailure === 'rollBack';
  return turns ? 'byPolicy' : turnsBack(waves.map(({ policy }) => policy));
}

async function signedFleetCommand(
  signer: Signer,
  fleet: string,
  { commandId: nonce, actor, reason, fleetRun, scope, order }: Omit<FleetCommand, 'signed'>,
): Promise<Envelope> {
  return signer.sign(
    wholeStatement({
      ...{ verb: order.verb, workflowId: fleetWorkflowId(fleet), fleet, nonce, actor, reason },
      ...{ runId: fleetRun ?? '', subject: digestJson({ scope, order }) },
      ...within(RUN_WITHIN_S),
    }),
  );
}
