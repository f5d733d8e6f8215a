import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import { type AuditCheck, judged, unproven } from '../audit-check.js';
import { trustedSigners } from '../trusted-signers.js';
import { type FleetRun, SignedFleetRun } from './signed-fleet-run.js';
import type { RecordedFleetEvent } from './recorded-fleet.js';

const CHECK = 'signatures';

/**
 * What a fleet rests on, by the signatures that came with it: its plan and its clusters, each new plan, and each command that a
 * worker let pass are what a key that is trusted has signed, and the worker named the one who signed. What the fleet started goes
 * by no other command. Who may do what is another check: check-fleet-roles.ts.
 */
export function checkFleetSignatures(
  records: readonly RecordedFleetEvent[],
  run: FleetRun,
  trust: AccessPolicy | null,
): AuditCheck {
  const begins = records.filter((record) => record.kind === 'begins');
  if (begins.every(({ begin }) => begin.authority === null)) {
    return unproven(CHECK, 'no one signed: its worker obeyed everyone');
  }
  if (trust === null) return unproven(CHECK, 'give the access policy of that time: --trust FILE');
  const signed = new SignedFleetRun(trustedSigners(trust), run);
  const faults = records.flatMap((record) => {
    const wrong = signed.wrongIn(record);
    return wrong === null ? [] : [`${record.where}: ${wrong}`];
  });
  return judged(CHECK, faults, signed.signers());
}
