import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { API_VERSION } from '../../config/kinds/envelope.js';
import { viewFleet } from '../../domain/fleet/fleet-view.js';
import type { FleetState } from '../../domain/fleet/fleet-state.js';
import { oneLine, plainJson } from '../../domain/findings/plain-text.js';
import type { Cli } from '../cli.js';
import { isText, screen, startStream } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { fleetForecaster } from '../fleets/fleet-forecaster.js';
import { viewForPeople, type FleetRunView } from '../fleets/fleet-run.js';
import { fleetStatusDocument } from '../fleets/fleet-status.js';
import { FLEET_LINES, fleetScreen, standingWord } from './fleet-screen.js';
import { phasesText } from '../terminal/fleet-wording.js';
import { createPainter } from './painter.js';
import { sameServer } from '../typed-command.js';
import { noFleet } from '../runs/find-run.js';
import { patientReads } from '../runs/patient-reads.js';

/** A query replays a fleet where its worker has forgotten it, so that it is asked less often than a run. */
const FLEET_POLL_MS = 2_000;

/** Watches a fleet until it ends, or until nothing goes on without a person. */
export async function followFleet(
  cli: Cli,
  client: Client,
  fleet: string,
  deadlineMs: number | null,
): Promise<{ readonly exitStatus: ExitStatus; readonly run: FleetRunView }> {
  const show = cli.output === 'jsonl' ? records(cli) : isText(cli) ? people(cli) : () => undefined;
  const observed = fleetReads(cli, client, fleet);
  for (;;) {
    const run = await observed();
    show(run);
    const exitStatus = fleetExitStatus(run);
    if (exitStatus !== null) return { exitStatus, run };
    if (cli.signal.aborted) return { exitStatus: 'interrupted', run };
    if (deadlineMs !== null && Date.now() >= deadlineMs) return { exitStatus: 'timedOut', run };
    await sleep(FLEET_POLL_MS, undefined, { signal: cli.signal }).catch(() => undefined);
  }
}

/** What is read at each observation; a server that is away is waited for. */
function fleetReads(cli: Cli, client: Client, fleet: string): () => Promise<FleetRunView> {
  const forecast = fleetForecaster(client);
  const read = async (): Promise<FleetRunView> => {
    const seen = await viewForPeople(client, fleet);
    if (seen === null) throw await noFleet(client, fleet);
    return forecast(seen);
  };
  return patientReads(cli, read, (last, silence) => ({
    ...last,
    ...{ state: null, silence, visible: null, forecast: null },
  }));
}

/** How a watch ends with this observation; null while there is more to wait for. */
export function fleetExitStatus({ execution, state, fleet }: FleetRunView): ExitStatus | null {
  if (execution !== 'running' && execution !== 'completed') return 'halted';
  if (execution === 'running') {
    return state !== null && viewFleet(state, fleet).standing === 'held' ? 'halted' : null;
  }
  // It has ended; how its clusters did, only a worker can tell.
  return state === null ? 'inconclusive' : endedStatus(state.rows);
}

/** A fleet reached what was asked for where each of its clusters did, but for those that a person left out. */
function endedStatus(rows: FleetState['rows']): ExitStatus {
  const left = rows.filter(({ phase, cause }) => phase !== 'proven' && cause !== 'person');
  const isBack = ({ phase, cause }: (typeof left)[number]): boolean =>
    phase === 'back' || (phase === 'skipped' && cause === 'rollback');
  if (left.some((row) => !isBack(row))) return 'halted';
  return left.length > 0 ? 'rolledBack' : 'reached';
}

function people(cli: Cli): (run: FleetRunView) => void {
  const { width = Infinity } = screen(cli);
  const server = sameServer(cli.options);
  if (cli.terminal.outIsScreen) {
    const painter = createPainter(cli.terminal);
    return (run) => {
      const height = Math.min(FLEET_LINES, cli.terminal.height() - 1);
      painter.paint(fleetScreen({ run, server, nowMs: Date.now(), width, height }, cli.theme));
    };
  }
  let before = '';
  return (run) => {
    const line = logLine(run);
    if (line !== before) cli.terminal.out(`${new Date().toISOString()} ${line}\n`);
    before = line;
  };
}

/** One line for each change: standing, phases, and what needs a person. */
export function logLine(run: FleetRunView): string {
  const { state, fleet } = run;
  const word = `${fleet} ${standingWord(run)}`;
  if (state === null) return word;
  const needs = viewFleet(state, fleet).needs.map(({ subject, why }) => `${subject}: ${why}`);
  return oneLine([word, phasesText(state.rows), ...needs].join(' · '));
}

function records(cli: Cli): (run: FleetRunView) => void {
  startStream(cli);
  let before = '';
  return (run) => {
    const content = fleetStatusDocument(run, Date.now(), sameServer(cli.options));
    const text = plainJson({ apiVersion: API_VERSION, kind: 'FleetStatus', ...content });
    if (text !== before) cli.terminal.out(`${text}\n`);
    before = text;
  };
}
