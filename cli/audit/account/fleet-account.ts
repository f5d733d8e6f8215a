import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER } from '../../../config/data-converter.js';
import type { FleetAccount } from '../../../config/outputs/account-document.js';
import type { FleetAuditExport } from '../../../config/outputs/fleet-audit-export.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import { fieldsOf, readCount } from '../../../domain/fleet/read-fields.js';
import { member } from '../../read-json.js';
import { counted } from '../../terminal/wording.js';
import type { FleetBegin } from '../fleet/fleet-begin.js';
import type { AuditedFleet } from '../fleet/fleets-on-record.js';
import { beginsIn, type RecordedFleetEvent, recordedFleet } from '../fleet/recorded-fleet.js';
import { reportedOutcome } from '../history-facts.js';
import { isoTime } from '../run-span.js';
import { commandAnswers } from './command-answers.js';
import { decodedRun } from './decoded-run.js';
import { fleetRequests } from './fleet-requests.js';
import { inOrder } from './in-order.js';

/** What an account of a fleet is made of. */
export interface FleetSources {
  readonly content: FleetAuditExport;
  readonly fleet: AuditedFleet;
  readonly trust: AccessPolicy | null;
}

/** Who asked for a fleet, approved its waves and gave it commands, and what it started then; as `accountOfRun` for a run. */
export async function accountOfFleet({
  content,
  fleet,
  trust,
}: FleetSources): Promise<FleetAccount> {
  const converter = loadDataConverter(DATA_CONVERTER);
  const histories = content.executions.map(({ history }) => history);
  const told = await decodedRun(histories, converter);
  const read = await recordedFleet(histories, converter);
  const records = read.kind === 'read' ? read.events : [];
  const begins = beginsIn(records);
  const answers = await commandAnswers(histories, converter);
  const last = begins.at(-1);
  const starts = startsIn(records);
  const { file, workflowId, runId, outcome, ticket } = fleet;
  return {
    ...{ file, workflowId, runId, fleet: fleet.fleet, outcome, ticket },
    counts: await countsAtEnd(histories.at(-1), converter),
    ...{ startedAt: isoTime(fleet.startedAtMs), endedAt: isoTime(fleet.endedAtMs) },
    ...{ plan: last?.planDigest ?? '', revision: last?.revision ?? 0 },
    waves: last === undefined ? [] : wavesOf(last, starts),
    requests: inOrder(fleetRequests(told, { begins, trust, answers })),
    starts,
    unread: [
      ...(told.unreadable === 0
        ? []
        : [`not read: ${counted(told.unreadable, 'payload')} of the history`]),
      ...(read.kind === 'read' ? [] : [`not read: ${read.why}`]),
    ],
  };
}

async function countsAtEnd(
  history: unknown,
  converter: ReturnType<typeof loadDataConverter>,
): Promise<FleetAccount['counts']> {
  const reported = await reportedOutcome(history, converter);
  const counts = reported.kind === 'reported' ? member(reported.outcome, 'counts') : undefined;
  return Object.fromEntries(
    Object.entries(fieldsOf(counts)).map(([phase, count]) => [phase, readCount(count) ?? 0]),
  );
}

function startsIn(records: readonly RecordedFleetEvent[]): FleetAccount['starts'] {
  let begin: FleetBegin | null = null;
  return records.flatMap((record) => {
    if (record.kind === 'begins') begin = record.begin;
    if (record.kind !== 'starts' || begin === null) return [];
    const { names, waves, waveOf } = begin;
    const groups = new Map<string, FleetAccount['starts'][number]>();
    for (const { row, target } of record.starts) {
      const wave = waves[waveOf[row] ?? -1]?.name ?? '';
      const key = `${target} ${wave}`;
      const group = groups.get(key) ?? { at: record.at, wave, target, clusters: [] };
      group.clusters.push(names[row] ?? `row ${String(row)}`);
      groups.set(key, group);
    }
    return [...groups.values()];
  });
}

function wavesOf(
  { waves, waveOf }: FleetBegin,
  starts: FleetAccount['starts'],
): FleetAccount['waves'] {
  const clusters = new Map<number, number>();
  for (const wave of waveOf) clusters.set(wave, (clusters.get(wave) ?? 0) + 1);
  const begun = new Map<string, string>();
  for (const { wave, target, at } of starts)
    if (target === 'ccm' && !begun.has(wave)) begun.set(wave, at);
  return waves.map(({ name, before }, index) => ({
    name,
    clusters: clusters.get(index) ?? 0,
    demanded: before,
    firstStartAt: begun.get(name) ?? '',
  }));
}
