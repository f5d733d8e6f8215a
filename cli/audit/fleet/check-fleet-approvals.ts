import { readFleetCommand } from '../../../domain/fleet/read-fleet-command.js';
import type { FleetCommand } from '../../../domain/fleet/fleet-command.js';
import { foldedPerson, isSamePerson } from '../../../domain/run/same-person.js';
import { member } from '../../read-json.js';
import { counted } from '../../terminal/wording.js';
import { type AuditCheck, judged, unproven } from '../audit-check.js';
import { textIn } from '../history-facts.js';
import type { FleetBegin } from './fleet-begin.js';
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
  readonly planDigest: string;
  readonly revision: number;
}

class ApprovalLog {
  readonly #runs: Set<string>;
  readonly #isSigned: boolean;
  readonly #begun = new Set<number>();
  readonly #told: string[] = [];
  /** By wave, as each is looked at once: an export may have thousands of waves, and of approvals. */
  readonly #approvals = new Map<number, Given[]>();
  /** By a rejection. */
  readonly #withdrawn = new Map<number, Given[]>();
  /** Whose key gave a plan, by its digest. */
  readonly #revisers = new Map<string, string>();
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
        this.#admit(record);
        return null;
      case 'starts':
        return this.#start(record.starts);
      case 'plan':
      case 'orders':
        return null;
    }
  }

  #admit(record: Extract<RecordedFleetEvent, { readonly kind: 'admission' }>): void {
    const { of, asked, principal, isAdmitted } = record;
    if (!isAdmitted) return;
    if (of === 'plan') this.#revisers.set(textIn(asked, 'planDigest'), principal);
    else this.#hear(member(asked, 'command'), record, true);
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
      const { planDigest, revision } = order;
      const given = { actor, principal, isGlassBroken, planDigest, revision };
      addTo(this.#approvals, wave, [given]);
    }
  }

  #withdraw(wave: number): void {
    addTo(this.#withdrawn, wave, this.#approvals.get(wave) ?? []);
    this.#approvals.delete(wave);
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
    const approvers = wave.approvers === null ? null : new Set(wave.approvers.map(foldedPerson));
    const asker = { requester: begin.requester, principal: this.#revisers.get(begin.planDigest) };
    const able = (all: readonly Given[]): readonly Given[] =>
      all.filter((each) => isAmong(approvers, each) && !isAsker(each, asker));
    const given = this.#approvals.get(index) ?? [];
    const people = distinct(able(given).filter((each) => isOfPlan(each, begin)));
    if (people.length >= wave.before) {
      this.#told.push(`wave ${wave.name} by ${people.map(shownName).join(' and ')}`);
      return null;
    }
    const had = counted(people.length, 'approval');
    const why = `wave ${wave.name} began with ${had} of ${String(wave.before)}`;
    const others = able([...given, ...(this.#withdrawn.get(index) ?? [])]).filter(
      (each) => begin.carried !== null || isOfPlan(each, begin),
    );
    // Rejected, or given another plan, perhaps when it had begun and no cluster had: only the rule knows.
    const isOvertaken = distinct(others).length >= wave.before;
    return { why, isOpen: isOvertaken || this.#isCarried(begin, index) };
  }

  /** It had begun in a fleet that was opened again, or was over when a new plan came. */
  #isCarried({ carried }: FleetBegin, wave: number): boolean {
    if (carried === null) return false;
    return carried.over[wave] === true || (this.#isFirst && carried.begun[wave] === true);
  }
}

function isOfPlan(given: Given, { planDigest, revision }: FleetBegin): boolean {
  return given.planDigest === planDigest && given.revision === revision;
}

/** Who asked for the plan: as claimed, and whose key it was where that is known. */
interface Asker {
  readonly requester: string;
  readonly principal: string | undefined;
}

function isAsker(given: Given, { requester, principal }: Asker): boolean {
  const isKey = given.principal !== '' && given.principal === principal;
  return isKey || isSamePerson(given.actor, requester);
}

/** Null names anyone. */
function isAmong(approvers: ReadonlySet<string> | null, given: Given): boolean {
  return approvers === null || approvers.has(foldedPerson(nameOf(given)));
}

function addTo(waves: Map<number, Given[]>, wave: number, given: readonly Given[]): void {
  const known = waves.get(wave);
  if (known === undefined) waves.set(wave, [...given]);
  else for (const each of given) known.push(each);
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
  const [actors, names] = [new Set<string>(), new Set<string>()];
  return given.filter((each) => {
    const [actor, name] = [foldedPerson(each.actor), nameOf(each)];
    if (actors.has(actor) || names.has(name)) return false;
    actors.add(actor);
    names.add(name);
    return true;
  });
}
