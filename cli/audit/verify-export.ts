import type { LoadedDataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER } from '../../config/data-converter.js';
import { AuditExport } from '../../config/outputs/report-documents.js';
import { verifyChain } from '../../domain/evidence/chain.js';
import { isEvidenceRecord } from '../../domain/evidence/lines.js';
import type { AuditCheck } from './audit-check.js';
import { fail, pass, unproven } from './audit-check.js';
import { checkAnchor } from './check-anchor.js';
import { checkAuthority } from './check-authority.js';
import { checkDecisions, checkSteps } from './check-decisions.js';
import { checkHeads } from './check-heads.js';
import { checkIntents } from './check-intents.js';
import { checkRecordedRun } from './check-invariants.js';
import { checkOutcome } from './check-outcome.js';
import { checkResults } from './check-results.js';
import { checkRoles } from './check-roles.js';
import type { ReportedEnd } from './history-facts.js';
import { reportedEnd } from './history-facts.js';
import { checkObjectLists } from './object-lists.js';
import { checkSignatures } from './check-signatures.js';
import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import { recordedRun } from './recorded-run.js';
import { withSignedWords } from './signed-words.js';
import type { GivenLog } from '../transparency/given-log.js';
import { executionsCheck, openedExport, writtenChecks } from './written-export.js';

export interface Verified {
  readonly checks: readonly AuditCheck[];
  /** Null when the text is not an export. */
  readonly content: AuditExport | null;
}

export interface VerifyOptions {
  /** Whose keys these are; without it signatures stay unproven. */
  readonly trust?: AccessPolicy | null;
  /** A log to hold it against; null where none is given. */
  readonly log?: GivenLog | null;
  readonly converter?: LoadedDataConverter;
}

/**
 * Everything that can be proven offline, without replay. One changed bit anywhere fails at least one check. `ownCode`
 * is this installation's `codeDigest`.
 */
export async function verifyExport(
  text: string,
  ownCode: string,
  { trust = null, log = null, converter = loadDataConverter(DATA_CONVERTER) }: VerifyOptions = {},
): Promise<Verified> {
  const opened = openedExport(AuditExport, text);
  if (opened.kind === 'refused') return { checks: [opened.check], content: null };
  const { raw, content } = opened;
  const end = await reportedEnd(content.executions.at(-1)?.history, converter);
  return {
    content,
    checks: [
      ...writtenChecks(content, raw, text),
      executionsCheck(content),
      chainCheck(content, end),
      ...(await recordedChecks(content, end, ownCode, { trust, converter })),
      ...(await checkAnchor(content, trust, log)),
    ],
  };
}

async function recordedChecks(
  { workflowId, cluster, executions, records, objectLists = [] }: AuditExport,
  end: ReportedEnd,
  ownCode: string,
  { trust, converter }: Required<Pick<VerifyOptions, 'trust' | 'converter'>>,
): Promise<readonly AuditCheck[]> {
  const run = await recordedRun(
    executions.map(({ history }) => history),
    converter,
  );
  if (run.kind === 'unreadable') return [fail('decisions', run.why)];
  const { events } = run;
  const evidence = records.filter(isEvidenceRecord);
  const decisions = checkDecisions(events, ownCode);
  const signatures = await withSignedWords(await checkSignatures(events, evidence, trust), {
    ...{ events, converter, history: executions[0]?.history },
  });
  const checks = [
    ...[decisions, checkSteps(events), checkHeads(events, records, end)],
    checkIntents(events, evidence, { workflowId, cluster }),
    await checkOutcome(events, executions.at(-1)?.history, converter),
    checkAuthority(events, evidence),
    signatures,
    ...(await checkRoles(signatures, events, trust)),
    await checkResults({ workflowId, executions, records: evidence }, converter, trust),
    checkObjectLists(events, objectLists),
  ];
  return decisions.result === 'pass' ? [...checks, checkRecordedRun(events)] : checks;
}

/** The chain itself, and its head against what the run's own history recorded. */
function chainCheck(content: AuditExport, end: ReportedEnd): AuditCheck {
  const check = 'evidence chain';
  const chain = verifyChain(content.records, end.kind === 'reported' ? end : undefined);
  if (chain.kind === 'broken') return fail(check, `record ${chain.at}: ${chain.why}`);
  if (chain.head !== content.head) return fail(check, 'its head differs from the exported head');
  const records = `${String(chain.records)} records`;
  switch (end.kind) {
    case 'reported':
      return pass(check, `${records}, whole`);
    case 'empty':
      return content.records.some(({ entry }) => entry.kind === 'intent')
        ? unproven(check, `${records}; the run ended without a word of them`)
        : pass(check, `${records}; nothing was changed`);
    case 'none':
      return unproven(check, `${records}; the run has not reported where its evidence ends`);
    case 'unreadable':
      return fail(check, 'the history records its end in an encoding unknown here');
  }
}
