import { digestJson } from '../../domain/digest.js';
import { intentOutcomes } from '../../domain/evidence/intent-outcomes.js';
import type { EvidenceIntent } from '../../domain/evidence/record.js';
import { shortHash } from '../node-paths.js';
import type { StepSession } from './step-session.js';

/** A request to the provider of machines: what it does to which one, and with what. */
export interface ProviderRequest {
  readonly verb: Extract<EvidenceIntent['verb'], 'addMachine' | 'removeMachine'>;
  readonly machine: string;
  /** What the machine is to be; null for a removal. */
  readonly content: object | null;
}

/**
 * Idempotency key of a request: the workflow run, the machine, what is asked for, and how often that was carried out before. A provider
 * gives a key one effect, so that one that came back under its name is a request of its own. The epoch is not part of it: a request
 * that is repeated in a newer one, its outcome unknown, must not order a second machine.
 */
export async function machineKey(session: StepSession, request: ProviderRequest): Promise<string> {
  const { workflowId, runId } = session.token;
  const nth = await timesCarriedOut(session, request);
  const what = shortHash(digestJson([request.content, nth]));
  return `${workflowId}/${runId}/${request.verb}/${request.machine}/${what}`;
}

/** How many requests of this run had this effect, as far as its evidence knows. */
export async function timesCarriedOut(
  { evidence, token: { workflowId, runId } }: StepSession,
  { verb, machine }: Omit<ProviderRequest, 'content'>,
): Promise<number> {
  const records = await evidence.read({ workflowId, runId });
  const outcomes = intentOutcomes(records);
  const all = records.flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent] : []));
  return all.filter(({ id, verb: done, object }) => {
    const outcome = outcomes.get(id);
    const isCarriedOut = outcome === 'applied' || outcome === 'foundApplied';
    return done === verb && object === machineObject(machine) && isCarriedOut;
  }).length;
}

/** Names a machine in evidence. */
export function machineObject(name: string): string {
  return `Machine ${name}`;
}
