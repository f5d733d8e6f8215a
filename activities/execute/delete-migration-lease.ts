import { sameLease } from '../../domain/vocabulary.js';
import { failure } from '../failures.js';
import { locksOf } from '../observe/identities.js';
import { readObject, removeObject } from './object-writes.js';
import { leaseObjectRef } from './release-leases.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NOTHING_LOST, note, policyOf } from './step-session.js';

/** Deletes the migration Lease once nothing that runs, or could be started, takes part in it. */
export async function deleteMigrationLease(session: StepSession): Promise<EffectReport> {
  const { lock } = policyOf(session);
  const users = session.before.nodes.flatMap((node) =>
    [node.kcm, node.ccm].flatMap(({ manifest, processes }) => [
      ...processes.map(({ config }) => config),
      ...(manifest.state === 'present' || manifest.state === 'parked' ? [manifest.config] : []),
    ]),
  );
  const user = users.find((config) => locksOf(config).some((each) => sameLease(each, lock)));
  if (user !== undefined) {
    throw failure(
      'PreconditionFailed',
      `a ${user.manager} still takes part in Lease ${lock.namespace}/${lock.name}`,
    );
  }
  const ref = leaseObjectRef(lock);
  const present = await readObject(session, ref);
  if (present === null) return NOTHING_LOST;
  await removeObject(session, ref, present);
  note(session, `Lease ${lock.name} deleted`);
  return NOTHING_LOST;
}
