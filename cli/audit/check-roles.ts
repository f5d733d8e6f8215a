import { openEnvelope } from '../../activities/authority/signed-statement.js';
import { signedOf } from '../../activities/authority/requesters.js';
import { type AccessPolicy, rolesOf } from '../../domain/authority/access-policy.js';
import { withEveryKey, withEveryLabel } from '../../domain/authority/held-rights.js';
import { rolesFor } from '../../domain/authority/verb-roles.js';
import { type AuditCheck, pass, unproven } from './audit-check.js';
import { distinctSteps, judgedStep } from './check-signatures.js';
import type { RecordedEvent } from './recorded-run.js';

type Asked = Extract<RecordedEvent, { readonly kind: 'step' }>['asked'];

/**
 * Whether those who signed what the steps of a run rest on had the roles for it, by the policy that the audit trusts: judged again
 * as workers do, by the same table. It never fails, since that policy may be of another time than the run. None where signatures
 * are not proven, and so nothing says whose roles to look at.
 */
export async function checkRoles(
  signatures: AuditCheck,
  events: readonly RecordedEvent[],
  trust: AccessPolicy | null,
): Promise<readonly AuditCheck[]> {
  const steps = distinctSteps(events);
  if (trust === null || signatures.result !== 'pass' || steps.length === 0) return [];
  const access: AccessPolicy = { ...withEveryKey(trust), handoverApproval: 'asPolicy' };
  const doubts: string[] = [];
  for (const { where, asked } of steps) {
    const why = await missingRole(access, asked);
    if (why !== null) doubts.push(`${where}: ${why}`);
  }
  return [rolesCheck(doubts, trust)];
}

/** Repairs ask as much as all other steps: the fence before them did. */
async function missingRole(access: AccessPolicy, asked: Asked): Promise<string | null> {
  const judged = await judgedStep(access, asked);
  if (judged.kind === 'allowed') return null;
  const why = `${judged.why}${withoutRole(access, asked)}`;
  const { name } = asked.cluster;
  const labelled = await judgedStep(withEveryLabel(access, name), asked);
  return labelled.kind === 'allowed' ? `${why}, ${byLabels(name)}` : why;
}

/** Who approved the wave of a member and may not, as that counts people alone. */
function withoutRole(access: AccessPolicy, { authority }: Asked): string {
  const opened = (authority?.member?.approvals ?? []).map((each) => openEnvelope(access, each));
  const names = signedOf(opened).flatMap(({ by, statement: { verb, fleet } }) => {
    const has = rolesOf(by, { cluster: null, fleet });
    return rolesFor(verb, '').some((role) => has.includes(role)) ? [] : [by.name];
  });
  return names.length === 0 ? '' : ` (${[...new Set(names)].join(', ')}: not approver)`;
}

/** Why a grant can be neither counted nor left out. */
export function byLabels(cluster: string): string {
  return `unless labels of ${cluster} give it, which no export has`;
}

/** What the check says, by what could not be shown. */
export function rolesCheck(
  doubts: readonly string[],
  { name, version }: Pick<AccessPolicy, 'name' | 'version'>,
): AuditCheck {
  const policy = `version ${String(version)} of the access policy ${name}`;
  const [first] = doubts;
  if (first === undefined) return pass('roles', `as ${policy} has them`);
  const more = doubts.length === 1 ? '' : ` (and ${String(doubts.length - 1)} more)`;
  return unproven(
    'roles',
    `${first}${more}; this is by ${policy}: give the one of that time, or accept it with --allow roles`,
  );
}
