import { readFleetCommand } from '../../../domain/fleet/read-fleet-command.js';
import type { FleetCommand } from '../../../domain/fleet/fleet-command.js';
import { isSamePerson } from '../../../domain/run/same-person.js';
import { member } from '../../read-json.js';
import { counted } from '../../terminal/wording.js';
import { type AuditCheck, judged, unproven } from '../audit-check.js';
import type { FleetBegin, WaveDemand } from './fleet-begin.js';
import type { RecordedFleetEvent, RecordedStart } from './recorded-fleet.js';

const CHECK = 'approvals';

/**
 * Before the first cluster of a wave began, as many people had approved it as the plan demands: for this plan and revision, not
 * those who asked for it, and none after the last rejection. Where the fleet was signed, one key is one person.
 */
export function checkFleetApprovals(
  records: readonly RecordedFleetEvent[],
  runId: string,
): AuditCheck {
  const log = new ApprovalLog(runId, isSignedFleet(records));
  const faults: string[] = [];
  const open: string[] = [];
  for (const record of records) {
    const said = log.take(record);
    if (said === null) continue;
    (said.isOpen ? open : faults).push(`${record.where}: ${said.why}`);
  }
  const [first] = open;
  if (faults.length > 0 || first === undefined) return judged(CHECK, faults, log.summary());
  return unproven(CHECK, first);
}

function isSignedFleet(records: readonly RecordedFleetEvent[]): boolean {
  return records.some((record) => record.kind === 'begins' && record.begin.authority !== null);
}

interface Lacking {
  readonly why: string;
  /** What it lacks may be in the export of a former run. */
  readonly isOpen: boolean;
}

interface Approver {
  readonly actor: string;
  /** Empty where no key says who it was. */
  readonly principal: string;
  readonly isGlassBroken: boolean;
}

interface Given extends Approver {
  readonly wave: number;
  readonly planDigest: string;
  readonly revision: number;
}

class ApprovalLog {
  readonly #runs: Set<string>;
  readonly #isSigned: boolean;
  readonly #begun = new Set<number>();
  readonly #told: string[] = [];
  #approvals: Given[] = [];
  /** By a rejection. */
  readonly #withdrawn: Given[] = [];
  #begin: FleetBegin | null = null;
  #isFirst = true;

  constructor(runId: string, isSigned: boolean) {
    this.#runs = new Set([runId]);
    this.#isSigned = isSigned;
  }

  summary(): string {
    return this.#told.length === 0 ? 'no wave that began demands any' : this.#told.join('; ');
  }

  take(record: RecordedFleetEvent): Lacking | null {
    switch (record.kind) {
      case 'begins':
        this.#isFirst = this.#begin === null;
        this.#begin = record.begin;
        for (const run of record.begin.carried?.fleetRuns ?? []) this.#runs.add(run);
        return null;
      case 'command':
        this.#hear(record.sent, NO_KEY, !this.#isSigned);
        return null;
      case 'admission':
        if (record.of === 'command' && record.isAdmitted)
          this.#hear(member(record.asked, 'command'), record, true);
        return null;
      case 'starts':
        return this.#start(record.starts);
      case 'plan':
      case 'orders':
        return null;
    }
  }

  /** A rejection is a brake, which counts as soon as it is sent. */
  #hear(sent: unknown, by: Omit<Approver, 'actor'>, isHeard: boolean): void {
    const read = readFleetCommand(sent);
    if (read.kind !== 'command' || !this.#isForThisFleet(read.command)) return;
    const { order, actor } = read.command;
    if (order.verb !== 'approve' && order.verb !== 'reject') return;
    const { subject } = order;
    if (subject.kind !== 'before') return;
    const { wave } = subject;
    if (order.verb === 'reject') this.#withdraw(wave);
    else if (isHeard) {
      const { principal, isGlassBroken } = by;
      this.#approvals.push({ wave, actor, principal, isGlassBroken, ...planOf(order) });
    }
  }

  #withdraw(wave: number): void {
    this.#withdrawn.push(...this.#approvals.filter((each) => each.wave === wave));
    this.#approvals = this.#approvals.filter((each) => each.wave !== wave);
  }

  #isForThisFleet({ fleetRun }: FleetCommand): boolean {
    return fleetRun !== null && this.#runs.has(fleetRun);
  }

  #start(starts: readonly RecordedStart[]): Lacking | null {
    const begin = this.#begin;
    if (begin === null) return null;
    const waves = new Set(
      starts.flatMap(({ row, target }) =>
        target === 'ccm' ? begin.waveOf.slice(row, row + 1) : [],
      ),
    );
    const lacks = [...waves].flatMap((wave) => this.#firstStart(begin, wave) ?? []);
    return lacks.find(({ isOpen }) => !isOpen) ?? lacks[0] ?? null;
  }

  #firstStart(begin: FleetBegin, index: number): Lacking | null {
    if (this.#begun.has(index)) return null;
    this.#begun.add(index);
    const wave = begin.waves[index];
    if (wave === undefined || wave.before === 0) return null;
    const valid = (given: readonly Given[]): readonly Given[] =>
      distinct(given.filter((each) => isOf(each, begin, index, wave)));
    const people = valid(this.#approvals);
    if (people.length >= wave.before) {
      this.#told.push(`wave ${wave.name} by ${people.map(shownName).join(' and ')}`);
      return null;
    }
    const had = counted(people.length, 'approval');
    const why = `wave ${wave.name} began with ${had} of ${String(wave.before)}`;
    // Rejected, perhaps when it had begun and no cluster had: only the rule knows.
    const isRejected = valid([...this.#approvals, ...this.#withdrawn]).length >= wave.before;
    return { why, isOpen: isRejected || this.#isCarried(begin, index) };
  }

  /** It had begun in a fleet that was opened again, or was over when a new plan came. */
  #isCarried({ carried }: FleetBegin, wave: number): boolean {
    if (carried === null) return false;
    return carried.over[wave] === true || (this.#isFirst && carried.begun[wave] === true);
  }
}

function planOf({
  planDigest,
  revision,
}: {
  readonly planDigest: string;
  readonly revision: number;
}): Pick<Given, 'planDigest' | 'revision'> {
  return { planDigest, revision };
}

function isOf(
  given: Given,
  { planDigest, revision, requester }: FleetBegin,
  wave: number,
  { approvers }: WaveDemand,
): boolean {
  const isOfPlan = given.planDigest === planDigest && given.revision === revision;
  const isApprover =
    approvers === null || approvers.some((one) => isSamePerson(one, nameOf(given)));
  const isRequester = isSamePerson(given.actor, requester);
  return given.wave === wave && isOfPlan && isApprover && !isRequester;
}

function nameOf({ actor, principal }: Approver): string {
  return principal === '' ? actor : principal;
}

/** As claimed, and whose key it was. */
function shownName({ actor, principal, isGlassBroken }: Approver): string {
  const key = principal === actor || principal === '' ? [] : [principal];
  const by = [...key, ...(isGlassBroken ? ['BREAK-GLASS'] : [])];
  return by.length === 0 ? actor : `${actor} (${by.join(', ')})`;
}

const NO_KEY = { principal: '', isGlassBroken: false } as const;

/** One person once: neither two names of one key count, nor one name with two keys. One that does not count keeps none out. */
function distinct(given: readonly Given[]): readonly Given[] {
  const people: Given[] = [];
  for (const each of given) {
    const isRepeated = people.some(
      (other) => isSamePerson(other.actor, each.actor) || nameOf(other) === nameOf(each),
    );
    if (!isRepeated) people.push(each);
  }
  return people;
}
