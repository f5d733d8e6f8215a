import { historyDigests } from '../../domain/transparency/history-digests.js';
import { type AnchorVerdict, judgeAnchor } from '../../domain/transparency/judge-anchor.js';
import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import type { GivenLog } from '../transparency/given-log.js';
import { counted } from '../terminal/wording.js';
import { type AuditCheck, fail, pass, unproven } from './audit-check.js';
import { eventsOf } from './history-facts.js';
import type { SignedRun } from './check-results.js';

const CHECK = 'anchor';

/** A run as its export has it. */
export interface AnchoredExport extends SignedRun {
  readonly runId: string;
}

/**
 * Whether the run was so when a log outside was written: keys and databases can be stolen, and a past with them. No check
 * where neither the trust file nor the command names a log.
 */
export function checkAnchor(
  { workflowId, runId, executions }: AnchoredExport,
  trust: AccessPolicy | null,
  given: GivenLog | null,
): readonly AuditCheck[] {
  if (given === null) {
    const origins = (trust?.logs ?? []).map(({ origin }) => origin);
    if (origins.length === 0) return [];
    return [unproven(CHECK, `the trust file names ${origins.join(', ')}: give --log`)];
  }
  if (given.kind === 'refused') return [fail(CHECK, given.why)];
  const exported = executions.map((each) => ({
    runId: each.runId,
    digests: historyDigests(eventsOf(each.history)),
  }));
  const verdict = judgeAnchor({ workflowId, runId, executions: exported }, given.log);
  return [verdictCheck(verdict, given.log.origin)];
}

function verdictCheck(verdict: AnchorVerdict, origin: string): AuditCheck {
  switch (verdict.kind) {
    case 'contradicted':
      return fail(CHECK, verdict.why);
    case 'anchored':
      return pass(
        CHECK,
        `all of its ${counted(verdict.events, 'event')} were so by ${verdict.by} (${origin})`,
      );
    case 'window': {
      const { anchored, events, execution, by } = verdict;
      if (anchored === 0) {
        return unproven(
          CHECK,
          `execution ${String(execution)} is not in what is proven of ${origin}`,
        );
      }
      return unproven(
        CHECK,
        `of execution ${String(execution)} ${String(anchored)} of ${counted(events, 'event')} were so by ${by}; later ones may have been rewritten`,
      );
    }
  }
}
