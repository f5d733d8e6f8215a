import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import type { EvidenceAuthority } from '../../domain/evidence/record.js';
import type { FailureType } from '../../domain/failures.js';
import type { RunContext } from '../contract.js';
import type { ActivityDependencies, Authority } from '../dependencies.js';
import { requireEvidence } from '../evidence/continued-evidence.js';
import type { EvidenceStore, RunKey } from '../evidence/evidence-store.js';
import { isNamedWorker, isOfWorker } from './record-signatures.js';
import { failure } from '../failures.js';
import type { CarriedCommand } from './carried-commands.js';
import { type AskedFor, type RunRights, judgeRun } from './judge-run.js';

export type AllowedRun = Extract<RunRights, { readonly kind: 'allowed' }>;

type Needed = Pick<ActivityDependencies, 'authority' | 'evidence' | 'clock' | 'log'>;

/**
 * A run as its statement allows it, and as workers have admitted the commands that it rests on; null where this worker has no
 * access policy. @throws `EvidenceLost` where an admission is missing because this worker has not the run's evidence.
 */
export async function runRights(
  { authority, clock, evidence }: Needed,
  input: RunContext,
  asked: AskedFor,
): Promise<RunRights | null> {
  if (authority === undefined) return null;
  const rights = await judgeRun(authority, input, asked, clock.nowMs());
  if (rights.kind === 'refused' || asked.isHarmless) return rights;
  const why = await unadmitted({ authority, evidence }, input, rights);
  const { digest: statement, policy } = rights;
  return why === null ? rights : { kind: 'refused', why, statement, policy };
}

/**
 * Whether a command came in time is asked where it is admitted. A client that can complete workflow tasks can keep a signed
 * one back, and have a run follow it when the person who signed it no longer means it: it counts only where it is on record.
 * One that a fleet relays is put on record by its run, unless no worker could have accepted it; what is there stays accepted.
 */
async function unadmitted(
  { authority, evidence }: { readonly authority: Authority; readonly evidence: EvidenceStore },
  input: RunContext,
  { commands, overlong }: AllowedRun,
): Promise<string | null> {
  if (commands.length === 0 && overlong.length === 0) return null;
  const accepted = await acceptedStatements(evidence, await authority.policy(), input);
  const isNew = ({ digest }: CarriedCommand): boolean => !accepted.has(digest);
  const long = overlong.find(isNew);
  const command = long ?? commands.find(isNew);
  if (command === undefined) return null;
  // Where the evidence itself is missing, that is what has to be mended.
  await requireEvidence(evidence, input);
  const { statement, by } = command;
  if (long !== undefined) return `the ${statement.verb} that ${by.name} signed ${TOO_LONG}`;
  return `the evidence has no worker's acceptance of the ${statement.verb} that ${by.name} signed; ${TURN_INSTEAD}`;
}

/** Digests of the statements that workers of this policy accepted for a run. */
export async function acceptedStatements(
  evidence: Pick<EvidenceStore, 'acceptances'>,
  access: AccessPolicy,
  run: RunKey,
): Promise<ReadonlySet<string>> {
  const records = await evidence.acceptances(run);
  const believed = records.filter((record) => isOfWorker(access, record));
  return new Set(
    believed.flatMap(({ entry }) => (entry.kind === 'authority' ? entry.authority.statement : [])),
  );
}

const TOO_LONG = 'could be accepted for longer than the access policy allows';

/** A turn begins a direction without what was given for the one before it. */
const TURN_INSTEAD = 'turn the run (rollback, rollforward), which drops it, or stop it';

/**
 * What a statement allows of what the activity was given; null where this worker has no access policy. That it allows nothing is
 * recorded. @throws `NotAuthorised` or
 * `AuthorityLost`, as given: the first ends a run that has not begun, the second holds one that has.
 */
export async function requireAuthority(
  needed: Needed,
  input: RunContext,
  asked: AskedFor,
  type: Extract<FailureType, 'NotAuthorised' | 'AuthorityLost'>,
): Promise<AllowedRun | null> {
  const found = await runRights(needed, input, asked);
  if (found === null || found.kind === 'allowed') return found;
  await recordRefusal(needed, input, found);
  throw notAllowed(type, found.why);
}

export function notAllowed(
  type: Extract<FailureType, 'NotAuthorised' | 'AuthorityLost'>,
  why: string,
): Error {
  return failure(type, `the access policy of this worker does not allow it: ${why}`, {
    details: { wrote: false },
  });
}

interface Refusal {
  readonly why: string;
  readonly statement: string;
  /** Digest of the access policy that refuses it. */
  readonly policy: string;
}

/** That it is refused matters more than that it is recorded: a full disk must not let it pass, nor hide why. */
export async function recordRefusal(
  needed: Needed,
  input: RunContext,
  { why, statement, policy }: Refusal,
  verb = 'apply',
): Promise<void> {
  const refusal = { verb, verdict: 'refused', principal: '', role: '', statement, policy } as const;
  try {
    await requireNamed(needed);
    await record(needed, input, { ...refusal, detail: why });
  } catch (error) {
    needed.log.warn('a refusal could not be recorded', {
      ...{ cluster: input.cluster.name, workflowId: input.workflowId, why },
      error: error instanceof Error ? error.message : 'unknown error',
    });
  }
}

/** An audit refuses a chain with an unsigned record among signed ones, whatever follows. */
async function requireNamed({ authority, evidence }: Needed): Promise<void> {
  if (authority === undefined || isNamedWorker(await authority.policy(), evidence.keyId)) return;
  throw new Error('this worker has no key that spec.workers of the access policy names');
}

/** A record of who was allowed or refused something in this run. */
export async function record(
  { evidence, clock }: Pick<Needed, 'evidence' | 'clock'>,
  { runId, workflowId, cluster, actor }: RunContext,
  what: Pick<
    EvidenceAuthority,
    'verdict' | 'verb' | 'principal' | 'role' | 'statement' | 'detail'
  > & { readonly policy: string; readonly actor?: string },
): Promise<void> {
  const at = new Date(clock.nowMs()).toISOString();
  await evidence.recordAuthority({ runId, workflowId, cluster: cluster.name, at, actor, ...what });
}
