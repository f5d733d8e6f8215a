import { historyDigests } from '../../domain/transparency/history-digests.js';
import {
  type AnchorVerdict,
  judgeAnchor,
  stampedSizes,
} from '../../domain/transparency/judge-anchor.js';
import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import type { GivenLog } from '../transparency/given-log.js';
import { utcTimeOf } from '../transparency/utc-time.js';
import { counted } from '../terminal/wording.js';
import { type AuditCheck, fail, pass, unproven } from './audit-check.js';
import { eventsOf, textIn } from './history-facts.js';
import type { SignedRun } from './check-results.js';

const CHECK = 'anchor';

/** A run as its export has it. */
export interface AnchoredExport extends Omit<SignedRun, 'records'> {
  readonly runId: string;
}

/**
 * Whether the run was so when a log outside was written: keys and databases can be stolen, and a past with them. No check
 * where neither the trust file nor the command names a log.
 */
export async function checkAnchor(
  run: AnchoredExport,
  trust: AccessPolicy | null,
  given: GivenLog | null,
): Promise<readonly AuditCheck[]> {
  if (given === null) {
    const origins = (trust?.logs ?? []).map(({ origin }) => origin);
    if (origins.length === 0) return [];
    return [unproven(CHECK, `the trust file names ${origins.join(', ')}: give --log`)];
  }
  if (given.kind === 'refused') return [fail(CHECK, given.why)];
  try {
    return [await heldAgainst(run, given)];
  } catch (error) {
    return [fail(CHECK, error instanceof Error ? error.message : String(error))];
  }
}

async function heldAgainst(
  { workflowId, runId, executions }: AnchoredExport,
  { log, stamps }: Extract<GivenLog, { readonly kind: 'read' }>,
): Promise<AuditCheck> {
  const exported = executions.map((each) => {
    const events = eventsOf(each.history);
    const times = events.map((event) => utcTimeOf(textIn(event, 'eventTime')));
    return { runId: each.runId, digests: historyDigests(events), times };
  });
  const run = { workflowId, runId, executions: exported };
  const needed = stampedSizes(run, log, stamps.sizes);
  return verdictCheck(judgeAnchor(run, log, await stamps.read(needed)), log.origin);
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
      const { anchored, events, execution, by, late } = verdict;
      const name = `execution ${String(execution)}`;
      const since = late ? ': they were stamped too long after they happened' : '';
      if (anchored === 0) {
        return unproven(CHECK, `${name} is not in what is proven of ${origin}${since}`);
      }
      return unproven(
        CHECK,
        `of ${name} ${String(anchored)} of ${counted(events, 'event')} were so by ${by}; later ones may have been rewritten${since}`,
      );
    }
  }
}
