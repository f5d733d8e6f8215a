import type { Fleet } from '../../config/fleet.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { checkMembers } from '../plan/check-members.js';
import { codesChosen, isClear } from '../plan/check-choice.js';
import { fleetCheckOf, type FleetCheck } from '../plan/fleet-check.js';
import { fleetCheckText } from '../plan/fleet-check-text.js';
import type { FoundAt } from '../plan/finding-groups.js';
import { repeatedFindings, servingFindings } from '../plan/fleet-findings.js';
import { withTemporal } from '../runs/connection.js';
import { servedFleet } from '../runs/queue-pollers.js';
import { sameCluster, serverCommand, typedCommand } from '../typed-command.js';

/** `check` of many clusters: each preflight, and what only shows in all of them together. */
export async function checkFleet(cli: Cli, fleet: Fleet): Promise<ExitStatus> {
  const [members, serving] = await Promise.all([checkMembers(cli, fleet), askServer(cli, fleet)]);
  const read = members.flatMap((member) => (member.kind === 'read' ? [member] : []));
  const check = fleetCheckOf(fleet, members, {
    ofFleet: [...repeatedFindings(read), ...serving.found],
    notChecked: serving.notChecked,
    isChosen: codesChosen(cli.options),
  });
  if (isText(cli)) cli.terminal.out(fleetCheckText(check, nextCommand(cli, check), cli.theme));
  else printDocument(cli, 'FleetCheckReport', { ...check });
  // Independent of --only and --skip: what was not read is not known to be in order.
  const isWhole =
    check.unread.length === 0 && check.clusters.every(({ notChecked }) => notChecked.length === 0);
  return isClear(cli.options, check.findings) && isWhole ? 'reached' : 'checksFailed';
}

/** A check needs no Temporal: without an answer it says what it could not ask. */
async function askServer(
  cli: Cli,
  fleet: Fleet,
): Promise<{ readonly found: readonly FoundAt[]; readonly notChecked: readonly string[] }> {
  const regions = [...new Set(fleet.clusters.map(({ region }) => region))];
  try {
    const served = await withTemporal(cli, async (client) => servedFleet(client, regions));
    const { slotsUnknown } = served;
    return {
      found: servingFindings(fleet, served),
      notChecked:
        slotsUnknown.length === 0
          ? []
          : [`guard slots of region ${slotsUnknown.join(', ')}: not every worker says its own`],
    };
  } catch (error) {
    cli.signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return { found: [], notChecked: [`whether workers serve the fleet and its regions: ${why}`] };
  }
}

/** What blocks the most clusters is explained first; then a cluster that cannot be read is looked at alone. */
function nextCommand({ options }: Cli, { findings, unread, clusters }: FleetCheck): string {
  const first = findings.find(({ severity, code }) => severity === 'error' && code !== 'CCM1210');
  if (first !== undefined) return typedCommand(['explain', first.code]);
  const [lost] = unread;
  // The others can be planned without it.
  if (lost !== undefined && unread.length === clusters.length) {
    return serverCommand(['check', ...sameCluster(options), '--cluster', lost.name], options);
  }
  return typedCommand(['plan', ...sameCluster(options), '--out', 'plan.json']);
}
