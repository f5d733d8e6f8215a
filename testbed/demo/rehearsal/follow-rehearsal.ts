import type { Cli } from '../../../cli/cli.js';
import { progressLine } from '../fleet/fleet-lines.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import { fleetReports, isOver } from '../fleet/followed-fleet.js';
import { clock } from '../fleet/run-fleet-demo.js';
import { runCommand } from '../fleet/typed-commands.js';
import { answersTo, isStuck, needKey } from './rehearsal-answers.js';

export interface FollowedRehearsal {
  readonly fleet: string;
  /** How many must approve each wave, by its name. */
  readonly quorums: ReadonlyMap<string, number>;
  /** `--state-dir FOLDER`, for commands. */
  readonly server: readonly string[];
}

const DEADLINE_MS = 60 * 60_000;
/** A report may be from before the answer to what it asks. */
const STUCK_FOR_MS = 20_000;

/**
 * Shows a fleet and answers for its people until it is over, or until nothing goes on without others. Null when it was
 * interrupted, or did not end in time.
 */
export async function followRehearsal(
  cli: Cli,
  { fleet, quorums, server }: FollowedRehearsal,
): Promise<FleetReport | null> {
  const beganAtMs = Date.now();
  const tell = (line: string): void => cli.terminal.err(`${clock(beganAtMs)}  ${line}\n`);
  const signal = AbortSignal.any([cli.signal, AbortSignal.timeout(DEADLINE_MS)]);
  const answered = new Set<string>();
  let [shown, movedAtMs] = ['', Date.now()];
  for await (const report of fleetReports(cli, ['status', fleet, ...server], signal)) {
    const line = progressLine(report);
    if (line !== shown) tell(line);
    shown = line;
    if (isOver(report)) return report;
    forgetEnded(answered, report);
    for (const { need, words, told } of answersTo(report, answered, { fleet, quorums })) {
      const because = ['--reason', 'rehearsal', '--yes', ...server];
      const { code, stderr } = await runCommand(cli, [...words, ...because]);
      tell(code === 0 ? told : `${told} · not accepted: ${stderr.trim()}`);
      answered.add(need);
    }
    if (!isStuck(report, answered)) movedAtMs = Date.now();
    if (Date.now() - movedAtMs > STUCK_FOR_MS) return report;
  }
  return null;
}

/** What is asked again later is answered again. */
function forgetEnded(answered: Set<string>, { needs }: FleetReport): void {
  const open = new Set(needs.map(needKey));
  for (const each of answered) if (!open.has(each)) answered.delete(each);
}
