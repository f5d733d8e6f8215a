import type { LoadedDataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER } from '../../../config/data-converter.js';
import { FleetAuditExport } from '../../../config/outputs/fleet-audit-export.js';
import { type AuditCheck, fail, judged } from '../audit-check.js';
import { checkAnchor } from '../check-anchor.js';
import { checkResults } from '../check-results.js';
import { otherMemo, startedWith } from '../signed-words.js';
import type { VerifyOptions } from '../verify-export.js';
import { executionsCheck, openedExport, writtenChecks } from '../written-export.js';
import { checkFleetApprovals } from './check-fleet-approvals.js';
import { checkFleetOutcome } from './check-fleet-outcome.js';
import { checkFleetPlan } from './check-fleet-plan.js';
import { checkFleetRoles } from './check-fleet-roles.js';
import { checkFleetSignatures } from './check-fleet-signatures.js';
import { recordedFleet } from './recorded-fleet.js';

export interface VerifiedFleet {
  readonly checks: readonly AuditCheck[];
  /** Null when the text is not an export of a fleet. */
  readonly content: FleetAuditExport | null;
}

/** Everything that can be proven offline of a fleet, without replay. */
export async function verifyFleet(
  text: string,
  { trust = null, log = null, converter = loadDataConverter(DATA_CONVERTER) }: VerifyOptions = {},
): Promise<VerifiedFleet> {
  const opened = openedExport(FleetAuditExport, text);
  if (opened.kind === 'refused') return { checks: [opened.check], content: null };
  const { raw, content } = opened;
  return {
    content,
    checks: [
      ...writtenChecks(content, raw, text),
      executionsCheck(content),
      ...(await recordedChecks(content, { trust, converter })),
      ...(await checkAnchor(content, trust, log)),
    ],
  };
}

/** Lists show the memo of a fleet: it must say what the fleet was started with. */
async function withFleetMemo(
  check: AuditCheck,
  history: unknown,
  converter: LoadedDataConverter,
): Promise<AuditCheck> {
  const { input, memo } = await startedWith(history, converter);
  const faults = otherMemo(memo, input);
  return check.result !== 'pass' || faults.length === 0 ? check : judged(check.check, faults, '');
}

async function recordedChecks(
  { workflowId, runId, fleet, executions }: FleetAuditExport,
  { trust, converter }: Required<Pick<VerifyOptions, 'trust' | 'converter'>>,
): Promise<readonly AuditCheck[]> {
  const histories = executions.map(({ history }) => history);
  const read = await recordedFleet(histories, converter);
  if (read.kind === 'unreadable') return [fail('plan', read.why)];
  const { events: records } = read;
  const signatures = await withFleetMemo(
    checkFleetSignatures(records, { workflowId, runId, fleet }, trust),
    histories[0],
    converter,
  );
  return [
    checkFleetPlan(records, fleet),
    signatures,
    ...checkFleetRoles(signatures, { fleet, records }, trust),
    await checkResults({ workflowId, executions }, converter, trust),
    checkFleetApprovals(records, runId),
    await checkFleetOutcome(records, histories.at(-1), converter),
  ];
}
