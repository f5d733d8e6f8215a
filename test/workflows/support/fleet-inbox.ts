import { randomUUID } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { FLEET_MIGRATION, MESSAGES, fleetWorkflowId } from '../../../config/names.js';
import type { MemberReport } from '../../../domain/fleet/fleet-events.js';
import type { MemberMessage, MemberOrder, Membership } from '../../../domain/run/membership.js';
import { orderSignal } from '../../../workflows/messages.js';
import { eventually, type MigrationHandle, type MigrationLab } from './migration-run.js';

/** A fleet that only receives: no worker serves it, so that its history is what its members sent, in order. */
export interface FleetInbox {
  readonly member: Membership;
  readonly reports: () => Promise<readonly MemberReport[]>;
  /** What has been reported as soon as it is so much. */
  readonly kinds: (count: number) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

export async function openInbox(
  { environment }: Pick<MigrationLab, 'environment'>,
  name = randomUUID(),
): Promise<FleetInbox> {
  const handle = await environment.client.workflow.start(FLEET_MIGRATION, {
    workflowId: fleetWorkflowId(name),
    taskQueue: `unserved-${name}`,
    args: [],
  });
  const { workflowId, firstExecutionRunId: fleetRun } = handle;
  const reports = async (): Promise<readonly MemberReport[]> => {
    const { events } = await handle.fetchHistory();
    return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => {
      const [payload] = signal?.input?.payloads ?? [];
      if (signal?.signalName !== MESSAGES.report || payload === undefined) return [];
      return [defaultPayloadConverter.fromPayload<MemberReport>(payload)];
    });
  };
  return {
    member: { fleetWorkflowId: workflowId, fleetRun, row: 7, grant: 1 },
    reports,
    kinds: async (count) => {
      const sent = await eventually(reports, ({ length }) => length >= count);
      return sent.map(({ what }) => what.kind);
    },
    close: async () => {
      await handle.terminate();
    },
  };
}

/** Sends an order of the fleet. */
export async function instruct(
  handle: MigrationHandle,
  { fleetRun, row, grant }: Membership,
  order: MemberOrder,
  changes: Partial<MemberMessage> = {},
): Promise<void> {
  await handle.signal(orderSignal, { fleetRun, row, grant, order, ...changes });
}
