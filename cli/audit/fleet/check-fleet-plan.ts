import { givenPlanDigest } from '../../plan/fleet-plan-digest.js';
import { type AuditCheck, judged, unproven } from '../audit-check.js';
import type { FleetBegin, WaveDemand } from './fleet-begin.js';
import { beginsIn, type RecordedFleetEvent } from './recorded-fleet.js';

const CHECK = 'plan';

/** A plan that a fleet was given, at its start or later. */
type Plan = Pick<FleetBegin, 'planDigest' | 'given' | 'waves'>;

/**
 * The fleet goes by the plans that it was given: each has its digest, which people sign, and each execution carries on one of them
 * with what its waves demand of people.
 */
export function checkFleetPlan(records: readonly RecordedFleetEvent[], fleet: string): AuditCheck {
  const given = records.flatMap((record) => {
    const plan = planIn(record);
    return plan === null ? [] : [{ where: record.where, ...plan }];
  });
  const faults = [
    ...given
      .filter(
        (plan) => plan.given !== null && givenPlanDigest(fleet, plan.given) !== plan.planDigest,
      )
      .map(({ where }) => `${where}: the plan is not that of its digest`),
    ...wronglyCarried(records),
  ];
  const older = given.find((plan) => plan.given === null);
  if (faults.length > 0 || older === undefined) return judged(CHECK, faults, planText(records));
  return unproven(CHECK, `${older.where}: an older build gave it without who was left out`);
}

function planText(records: readonly RecordedFleetEvent[]): string {
  const begins = beginsIn(records);
  const digests = [...new Set(begins.map(({ planDigest }) => planDigest))].join(', ');
  const isCarried = begins[0]?.carried !== null;
  return isCarried ? `${digests}, as the run before had it, which was opened again` : digests;
}

/** The plan that a record gives to the fleet; null for one that gives none. */
function planIn(
  record: RecordedFleetEvent,
): (Plan & { readonly given: FleetBegin['given'] }) | null {
  if (record.kind === 'plan') return record.sent.plan;
  return record.kind === 'begins' && record.begin.carried === null ? record.begin : null;
}

/** Executions that go on otherwise than the one before ended. */
function wronglyCarried(records: readonly RecordedFleetEvent[]): readonly string[] {
  let before: FleetBegin | null = null;
  let sent: Plan[] = [];
  return records.flatMap((record) => {
    if (record.kind === 'plan' && record.sent.plan !== null) sent.push(record.sent.plan);
    if (record.kind !== 'begins') return [];
    const wrong = before === null ? null : otherPlan(before, sent, record.begin);
    [before, sent] = [record.begin, []];
    return wrong === null ? [] : [`${record.where}: ${wrong}`];
  });
}

/** Which of the plans that were sent was taken, the rule decides: the fleet has the one that it had, or one of those. */
function otherPlan(
  before: FleetBegin,
  sent: readonly Plan[],
  { planDigest, waves, revision }: FleetBegin,
): string | null {
  const revisions = revision - before.revision;
  const plans = revisions === 0 ? [before] : sent;
  const isGiven = plans.some((plan) => plan.planDigest === planDigest);
  if (!isGiven || revisions < 0 || revisions > sent.length)
    return 'it goes on by a plan that it was not given';
  const known = [...plans.filter((plan) => plan.planDigest === planDigest), before];
  const strange = waves.find(
    (wave, index) => !known.some((plan) => isSameDemand(plan.waves[index], wave)),
  );
  return strange === undefined
    ? null
    : `wave ${strange.name} demands other approvals than in the plan`;
}

/** A wave that was over when its plan was revised says so from then on, and its plan does not. */
function isSameDemand(planned: WaveDemand | undefined, carried: WaveDemand): boolean {
  const demanded = ({ name, before, approvers }: WaveDemand): string =>
    JSON.stringify([name, before, approvers]);
  return planned !== undefined && demanded(planned) === demanded(carried);
}
