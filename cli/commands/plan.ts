import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { canonicalJson } from '../../domain/digest.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { clusterToMigrate, chosenTarget, makePlan } from '../plan/make-plan.js';
import { pathFrom } from '../plan/plan-document.js';
import { nextLine, planText } from '../plan/plan-text.js';

/** `plan`: every step with its exact changes. Changes nothing. */
export async function plan(cli: Cli): Promise<ExitStatus> {
  const chosen = await clusterToMigrate(cli);
  const out = cli.options.text('out');
  const folder = out === null ? '.' : dirname(out);
  const inspected = await makePlan({
    ...chosen,
    ...{ target: chosenTarget(cli), signal: cli.signal, folder },
  });
  const files = cli.options.texts('file').map((file) => pathFrom(folder, file));
  const made = { ...inspected, files };
  if (out !== null) await writeFile(out, `${canonicalJson(made)}\n`, { mode: 0o600 });
  if (isText(cli))
    cli.terminal.out(
      `${planText(made, cli.theme, cli.options.flag('full'))}${nextLine(made, out, cli.options)}\n`,
    );
  else printDocument(cli, 'MigrationPlan', { ...made });
  if (made.ending.kind !== 'done') return 'checksFailed';
  return cli.options.flag('detailedExitcode') && made.steps.length > 0 ? 'changes' : 'reached';
}
