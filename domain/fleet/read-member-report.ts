import type { MemberReport, ReportKind } from './fleet-events.js';
import { BACK, FORWARD } from './fleet-plan.js';
import { REVERSIBILITIES } from './fleet-state.js';
import { fieldsOf, readCount, readFlag, readOneOf, readText, whenAll } from './read-fields.js';

/** A member's report as sent; null when it is none. A lost report is found by the next sweep. */
export function readMemberReport(value: unknown): MemberReport | null {
  const given = fieldsOf(value);
  return whenAll({
    fleetRun: readText(given['fleetRun']),
    row: readCount(given['row']),
    grant: readCount(given['grant']),
    sequence: readCount(given['sequence']),
    what: readKind(given['what']),
  });
}

const KINDS = ['soaking', 'held', 'parked', 'ready', 'turned', 'ended'] as const;
const OUTCOMES = ['proven', 'failed', 'back', 'stopped', 'refused', 'drifted', 'busy'] as const;
const TARGETS = [FORWARD, BACK];

function readKind(value: unknown): ReportKind | null {
  const given = fieldsOf(value);
  const kind = readOneOf(KINDS, given['kind']);
  const { signature: said } = given;
  const common = {
    changed: readFlag(given['changed']),
    signature: typeof said === 'string' ? said : null,
    reversibility: readOneOf(REVERSIBILITIES, given['reversibility']),
  };
  switch (kind) {
    case null:
      return null;
    case 'held':
      return whenAll({ kind, ...common, heals: readFlag(given['heals']) });
    case 'turned': {
      const target = readOneOf(TARGETS, given['target']);
      return whenAll({ kind, ...common, target, byPerson: readFlag(given['byPerson']) });
    }
    case 'ended': {
      const outcome = readOneOf(OUTCOMES, given['outcome']);
      return whenAll({ kind, ...common, outcome, asked: readFlag(given['asked']) });
    }
    case 'soaking':
    case 'parked':
    case 'ready':
      return { kind };
  }
}
