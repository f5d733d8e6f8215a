import { managerUser } from '../ccm-access.js';
import { failure } from '../failures.js';
import { readCcmDenied } from '../observe/ccm-rights.js';
import type { StepSession } from './step-session.js';
import { note, policyOf, requestOptions, timingsOf } from './step-session.js';
import { lookUntil } from './wait-for.js';

/**
 * A CCM that lacks a right takes its locks, renews them and serves its metrics like any other while its controllers fail. So
 * each right is reviewed before any CCM starts. Authorizers learn of a new grant by a watch, which takes a moment.
 */
export async function proveRights(session: StepSession, ownTokens: boolean): Promise<void> {
  const policy = policyOf(session);
  const question = { policy, serviceAccountCredentials: ownTokens };
  const user = managerUser('ccm', policy);
  const last: { denied: readonly string[] | null } = { denied: null };
  const proven = await lookUntil(session, {
    what: 'the rights of the CCM',
    withinMs: timingsOf(session).effectMs,
    look: async () => {
      last.denied = await readCcmDenied(session.ports.api, question, requestOptions(session));
      return last.denied === null || last.denied.length === 0 ? true : null;
    },
  });
  if (proven !== null) {
    const all = last.denied === null ? 'its rights could not be asked about' : 'has all its rights';
    note(session, `${user}: ${all}`);
    return;
  }
  throw failure(
    'EffectNotSeen',
    `step ${session.step}: the grant is written, and the API server still refuses ${user}: ` +
      `${(last.denied ?? []).join(', ')} (CCM1402). Find the authorizer that denies it, then \`ccm-migrate retry\``,
  );
}
