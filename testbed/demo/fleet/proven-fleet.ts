import { join } from 'node:path';
import { accessFilesIn } from '../../../cli/authority/own-access.js';
import type { Cli } from '../../../cli/cli.js';
import type { DemoLayout } from '../layout.js';
import { FLEET_STORY as STORY } from './fleet-story.js';
import { runCommand, showCommand, shownCommand } from './typed-commands.js';

/** What an auditor is told of the fleet, from its export alone. */
export interface FleetProof {
  /** Every check passes. */
  readonly isProven: boolean;
  /** What `audit verify` says of who signed and who approved; all of it where it is not proven. */
  readonly said: readonly string[];
}

/** Exports the fleet and verifies the export, as an auditor does. */
export async function provenFleet(
  cli: Cli,
  { root, access }: Pick<DemoLayout, 'root' | 'access'>,
  server: readonly string[],
): Promise<FleetProof> {
  const file = join(root, 'fleet-audit.json');
  await showCommand(cli, ['audit', 'export', STORY.fleet, '--out', file, ...server]);
  const words = ['audit', 'verify', file, '--trust', accessFilesIn(access).accessPolicy];
  cli.terminal.err(`\n$ ${shownCommand(...words)}\n`);
  const { code, stdout, stderr } = await runCommand(cli, words);
  cli.terminal.err(`${stdout}${stderr}\n`);
  const lines = stdout.split('\n').filter((line) => line !== '');
  const isProven = code === 0;
  return { isProven, said: isProven ? lines.flatMap(toldOf) : [...lines, stderr.trim()] };
}

function toldOf(line: string): readonly string[] {
  return /(?:signatures|approvals): .*/.exec(line)?.slice(0, 1) ?? [];
}
