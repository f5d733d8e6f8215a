import type { LoadedDataConverter } from '@temporalio/common';
import { isSignedBy } from '../../activities/authority/signatures.js';
import { nativeDigest } from '../../activities/native-digest.js';
import { type AccessPolicy, workerOfKey } from '../../domain/authority/access-policy.js';
import {
  RESULT_TYPE,
  type ResultSignature,
  type ResultStatement,
  resultStatementText,
  splitSigned,
} from '../../domain/evidence/signed-result.js';
import { member } from '../read-json.js';
import { type AuditCheck, judged, pass, unproven } from './audit-check.js';
import { carriedTexts, eventsOf, textIn } from './history-facts.js';

/** What an activity was given and returned, as the history carries it. */
interface Completed {
  readonly where: string;
  readonly runId: string;
  readonly activity: string;
  readonly activityId: string;
  readonly input: unknown;
  readonly result: unknown;
}

interface Execution {
  readonly runId: string;
  readonly history: unknown;
}

export interface SignedRun {
  readonly workflowId: string;
  readonly executions: readonly Execution[];
}

const CHECK = 'results';

/**
 * What the run was told of its cluster is what workers signed: all who may poll a queue can complete a task, and who owns the
 * database can rewrite it. Activities are scheduled in the order of their ids, which are signed too.
 */
export async function checkResults(
  run: SignedRun,
  converter: LoadedDataConverter,
  trust: AccessPolicy | null,
): Promise<AuditCheck> {
  const completed = run.executions.flatMap(({ runId, history }, index) =>
    completedIn(history, `execution ${String(index + 1)}`, runId),
  );
  const faults = [
    ...run.executions.flatMap(disordered),
    ...repeated(completed),
    ...completed
      .filter(({ activity }) => activity === '')
      .map(({ where }) => `${where}: nothing asked for it`),
  ];
  const found = await Promise.all(
    completed.map(async (each) => ({
      where: each.where,
      ...(await signerOf(run.workflowId, each, converter, trust)),
    })),
  );
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

function told(first: string, open: number, all: number): string {
  return `${String(open)} of ${String(all)} activities, the first at ${first}`;
}

function completedIn(history: unknown, execution: string, runId: string): readonly Completed[] {
  const scheduled = new Map<string, unknown>();
  return eventsOf(history).flatMap((event) => {
    const eventId = textIn(event, 'eventId');
    const asked = member(event, 'activityTaskScheduledEventAttributes');
    if (asked !== undefined) scheduled.set(eventId, asked);
    const ended = member(event, 'activityTaskCompletedEventAttributes');
    if (ended === undefined) return [];
    const by = scheduled.get(textIn(ended, 'scheduledEventId'));
    return [
      {
        ...{ where: `${execution}, event ${eventId}`, runId },
        activity: textIn(member(by, 'activityType'), 'name'),
        activityId: textIn(by, 'activityId'),
        input: member(by, 'input'),
        result: member(ended, 'result'),
      },
    ];
  });
}

type Found =
  | { readonly kind: 'signed'; readonly by: string }
  /** It returned nothing. */
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
  const [carried = ''] = returned;
  if (!carried.startsWith('{')) return { kind: 'silent' };
  const { text, signature } = splitSigned(carried);
  const { runId, activity, activityId } = completed;
  if (signature === null) return unsigned(`no worker signed what ${activity} returned`);
  if (trust === null) return unsigned('give the access policy of that time: --trust FILE');
  const digests = { input: nativeDigest(given.join('\n')), result: nativeDigest(text) };
  const statement = { workflowId, runId, activity, activityId, ...digests };
  return judgedBy(trust, statement, signature);
}

function judgedBy(
  trust: AccessPolicy,
  statement: ResultStatement,
  { keyid, sig }: ResultSignature,
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

/** A workflow asks in the order of the ids: an activity that was asked for twice, or after a later one, was moved. */
function disordered({ history }: Execution, index: number): readonly string[] {
  let last = 0;
  return eventsOf(history).flatMap((event) => {
    const asked = member(event, 'activityTaskScheduledEventAttributes');
    if (asked === undefined) return [];
    const id = Number(textIn(asked, 'activityId'));
    const isNext = id > last;
    last = id;
    if (isNext) return [];
    return [
      `execution ${String(index + 1)}, event ${textIn(event, 'eventId')}: activity ${String(id)} is out of order`,
    ];
  });
}

/** Each ends at most once. */
function repeated(completed: readonly Completed[]): readonly string[] {
  const seen = new Set<string>();
  return completed.flatMap(({ where, runId, activityId }) => {
    const key = `${runId} ${activityId}`;
    if (seen.has(key)) return [`${where}: activity ${activityId} completes twice`];
    seen.add(key);
    return [];
  });
}
