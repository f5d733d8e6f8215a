import { defineSearchAttributeKey } from '@temporalio/common';
import {
  condition,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { MESSAGES } from '../../../config/names.js';
import type { RunDirection } from '../../../activities/fleet/run-directory.js';
import type { ReportKind } from '../../../domain/fleet/fleet-events.js';
import type { MemberMessage } from '../../../domain/run/membership.js';
import { type ClusterMigrationInput, orderSignal } from '../../../workflows/messages.js';
import { OUTCOME } from '../../support/run-outcome.js';
import { reportSignal } from '../../../workflows/messages/fleet-messages.js';

export { fleetMigration } from '../../../workflows/fleet-migration.js';

/** Ends the change of a slow one. */
export const goOnSignal = defineSignal('goOn');

/** How many pauses are in force. */
export const brakesQuery = defineQuery<number>('brakes');

/** All that a fleet reads of a run's status. */
const statusDirection = defineQuery<RunDirection>(MESSAGES.status);

const PHASE = defineSearchAttributeKey('Phase', 'KEYWORD');

const CHANGE_MS = 300;
const SOAK_MS = 300;
const DONE = { changed: true, signature: '', asked: false, reversibility: 'yes' } as const;
const HELD = { changed: true, signature: 'CCM4008', reversibility: 'yes', heals: false } as const;

/**
 * A run as a fleet sees it: it reports and obeys, and does nothing else. Its name says how it behaves: `slow` changes until it
 * is told something else, `fails` is held until it is turned, `mute` never reports, `soaks` soaks
 * from its beginning until it is told to go on.
 */
export async function clusterMigration(input: ClusterMigrationInput): Promise<object> {
  const member = { ...input.member, sequence: 0 };
  const own = { target: input.target, stopped: false, goesOn: false, brakes: [] as string[] };
  const reports: ReportKind[] = [];
  setHandler(goOnSignal, () => {
    own.goesOn = true;
  });
  setHandler(brakesQuery, () => own.brakes.length);
  setHandler(statusDirection, () => ({
    ...{ fleet: input.fleet, target: own.target, planDigest: input.planDigest },
  }));
  setHandler(orderSignal, (message) => {
    if (message.order.kind === 'adopt' && member.fleetRun === undefined) {
      const { fleetRun, row, grant, order } = message;
      Object.assign(member, { fleetRun, row, grant, fleetWorkflowId: order.fleetWorkflowId });
      return;
    }
    if (message.fleetRun !== member.fleetRun || message.grant < (member.grant ?? 0)) return;
    if (message.grant > (member.grant ?? 0)) Object.assign(member, { sequence: 0 });
    Object.assign(member, { grant: message.grant });
    obey(own, message.order);
    if (message.order.kind === 'park') reports.push({ kind: 'parked' });
  });

  const report = async (what: ReportKind): Promise<void> => {
    const { fleetRun, row, grant, fleetWorkflowId } = member;
    if (input.cluster.name.includes('mute') || fleetWorkflowId === undefined) return;
    if (fleetRun === undefined || row === undefined || grant === undefined) return;
    member.sequence += 1;
    const { sequence } = member;
    await getExternalWorkflowHandle(fleetWorkflowId)
      .signal(reportSignal, { fleetRun, row, grant, sequence, what })
      .catch(() => undefined);
  };
  const isDone = (): boolean => own.stopped || own.target === 'kcm';
  const work = async (ms: number | null): Promise<void> => {
    for (;;) {
      if (ms === null) await condition(() => isDone() || own.goesOn || reports.length > 0);
      else await condition(isDone, ms);
      await condition(() => isDone() || own.brakes.length === 0);
      for (const what of reports.splice(0)) await report(what);
      if (isDone() || own.goesOn || ms !== null) return;
    }
  };
  const { name } = input.cluster;
  if (!isDone()) await work(changeMsOf(input));
  if (!isDone() && name.includes('fails')) {
    await report({ kind: 'held', ...HELD });
    await work(null);
  }
  if (!isDone()) {
    await report({ kind: 'soaking' });
    await work(soakMsOf(name));
  }
  const outcome = own.stopped ? 'stopped' : own.target === 'kcm' ? 'back' : 'proven';
  await report({ kind: 'ended', outcome, ...DONE });
  const kind = outcome === 'proven' ? 'done' : outcome === 'back' ? 'rolledBack' : 'stopped';
  return { ...OUTCOME, kind, target: own.target };
}

function changeMsOf({ cluster: { name }, ticket }: ClusterMigrationInput): number | null {
  if (name.includes('soaks')) return 1;
  return /slow|mute/.test(name + ticket) ? null : CHANGE_MS;
}

/** A long soak is in the search index, as that of a real run. */
function soakMsOf(name: string): number | null {
  if (!name.includes('soaks')) return SOAK_MS;
  upsertSearchAttributes([{ key: PHASE, value: 'soak' }]);
  return null;
}

interface Own {
  target: ClusterMigrationInput['target'];
  stopped: boolean;
  brakes: string[];
}

function obey(own: Own, order: MemberMessage['order']): void {
  if (order.kind === 'turn' || order.kind === 'grant') own.target = order.target;
  if (order.kind === 'withdraw') own.stopped = true;
  if (order.kind === 'brake') own.brakes.push(order.commandId);
  if (order.kind === 'release') own.brakes = own.brakes.filter((id) => id !== order.commandId);
}
