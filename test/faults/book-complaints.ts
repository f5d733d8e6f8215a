import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { verifyChain } from '../../domain/evidence/chain.js';
import type { Environment } from '../activities/environment.js';
import { attribute, isPositive, type Attributed } from '../crash/attribution.js';
import type { JournalEntry } from '../../testbed/simulator/control/request-journal.js';

/** Each effect has exactly one record, each attempt without an effect has none, and no intent stays open. */
export async function bookComplaints(
  environment: Environment,
  runs: readonly string[],
  journal: readonly JournalEntry[],
): Promise<readonly string[]> {
  const complaints: string[] = [];
  const records: EvidenceRecord[] = [];
  for (const run of runs) {
    const ids = { workflowId: `${environment.context.workflowId}/${run}`, runId: run };
    const chain = await environment.dependencies.evidence.read(ids);
    if (verifyChain(chain).kind !== 'intact') complaints.push(`the evidence of ${run} is broken`);
    const open = await environment.dependencies.evidence.openIntents(ids);
    complaints.push(...open.map(({ object }) => `${run}: intent on ${object} is open`));
    records.push(...chain);
  }
  const { requests, unsent } = attribute(journal, records);
  return [
    ...complaints,
    ...requests.filter(({ kind }) => kind === 'kept').flatMap(requestComplaint),
    ...unsent.flatMap(({ intent, outcome }) =>
      outcome === null || isPositive(outcome)
        ? [`${intent.verb} ${intent.object} is recorded without a request for it`]
        : [],
    ),
  ];
}

function requestComplaint({ entry, intent, outcome }: Attributed): readonly string[] {
  const { tookEffect } = entry;
  if (outcome !== null && isPositive(outcome) === tookEffect) return [];
  // Refused before anything was to be recorded: a review, or an order repeated under its key.
  if (intent === null && !tookEffect) return [];
  const name = `${entry.verb} ${entry.path} (request ${String(entry.index)})`;
  return [`${name}: effect ${String(tookEffect)}, record ${outcome?.kind ?? 'none'}`];
}
