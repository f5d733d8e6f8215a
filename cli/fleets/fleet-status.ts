import type { FleetState } from '../../domain/fleet/fleet-state.js';
import type { NeedYou } from '../../domain/fleet/need-you.js';
import { viewFleet, type FleetView } from '../../domain/fleet/fleet-view.js';
import { standingText, waitText } from '../terminal/fleet-wording.js';
import { typedCommand } from '../typed-command.js';
import type { FleetRunView } from './fleet-run.js';

/** A fleet as `-o json` prints it: commands as they are typed, with the flags that name its server, reasons in words beside their kinds. */
export function fleetStatusDocument(
  run: FleetRunView,
  nowMs: number,
  server: readonly string[],
): Record<string, unknown> {
  const { state, files: _files, visible = null, forecast = null, ...known } = run;
  const status =
    state === null ? null : { ...statusOf(run.fleet, state, { nowMs, server }), forecast };
  return { ...known, visible, status };
}

function statusOf(
  fleet: string,
  state: FleetState,
  { nowMs, server }: { readonly nowMs: number; readonly server: readonly string[] },
): Record<string, unknown> {
  const view = viewFleet(state, fleet);
  const { requester, planDigest, revision, beganMs } = state;
  return {
    ...{ requester, planDigest, revision, beganMs, asOfMs: state.nowMs },
    standing: view.standing,
    counts: view.counts,
    needs: view.needs.map((need) => needDocument(need, server)),
    limits: view.limits,
    reversible: view.reversible,
    next: view.next,
    waves: view.waves.map(({ standing, ...wave }) => ({
      ...wave,
      ...{ standing: standing.kind, standingText: standingText(standing, nowMs) },
    })),
    groups: groupDocuments(view, state, nowMs),
  };
}

function needDocument(
  { command, others, ...need }: NeedYou,
  server: readonly string[],
): Record<string, unknown> {
  const typed = (words: readonly string[]): string => typedCommand([...words, ...server]);
  return { ...need, command: typed(command), others: others.map(typed) };
}

/** Groups of equal clusters, with what they wait for as a kind and in words. */
function groupDocuments(
  { groups }: Pick<FleetView, 'groups'>,
  { waves }: FleetState,
  nowMs: number,
): readonly Record<string, unknown>[] {
  return groups.map(({ waitsFor, wave, names, ...group }) => ({
    ...group,
    wave: waves[wave]?.name ?? '',
    waitsFor: waitsFor?.kind ?? null,
    waitText: waitsFor === null ? '' : waitText(waitsFor, nowMs),
    clusters: names,
  }));
}
