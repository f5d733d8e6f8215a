import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER } from '../../../config/data-converter.js';
import { FLEET_MIGRATION, fleetNameIn } from '../../../config/names.js';
import { FleetAuditExport } from '../../../config/outputs/fleet-audit-export.js';
import { member, parseJson } from '../../read-json.js';
import { expandsTooFar } from '../expanded-size.js';
import { FLEETS } from '../export-ended.js';
import { executionsOf, readable } from '../export-run.js';
import { type FolderExports, folderExports } from '../folder-exports.js';
import { decoded, firstPayload, startAttributes, textIn } from '../history-facts.js';
import {
  type FromList,
  listedExecutions,
  listedStatus,
  listedTicket,
  type NotRead,
  READ_ALL,
} from '../listed-executions.js';
import { type RunEnd, runEnd } from '../run-span.js';

/** A run of a fleet with what an auditor asks first. Empty texts are unknown. Times in epoch ms. */
export interface AuditedFleet extends RunEnd {
  readonly workflowId: string;
  /** Of its first execution. */
  readonly runId: string;
  readonly fleet: string;
  /** As claimed. */
  readonly actor: string;
  readonly reason: string;
  readonly listed: boolean;
  readonly exported: boolean;
  /** Of its export; empty without one. */
  readonly file: string;
}

export interface ReadFleetExport {
  readonly fleet: AuditedFleet;
  readonly text: string;
  /** Of all its executions. */
  readonly executions: readonly string[];
}

/** The exports of fleets in a folder of exports, and the files that are none; empty where it has no fleets. */
export async function exportedFleets(folder: string): Promise<FolderExports<ReadFleetExport>> {
  const own = join(folder, FLEETS);
  const names = await readdir(own).catch(() => []);
  return folderExports(own, names, async (file, text) => {
    const parsed = FleetAuditExport.safeParse(parseJson(text));
    if (!parsed.success || expandsTooFar(parsed.data))
      throw new Error('it is not an export of a fleet');
    return exportedFleet(file, text, parsed.data);
  });
}

/** The fleet of one export. */
export async function exportedFleet(
  file: string,
  text: string,
  { workflowId, runId, fleet, executions }: FleetAuditExport,
): Promise<ReadFleetExport> {
  const facts = await factsOf(executions, '');
  return {
    fleet: { ...facts, workflowId, runId, fleet, listed: false, exported: true, file },
    text,
    executions: executions.map((each) => each.runId),
  };
}

type Facts = Omit<AuditedFleet, 'workflowId' | 'runId' | 'fleet' | 'listed' | 'exported' | 'file'>;

/** `status`: how the server calls its end, for one that reported none. */
async function factsOf(
  executions: readonly { readonly history: unknown }[],
  status: string,
): Promise<Facts> {
  const converter = loadDataConverter(DATA_CONVERTER);
  const payload = firstPayload(member(startAttributes(executions[0]?.history), 'input'));
  const input = payload === undefined ? undefined : (await decoded(payload, converter))?.value;
  return {
    ...{ actor: textIn(input, 'actor'), reason: textIn(input, 'reason') },
    ...(await runEnd(executions, converter, status)),
  };
}

/** All fleets that the server lists, with those that exports have already told of. */
export async function fleetsOnRecord(
  client: Client,
  exports: readonly ReadFleetExport[],
  reading = READ_ALL,
): Promise<NotRead & { readonly fleets: readonly AuditedFleet[] }> {
  const known = new Map(
    exports.flatMap((each) => each.executions.map((id) => [id, each.fleet] as const)),
  );
  const found = new Map(exports.map(({ fleet }) => [fleet.runId, fleet]));
  const query = `WorkflowType='${FLEET_MIGRATION}' AND ExecutionStatus!='ContinuedAsNew'`;
  const unreadable: string[] = [];
  const from: FromList<AuditedFleet> = {
    read: async (listed) => {
      const executions = await readable(executionsOf(client, listed));
      if (typeof executions !== 'string') return listedFleet(listed, executions);
      unreadable.push(executions);
      return unreadFleet(listed);
    },
    unread: (listed) => ({
      ...unreadFleet(listed),
      ...{ outcome: listedStatus(listed), ticket: listedTicket(listed) },
    }),
  };
  const { told, unread } = await listedExecutions(client, { query, known }, from, reading);
  for (const fleet of told) found.set(fleet.runId, { ...fleet, listed: true });
  const fleets = [...found.values()].sort((a, b) => a.startedAtMs - b.startedAtMs);
  return { fleets, unread, unreadable };
}

async function listedFleet(
  listed: WorkflowExecutionInfo,
  executions: Awaited<ReturnType<typeof executionsOf>>,
): Promise<AuditedFleet> {
  const facts = await factsOf(executions, listed.status.name.toLowerCase());
  return { ...unreadFleet(listed), ...facts, runId: executions[0].runId };
}

/** As far as the list tells of it. */
function unreadFleet({
  workflowId,
  runId,
  startTime,
  closeTime,
}: WorkflowExecutionInfo): AuditedFleet {
  return {
    ...{ workflowId, runId, fleet: fleetNameIn(workflowId), file: '' },
    ...{ actor: '', reason: '', ticket: '', outcome: 'unreadable' },
    ...{ startedAtMs: startTime.getTime(), endedAtMs: closeTime?.getTime() ?? null },
    ...{ listed: true, exported: false },
  };
}
