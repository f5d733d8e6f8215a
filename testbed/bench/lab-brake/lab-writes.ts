import { USER_AGENTS } from '../../../config/names.js';
import type {
  EvidenceIntent,
  EvidenceOutcome,
  EvidenceRecord,
} from '../../../domain/evidence/record.js';
import type { ApiRequest } from '../../lab/truth/audit-entry.js';

/** One change of a cluster by a step. */
export interface LabWrite {
  /** Epoch ms: arrival of a request at the API server; of other changes the time at which the step had them. */
  readonly atMs: number;
  readonly step: string;
  readonly what: string;
}

const FENCE = '/leases/ccm-migrate';

/** Changes that no API server logs. */
const BESIDE_API: readonly EvidenceIntent['verb'][] = [
  'writeFile',
  'takeAway',
  'removeFile',
  'addMachine',
  'removeMachine',
  'restartKubelet',
  'endProcess',
];

const HAPPENED: readonly EvidenceOutcome['kind'][] = ['applied', 'foundApplied'];

/**
 * What the steps of a run changed, by time: requests by the API server's own audit log, changes of nodes and machines by the run's
 * evidence, whose outcomes are recorded after them.
 */
export function labWrites(
  requests: readonly ApiRequest[],
  records: readonly EvidenceRecord[],
): readonly LabWrite[] {
  const intents = records.flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent] : []));
  const byApi = requests.filter(isOfStep).map(({ atMs, path }) => ({
    ...{ atMs, step: stepAt(intents, atMs), what: `request to ${path.split('?', 1).join('')}` },
  }));
  const byNodes = records.flatMap(({ entry }) =>
    entry.kind === 'outcome' && HAPPENED.includes(entry.outcome.kind)
      ? intents
          .filter(({ id, verb }) => id === entry.intentId && BESIDE_API.includes(verb))
          .map(({ step, verb, object }) => ({
            ...{ atMs: Date.parse(entry.outcome.at), step, what: `${verb} ${object}` },
          }))
      : [],
  );
  return [...byApi, ...byNodes].toSorted((one, other) => one.atMs - other.atMs);
}

function isOfStep({ userAgent, mutating, path }: ApiRequest): boolean {
  return (
    mutating && userAgent === USER_AGENTS.steps && !path.split('?', 1).join('').endsWith(FENCE)
  );
}

/** The step whose intent was recorded last before the request: evidence comes before the write. */
function stepAt(intents: readonly EvidenceIntent[], atMs: number): string {
  return intents.findLast(({ at }) => Date.parse(at) <= atMs + CLOCK_MS)?.step ?? '';
}

/** Both times come from one machine; one of them is cut to whole milliseconds. */
const CLOCK_MS = 1;
