import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER } from '../../../config/data-converter.js';
import type { RunAccount } from '../../../config/outputs/account-document.js';
import type { AuditExport } from '../../../config/outputs/report-documents.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import { digestJson } from '../../../domain/digest.js';
import { isEvidenceRecord } from '../../../domain/evidence/lines.js';
import { member } from '../../read-json.js';
import { counted } from '../../terminal/wording.js';
import { reportedOutcome, textIn } from '../history-facts.js';
import { isoTime } from '../run-span.js';
import type { AuditedRun } from '../runs-on-record.js';
import { inOrder } from './in-order.js';
import { placedChanges } from './account-changes.js';
import { accountEvents } from './account-events.js';
import { accountRequests } from './account-requests.js';
import { commandAnswers } from './command-answers.js';
import { accountStep } from './account-steps.js';
import { type DecodedRun, decodedRun } from './decoded-run.js';

/** What an account is made of. */
export interface AccountSources {
  readonly content: AuditExport;
  readonly run: AuditedRun;
  readonly trust: AccessPolicy | null;
}

/**
 * Who asked for a run, what it changed and what held it, by its export. It believes nothing and proves nothing: what it tells is as
 * good as the checks that stand beside it.
 */
export async function accountOfRun({ content, run, trust }: AccountSources): Promise<RunAccount> {
  const converter = loadDataConverter(DATA_CONVERTER);
  const histories = content.executions.map(({ history }) => history);
  const told = await decodedRun(histories, converter);
  const { of, unplaced } = placedChanges(content.records, told.activities);
  const authorities = content.records
    .filter(isEvidenceRecord)
    .flatMap(({ entry }) => (entry.kind === 'authority' ? [entry.authority] : []));
  const steps = told.activities.flatMap((each) => accountStep(each, of.get(each) ?? []) ?? []);
  const answers = await commandAnswers(histories, converter);
  const [start, ...others] = accountRequests({ run: told, authorities, trust, answers });
  return {
    ...headOf(run, told),
    ...(await endOf(histories.at(-1), converter)),
    accessPolicies: [...new Set(authorities.flatMap(({ policy = '' }) => policy || []))],
    requests: [...(start === undefined ? [] : [start]), ...inOrder(others)],
    steps: inOrder(steps),
    unplaced: [...unplaced],
    events: inOrder(accountEvents(told)),
    unread: unreadOf(content, told),
  };
}

function headOf(run: AuditedRun, { started: { input }, activities }: DecodedRun) {
  const { file, workflowId, runId, cluster, uid, target, outcome, ticket } = run;
  const policy = member(input, 'policy');
  const builds = activities.map(({ result }) => textIn(result, 'decidedBy'));
  return {
    ...{ file, workflowId, runId, cluster, uid, outcome },
    ...{ fleet: textIn(input, 'fleet'), target: textIn(input, 'target') || target },
    ...{ startedAt: isoTime(run.startedAtMs), endedAt: isoTime(run.endedAtMs) },
    ...{ ticket: ticket || textIn(input, 'ticket'), plan: textIn(input, 'planDigest') },
    policy: policy === undefined ? '' : digestJson(policy),
    builds: [...new Set(builds)].filter((each) => each !== ''),
  };
}

async function endOf(
  history: unknown,
  converter: ReturnType<typeof loadDataConverter>,
): Promise<Pick<RunAccount, 'summary' | 'clusterState'>> {
  const reported = await reportedOutcome(history, converter);
  const outcome = reported.kind === 'reported' ? reported.outcome : undefined;
  return { summary: textIn(outcome, 'summary'), clusterState: textIn(outcome, 'clusterState') };
}

function unreadOf({ records }: AuditExport, { unreadable }: DecodedRun): string[] {
  const strange = records.filter((record) => !isEvidenceRecord(record)).length;
  return [
    ...(unreadable === 0 ? [] : [`not read: ${counted(unreadable, 'payload')} of the history`]),
    ...(strange === 0 ? [] : [`not read: ${counted(strange, 'record')} of the evidence`]),
  ];
}
