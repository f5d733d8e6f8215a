import type { FleetPlanDocument } from '../../../config/outputs/fleet-plan-document.js';
import type { Theme } from '../../../cli/terminal/theme.js';
import { shownDuration } from '../../../cli/terminal/wording.js';
import type { Claim } from '../claims.js';
import type { RehearsalEvidence } from './rehearsal-claims.js';
import { worstExposure } from './rehearsed-account.js';

export interface RehearsalResult {
  readonly evidence: Pick<RehearsalEvidence, 'accounts' | 'report'> & {
    readonly plan: Pick<FleetPlanDocument, 'forecast' | 'clusters'>;
  };
  readonly claims: readonly Claim[];
  /** From the start of the fleet to its end, on the clock of the simulator. */
  readonly tookMs: number;
}

/** What was forecast and what happened, the worst exposure, and which claims held. */
export function rehearsalSummary(
  { evidence, claims, tookMs }: RehearsalResult,
  theme: Theme,
): readonly string[] {
  const { forecast, clusters } = evidence.plan;
  const { orphan, overlapSeconds, mostChanging, mostUnproven } = worstExposure(evidence.accounts);
  const needs = evidence.report.needs.map(({ kind, subject }) => `${kind} of ${subject}`);
  return [
    '',
    theme.paint('strong', "What happened, by the simulator's own journal"),
    `  forecast  ${shownDuration(forecast.p50Ms)} to ${shownDuration(forecast.p90Ms)} · ${clusters.length} clusters proven`,
    `  took      ${shownDuration(tookMs)} of simulated time · ${outcomes(evidence)}`,
    `  worst     no owner for ${orphan.seconds.toFixed(1)} s${orphan.cluster === '' ? '' : ` (${orphan.cluster})`} · ${mostChanging} changing and ${mostUnproven} unproven at once · two owners for ${overlapSeconds.toFixed(1)} s`,
    ...(needs.length === 0 ? [] : [`  needs     a person: ${needs.join(', ')}`]),
    '',
    ...claims.map(({ claim, holds, seen }) => {
      const word = holds ? '' : theme.paint('bad', 'NOT TRUE ');
      return `${theme.mark(holds ? 'ok' : 'failed')} ${word}${claim} (${seen})`;
    }),
    '',
  ];
}

/** `9 proven, 0 failed, 1 back`, and whatever else there is. */
function outcomes({ report: { phases } }: RehearsalResult['evidence']): string {
  const counts = new Map([
    ['proven', 0],
    ['failed', 0],
    ['back', 0],
  ]);
  for (const phase of Object.values(phases)) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  return [...counts].map(([phase, count]) => `${count} ${phase}`).join(', ');
}
