import { digestJson } from '../digest.js';
import type { ApprovalSubject, FleetOrder, FleetScope } from './fleet-command.js';
import { isAmong } from '../run/same-person.js';
import type { AccessRole } from '../authority/access-policy.js';
import {
  type SignedStatement,
  authoriseCommand,
  isOfFleetRun,
  outlasted,
} from '../authority/authorise.js';
import type { SignedWave } from '../authority/member-tree.js';

/** An approval that counts, and by which role. */
type WaveApproval = SignedStatement & { readonly role: AccessRole };

/**
 * Those of the approvals that count for the first start of a wave: of the very plan and revision that the fleet's statement is of,
 * and each from another person than the one who asked, or who may break the glass. `start`: the statement of the fleet.
 */
export function countedApprovals(
  start: SignedStatement,
  wave: SignedWave,
  approvals: readonly SignedStatement[],
): readonly WaveApproval[] {
  const subjects = subjectsOf(start, wave);
  const counted = new Map<string, WaveApproval>();
  for (const approval of approvals) {
    const role = roleOf(approval, { start, wave, subjects });
    const { name } = approval.by;
    if (role !== null && !counted.has(name)) counted.set(name, { ...approval, role });
  }
  return [...counted.values()];
}

/** Why too few people have approved the wave; null where enough have. `people`: how many have. */
export function unapprovedWave({ index, before }: SignedWave, people: number): string | null {
  if (people >= before) return null;
  const [found, wanted] = [String(people), String(before)];
  return `wave ${String(index + 1)} of its fleet has signed approvals of ${found} of ${wanted} people`;
}

interface Judging {
  readonly start: SignedStatement;
  readonly wave: SignedWave;
  readonly subjects: readonly string[];
}

/** Null for one that does not count. */
function roleOf(approval: SignedStatement, { start, wave, subjects }: Judging): AccessRole | null {
  const { statement, by } = approval;
  const { workflowId, fleet } = start.statement;
  const { runId, nonce, subject } = statement;
  if (statement.fleet !== fleet || !isAmong(wave.approvers, by.name)) return null;
  if (!subjects.includes(subject) || !isOfFleetRun(start.statement, statement)) return null;
  // What was over before the plan could be taken, the fleet cannot have accepted for it.
  if (!outlasted(start.statement, statement)) return null;
  const given = { verb: 'approve', workflowId, runId, nonce, subject } as const;
  const about = { subject: { cluster: null, fleet }, requester: start.by.name };
  const judged = authoriseCommand(approval, given, about);
  return judged.kind === 'authorised' ? judged.role : null;
}

/** What an approval of this wave names: the digest of its scope and order, as people send it. */
function subjectsOf(
  { statement: { plan: planDigest } }: SignedStatement,
  { index: wave, revision }: SignedWave,
): readonly string[] {
  const subject: ApprovalSubject = { kind: 'before', wave };
  const order: FleetOrder = { verb: 'approve', subject, planDigest, revision };
  const scopes: readonly FleetScope[] = [{ kind: 'wave', wave }, { kind: 'fleet' }];
  return scopes.map((scope) => digestJson({ scope, order }));
}
