import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { fleetWorkflowId } from '../../../config/names.js';
import { decodeFleet } from '../../../domain/fleet/encoded-fleet.js';
import { hasEnded } from '../../../domain/fleet/fleet-rows.js';
import type { FleetState, Row } from '../../../domain/fleet/fleet-state.js';
import { fleetStateQuery } from '../../../workflows/messages/fleet-messages.js';
import { writeFleetFolder, zoneOf, type FleetOfRun } from './fleet-texts.js';
import type { ProductSetup } from './product-setup.js';
import { simulatedAccount, type SimulatedAccount } from './request-account.js';

/** A fleet that was planned and applied with the product's own command line. */
export interface RunningFleet {
  /** On this machine's clock, and on the simulator's. */
  readonly startedMs: number;
  readonly simulatedFromMs: number;
  /**
   * Reads its state every few seconds until `until` accepts one, or the time is over; whether it was accepted. Says on the way
   * what changes.
   */
  readonly follow: (until: (rows: readonly Row[]) => boolean, withinMs: number) => Promise<boolean>;
  /** What the simulator says of each of its clusters since it was applied. */
  readonly accounts: () => Promise<readonly SimulatedAccount[]>;
}

const READ_EVERY_MS = 5_000;

/** Plans a fleet, and applies it when `begin` has returned. */
export async function startRunningFleet(
  setup: ProductSetup,
  settings: FleetOfRun,
  report: (line: string) => void,
  begin: () => Promise<void> = () => Promise.resolve(),
): Promise<RunningFleet> {
  const { fleet, count } = settings;
  const folder = await writeFleetFolder(setup.folder, settings);
  const plan = join(setup.folder, `${fleet}-plan.json`);
  report(`planning ${count} clusters of fleet ${fleet}`);
  await setup.run('plan', '-f', folder, '-f', setup.inventory, '--out', plan);
  await begin();
  const simulatedFromMs = await simulatedNow(setup);
  const startedMs = Date.now();
  const asked = ['--actor', 'bench', '--reason', 'benchmark', '--yes'];
  await setup.run('apply', plan, ...asked, '--state-dir', join(setup.folder, '..'));
  const handle = setup.client.workflow.getHandle(fleetWorkflowId(fleet));
  return {
    ...{ startedMs, simulatedFromMs },
    follow: (until, withinMs) => followRows(handle, until, { withinMs, fleet, report }),
    accounts: () => accountsOfFleet(setup, fleet, simulatedFromMs),
  };
}

export function allEnded(rows: readonly Row[]): boolean {
  return rows.every(hasEnded);
}

/** All simulated clusters have one clock. */
export async function simulatedNow({ controls }: ProductSetup): Promise<number> {
  const [control] = controls.values();
  if (control === undefined) throw new Error('the simulator has no cluster');
  return (await control.truth()).nowMs;
}

interface Following {
  readonly fleet: string;
  readonly withinMs: number;
  readonly report: (line: string) => void;
}

async function followRows(
  handle: WorkflowHandle,
  until: (rows: readonly Row[]) => boolean,
  { fleet, withinMs, report }: Following,
): Promise<boolean> {
  const deadlineMs = Date.now() + withinMs;
  let told = '';
  while (Date.now() < deadlineMs) {
    const rows = (await readState(handle))?.rows;
    if (rows !== undefined) {
      const text = `${fleet}: ${phaseCounts(rows)}`;
      if (text !== told) report(text);
      told = text;
      if (until(rows)) return true;
    }
    await sleep(Math.min(READ_EVERY_MS, Math.max(0, deadlineMs - Date.now())));
  }
  return false;
}

/** Null while server or worker do not answer. */
async function readState(handle: WorkflowHandle): Promise<FleetState | null> {
  return handle.query(fleetStateQuery).then(decodeFleet, () => null);
}

function phaseCounts(rows: readonly Row[]): string {
  const counts = new Map<string, number>();
  for (const { phase } of rows) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  return [...counts].map(([phase, number]) => `${number} ${phase}`).join(', ');
}

/** One after the other: together their journals are large. */
async function accountsOfFleet(
  { controls }: ProductSetup,
  fleet: string,
  sinceMs: number,
): Promise<readonly SimulatedAccount[]> {
  const accounts: SimulatedAccount[] = [];
  for (const [name, control] of controls) {
    if (!name.startsWith(`${fleet}-z`)) continue;
    const [journal, truth] = [await control.journal(0), await control.truth()];
    const cluster = { name, region: '', zone: zoneOf(name) };
    accounts.push(simulatedAccount(cluster, journal, truth, sinceMs));
  }
  return accounts;
}
