import type { RunSettings } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/loaded-inventories.js';
import type { MigrationPlan } from '../../config/outputs/migration-plan.js';
import { forbidsStart } from '../../domain/preflight/preflight.js';
import type { Cli } from '../cli.js';
import { confirm } from '../confirm.js';
import { isText, printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { CliError } from '../cli-error.js';
import { counted } from '../terminal/wording.js';
import { planSummary, planText, shortDigest } from './plan-text.js';

/** A valid plan, with the input that its run starts with. */
export interface Ready {
  readonly plan: MigrationPlan;
  readonly cluster: InventoryCluster;
  readonly fleet: RunSettings;
  /** As given with -f from here. */
  readonly files: readonly string[];
  /** Lines on what it means for a cluster in mid-migration; absent for a plan from files. */
  readonly effect?: readonly string[];
}

/**
 * Shows a summary of a plan and asks whether to start it, unless it was agreed on before; `empty` when there is nothing
 * to do.
 * @throws CliError when preflight, missing node access or the plan's own end forbid it.
 */
export async function agreedPlan(
  cli: Cli,
  ready: Ready,
  state: 'asked' | 'agreedOn' = 'asked',
): Promise<'agreed' | 'declined' | 'empty'> {
  const { plan } = ready;
  refuseWithoutNodes(ready.cluster);
  refuseBlocked(plan, ready.fleet.policy);
  show(cli, ready);
  if (plan.steps.length === 0) return 'empty';
  if (state === 'agreedOn') return 'agreed';
  const what = `apply ${shortDigest(plan.digest)} to ${plan.cluster.name}: ${counted(plan.steps.length, 'step')}, target ${plan.target.toUpperCase()}`;
  return (await confirm(cli, { tier: 'simple', what, name: plan.cluster.name }))
    ? 'agreed'
    : 'declined';
}

/** The end of a command that had nothing to do, said where programs read: no document would be no answer. */
export function nothingToDo(cli: Cli, verb: string, { plan }: Pick<Ready, 'plan'>): ExitStatus {
  if (!isText(cli)) {
    printDocument(cli, 'CommandResult', {
      ...{ cluster: plan.cluster.name, verb, commandId: '', state: 'nothingToDo' },
      detail: `the plan has no steps: the target is ${plan.target.toUpperCase()} already`,
    });
  }
  return 'reached';
}

/** Without a terminal there is no reader: the plan is in the file, or asked for with `--full`. */
function show(cli: Cli, { plan, effect = [] }: Ready): void {
  if (!isText(cli)) return;
  if (plan.steps.length > 0 && !cli.options.flag('yes'))
    for (const line of effect) cli.terminal.err(`${line}\n`);
  if (cli.options.flag('full')) cli.terminal.err(planText(plan, cli.theme, true));
  else if (cli.terminal.canAsk || cli.terminal.outIsScreen || plan.steps.length === 0)
    cli.terminal.err(planSummary(plan, cli.theme));
}

export function refuseWithoutNodes({ name, nodeAccess }: InventoryCluster): void {
  if (nodeAccess.kind !== 'none') return;
  throw new CliError('CCM4002', `${name}: no change is allowed without access to its nodes`);
}

/** What preflight forbids, unless the policy waives it for exactly this state of the cluster. */
function refuseBlocked(plan: MigrationPlan, { waivers }: RunSettings['policy']): void {
  const forbidden = forbidsStart(plan.findings, waivers, plan.observationDigest);
  const [first] = [...plan.ending.findings, ...forbidden];
  if (first === undefined && plan.ending.kind === 'done') return;
  throw new CliError(
    first === undefined ? 'CCM4013' : 'CCM4107',
    `${plan.cluster.name}: ${first?.code ?? ''} ${first?.seen ?? 'the plan has no end'}`,
    {
      exitStatus: 'checksFailed',
      ...(first === undefined ? {} : { why: first.why, fix: first.fix }),
      state: 'nothing was changed',
    },
  );
}
