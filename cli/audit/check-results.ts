import type { LoadedDataConverter } from '@temporalio/common';
import { isSignedBy } from '../../activities/authority/signatures.js';
import { keyOfRecord } from '../../activities/authority/record-signatures.js';
import { nativeDigest } from '../../activities/native-digest.js';
import { type AccessPolicy, workerOfKey } from '../../domain/authority/access-policy.js';
import {
  RESULT_TYPE,
  type WorkerSignature,
  type ResultStatement,
  resultStatementText,
  splitSigned,
} from '../../domain/evidence/signed-result.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { type AuditCheck, judged, pass, unproven } from './audit-check.js';
import { type Completed, completedActivities, type Execution } from './completed-activities.js';
import { carriedTexts } from './history-facts.js';
import { formOf } from './unsigned-results.js';

export interface SignedRun {
  readonly workflowId: string;
  readonly executions: readonly Execution[];
  /** The evidence of a run; a fleet has none. */
  readonly records?: readonly EvidenceRecord[];
}

const CHECK = 'results';

/**
 * What the run was told of its cluster is what workers signed: all who may poll a queue can complete a task, and who owns the
 * database can rewrite it. Activities are scheduled in the order of their ids, which are signed too. So are the records of the
 * evidence, from the first one that a worker signed on.
 */
export async function checkResults(
  run: SignedRun,
  converter: LoadedDataConverter,
  trust: AccessPolicy | null,
): Promise<AuditCheck> {
  const { completed, faults: misplaced } = completedActivities(run.executions);
  const faults = [...misplaced, ...unsignedRecords(run.records ?? [], trust)];
  const found: (Found & Pick<Completed, 'where'>)[] = [];
  // One after another: what payloads expand to is only in memory for as long as its digest takes.
  for (const each of completed) {
    const { where } = each;
    found.push({ where, ...(await signerOf(run.workflowId, each, converter, trust)) });
  }
  for (const each of found) if (each.kind === 'wrong') faults.push(`${each.where}: ${each.why}`);
  if (faults.length > 0) return judged(CHECK, faults, '');
  const unsigned = found.flatMap((each) =>
    each.kind === 'unsigned' ? [`${each.where}: ${each.why}`] : [],
  );
  const [first] = unsigned;
  if (first !== undefined) return unproven(CHECK, told(first, unsigned.length, found.length));
  const signers = new Set(found.flatMap((each) => (each.kind === 'signed' ? [each.by] : [])));
  const by = signers.size === 0 ? '' : `, signed by ${[...signers].sort().join(', ')}`;
  return pass(CHECK, `${String(found.length)} activities${by}`);
}

/**
 * Where what activities of this name returned is what a worker signed; also where it is unsigned, if that is accepted. Empty where
 * activities are not in their order: none of such a history is believed.
 */
export async function signedPlaces(
  run: Pick<SignedRun, 'workflowId' | 'executions'>,
  activity: string,
  converter: LoadedDataConverter,
  { trust, takesUnsigned }: ResultTrust,
): Promise<ReadonlySet<string>> {
  const { completed, faults } = completedActivities(run.executions);
  const signed = new Set<string>();
  if (faults.length > 0) return signed;
  for (const each of completed.filter((one) => one.activity === activity)) {
    const { kind } = await signerOf(run.workflowId, each, converter, trust);
    if (kind === 'signed' || (kind === 'unsigned' && takesUnsigned)) signed.add(each.where);
  }
  return signed;
}

/** By which keys results count, and whether those without a signature do. */
export interface ResultTrust {
  readonly trust: AccessPolicy;
  readonly takesUnsigned: boolean;
}

/** Records that no worker of the policy wrote, after the first that one signed: older builds signed none, and anyone can continue a chain. */
function unsignedRecords(
  records: readonly EvidenceRecord[],
  trust: AccessPolicy | null,
): readonly string[] {
  if (trust === null || trust.workers.length === 0) return [];
  const first = records.findIndex(({ signature }) => signature !== undefined);
  if (first < 0) return [];
  return records
    .slice(first)
    .filter((record) => keyOfRecord(trust, record) === null)
    .map(({ sequence }) => `record ${String(sequence)}: no worker of the access policy signed it`);
}

function told(first: string, open: number, all: number): string {
  return `${String(open)} of ${String(all)} activities, the first at ${first}`;
}

type Found =
  | { readonly kind: 'signed'; readonly by: string }
  /** It is one of those that return nothing, or a list. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'unsigned'; readonly why: string }
  | { readonly kind: 'wrong'; readonly why: string };

const wrong = (why: string): Found => ({ kind: 'wrong', why });
const unsigned = (why: string): Found => ({ kind: 'unsigned', why });

async function signerOf(
  workflowId: string,
  completed: Completed,
  converter: LoadedDataConverter,
  trust: AccessPolicy | null,
): Promise<Found> {
  const given = await carriedTexts(completed.input, converter);
  const returned = await carriedTexts(completed.result, converter);
  if (given === null || returned === null) return wrong('it is in an encoding unknown here');
  const { runId, activity, activityId } = completed;
  const [carried = '', ...others] = returned;
  if (others.length > 0) return wrong(`${activity} returned more than one thing`);
  const form = formOf(activity, carried);
  if (form.kind !== 'object') return form;
  const { text, signature } = splitSigned(carried);
  if (signature === null) return unsigned(`no worker signed what ${activity} returned`);
  if (trust === null) return unsigned('give the access policy of that time: --trust FILE');
  const digests = { input: nativeDigest(given.join('\n')), result: nativeDigest(text) };
  const statement = { workflowId, runId, activity, activityId, ...digests };
  return judgedBy(trust, statement, signature);
}

function judgedBy(
  trust: AccessPolicy,
  statement: ResultStatement,
  { keyid, sig }: WorkerSignature,
): Found {
  if (trust.workers.length === 0) return unsigned('the access policy names no workers');
  const found = workerOfKey(trust, keyid);
  if (found === null) return wrong(`no worker of the access policy has the key ${keyid}`);
  const bytes = Buffer.from(resultStatementText(statement));
  const { name } = found.worker;
  return isSignedBy(found.key.spki, RESULT_TYPE, bytes, sig)
    ? { kind: 'signed', by: name }
    : wrong(`what ${statement.activity} was given or returned is not what ${name} signed`);
}
