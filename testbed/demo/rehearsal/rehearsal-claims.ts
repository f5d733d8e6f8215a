import type { FleetPlanDocument } from '../../../config/outputs/fleet-plan-document.js';
import type { Claim } from '../claims.js';
import {
  changedBefore,
  isOwnedOnlyBy,
  neverTwoOwners,
  reportAgrees,
} from '../fleet/fleet-claims.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import { mostOfLabel, worstExposure, type RehearsedAccount } from './rehearsed-account.js';

/** Everything that was seen of a rehearsal from outside, and what the product says about it. */
export interface RehearsalEvidence {
  readonly plan: Pick<FleetPlanDocument, 'rollout' | 'waves' | 'clusters'>;
  readonly accounts: readonly RehearsedAccount[];
  readonly report: FleetReport;
}

/** Everything that has to hold for a rehearsal to end as forecast. */
export function rehearsalClaims(evidence: RehearsalEvidence): readonly Claim[] {
  const { accounts, report } = evidence;
  return [
    neverTwoOwners(accounts),
    moved(evidence),
    ...limits(evidence),
    ...orders(evidence),
    reportAgrees(accounts, report),
  ];
}

function moved({ plan, accounts }: RehearsalEvidence): Claim {
  const right = plan.clusters.filter(({ name }) =>
    accounts.some((each) => each.name === name && isOwnedOnlyBy(each, 'ccm')),
  );
  return {
    claim: 'the CCM owns the cloud controllers of every planned cluster',
    holds: right.length === plan.clusters.length && right.length > 0,
    seen: `${right.length} of ${plan.clusters.length}`,
  };
}

/**
 * A cluster that changes again after a soak or a hold does not change in between, and one that a person turns is above the
 * limits: neither can be told from the first and the last change, so that both are left out.
 */
function limits({ plan, accounts, report }: RehearsalEvidence): readonly Claim[] {
  const again = new Set(
    plan.clusters.flatMap(({ name, wave, canary }) => {
      const settings = plan.waves[wave];
      const isAgain =
        (canary && settings?.plan.rehearseRollback === true) ||
        settings?.policy.disableLeaderMigration === 'afterSoak' ||
        report.phases[name] === 'back';
      return isAgain ? [name] : [];
    }),
  );
  const counted = accounts.filter(({ name }) => !again.has(name));
  const { mostChanging } = worstExposure(counted);
  const { mostUnproven } = worstExposure(accounts);
  const { inFlight, unproven, caps } = plan.rollout;
  return [
    {
      claim: `never more than ${inFlight} clusters were changing`,
      holds: mostChanging <= inFlight,
      seen: `${mostChanging} at most`,
    },
    {
      claim: `never more than ${unproven} were unproven`,
      holds: mostUnproven <= unproven,
      seen: `${mostUnproven} at most`,
    },
    ...Object.entries(caps).map(([label, cap]) => {
      const { value, most } = mostOfLabel(counted, (name) => labelOf(plan, name, label));
      return {
        claim: `never more than ${cap} of one ${label} were changing`,
        holds: most <= cap,
        seen: `${value} ${most}`.trim(),
      };
    }),
  ];
}

/** What the rule of the fleet knows a cluster by; its region is one of these labels. */
export function labelOf(
  { clusters }: Pick<RehearsalEvidence['plan'], 'clusters'>,
  cluster: string,
  label: string,
): string | undefined {
  const groups = clusters.find(({ name }) => name === cluster)?.groups ?? [];
  return groups.find((group) => group.startsWith(`${label}=`))?.slice(label.length + 1);
}

/** Canaries before the others of their wave; waves one after the other, but for those that may leave some to a last pass. */
function orders({ plan, accounts }: RehearsalEvidence): readonly Claim[] {
  const of = (wave: number, canary?: boolean): readonly RehearsedAccount[] => {
    const members = plan.clusters.filter(
      (each) => each.wave === wave && (canary === undefined || each.canary === canary),
    );
    return accounts.filter(({ name }) => members.some((each) => each.name === name));
  };
  return plan.waves.flatMap((wave, index) => {
    const { name, done } = wave.plan;
    const [canaries, others, next] = [of(index, true), of(index, false), of(index + 1)];
    const nextName = plan.waves[index + 1]?.plan.name ?? '';
    return [
      ...(canaries.length > 0 && others.length > 0
        ? [
            changedBefore(
              `the canaries of ${name} were finished before its others changed`,
              canaries,
              others,
            ),
          ]
        : []),
      ...(done === null && next.length > 0 && of(index).length > 0
        ? [
            changedBefore(
              `wave ${name} was finished before wave ${nextName} began`,
              of(index),
              next,
            ),
          ]
        : []),
    ];
  });
}
