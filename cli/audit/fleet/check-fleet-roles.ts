import { openEnvelope } from '../../../activities/authority/signed-statement.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import { authoriseSigner, type SignedStatement } from '../../../domain/authority/authorise.js';
import { everyLabel, withEveryKey } from '../../../domain/authority/held-rights.js';
import { readEnvelope } from '../../../domain/authority/signed-envelope.js';
import { member } from '../../read-json.js';
import type { AuditCheck } from '../audit-check.js';
import { byLabels, rolesCheck } from '../check-roles.js';
import type { FleetBegin } from './fleet-begin.js';
import type { RecordedFleetEvent, RecordedStart } from './recorded-fleet.js';

/**
 * Whether those who signed what a fleet rests on had the roles for it, as workers ask for them: who asked for it on each cluster that
 * it starts, and who sent a command or a new plan on the fleet as a whole. None where signatures are not proven.
 */
export function checkFleetRoles(
  signatures: AuditCheck,
  { fleet, records }: { readonly fleet: string; readonly records: readonly RecordedFleetEvent[] },
  trust: AccessPolicy | null,
): readonly AuditCheck[] {
  if (trust === null || signatures.result !== 'pass') return [];
  const log = new RoleLog(withEveryKey(trust), fleet);
  const doubts = records.flatMap((record) =>
    log.doubtsIn(record).map((why) => `${record.where}: ${why}`),
  );
  return [rolesCheck(doubts, trust)];
}

class RoleLog {
  readonly #access: AccessPolicy;
  readonly #fleet: string;
  #begin: FleetBegin | null = null;
  /** What the fleet rests on now. */
  #rests: SignedStatement | null = null;
  /** Payloads of admitted commands to roll back, which stand by themselves. */
  readonly #back = new Set<string>();

  constructor(access: AccessPolicy, fleet: string) {
    this.#access = access;
    this.#fleet = fleet;
  }

  doubtsIn(record: RecordedFleetEvent): readonly string[] {
    switch (record.kind) {
      case 'begins':
        this.#begin = record.begin;
        this.#rests = this.#opened(record.begin.authority);
        return [];
      case 'admission':
        return record.isAdmitted ? this.#admitted(envelopeIn(record)) : [];
      case 'starts':
        return record.starts.flatMap((each) => this.#started(each));
      case 'command':
      case 'plan':
      case 'orders':
        return [];
    }
  }

  /** Its signature has been checked before. */
  #opened(value: unknown): SignedStatement | null {
    const envelope = readEnvelope(value);
    const opened = envelope === null ? null : openEnvelope(this.#access, envelope);
    return opened?.kind === 'signed' ? opened : null;
  }

  #admitted(value: unknown): readonly string[] {
    const signed = this.#opened(value);
    if (signed === null) return ['no one signed what a worker let pass'];
    if (signed.statement.verb === 'rollBack') this.#back.add(String(member(value, 'payload')));
    const about = { cluster: null, fleet: this.#fleet };
    const judged = authoriseSigner(signed, about, this.#rests?.by.name ?? null);
    return judged.kind === 'authorised' ? [] : [judged.why];
  }

  /** A cluster that is started by an order to roll it back needs no more than that. */
  #started({ row, signed }: RecordedStart): readonly string[] {
    if (this.#rests === null || this.#back.has(signed)) return [];
    const name = this.#begin?.names[row] ?? '';
    const about = { cluster: { name, labels: new Map<string, string>() }, fleet: this.#fleet };
    const judged = authoriseSigner(this.#rests, about, null);
    if (judged.kind === 'authorised') return [];
    const by = everyLabel(this.#rests.by, name);
    const labelled = authoriseSigner({ ...this.#rests, by }, about, null);
    const why = `${name}: ${judged.why}`;
    return [labelled.kind === 'authorised' ? `${why}, ${byLabels(name)}` : why];
  }
}

/** The command, or the new plan, as its sender signed it. */
function envelopeIn({
  of,
  asked,
}: Extract<RecordedFleetEvent, { readonly kind: 'admission' }>): unknown {
  return of === 'command'
    ? member(member(asked, 'command'), 'signed')
    : member(member(asked, 'signed'), 'statement');
}
