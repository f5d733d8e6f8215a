import type { MigrationPlan } from '../../config/outputs/plan.js';
import { blocksRun } from '../../domain/preflight/preflight.js';
import type { Fleet } from '../../config/fleet.js';
import type { InventoryCluster } from '../../config/inventory.js';
import type { Finding } from '../../domain/finding.js';
import type { Cli } from '../cli.js';
import { confirm } from '../confirm.js';
import type { Ending } from '../endings.js';
import { chosenCluster, chosenTarget } from '../plan/chosen-cluster.js';
import { makePlan } from '../plan/make-plan.js';
import { planText, shortDigest } from '../plan/plan-text.js';
import { renewedPlan } from '../plan/renewed-plan.js';
import { isText, printDocument } from '../print.js';
import { Refusal, WrongUsage } from '../refusal.js';
import { attribution } from '../runs/actor.js';
import { withTemporal } from '../runs/connection.js';
import { followRun } from '../runs/follow-run.js';
import { startRun } from '../runs/start-run.js';

interface Ready {
  readonly plan: MigrationPlan;
  readonly cluster: InventoryCluster;
  readonly fleet: Pick<Fleet, 'name' | 'policy' | 'timings' | 'materials'>;
}

/** `apply`: starts the migration of one cluster by a plan that holds now. */
export async function apply(cli: Cli): Promise<Ending> {
  const who = attribution(cli);
  const ready = await readyPlan(cli);
  refuseWithoutNodes(ready.cluster);
  refuseBlocked(ready.plan, ready.fleet.policy);
  const { plan } = ready;
  if (isText(cli)) cli.terminal.err(planText(plan, cli.theme, false));
  if (plan.steps.length === 0) return 'reached';
  const what = `apply ${shortDigest(plan.digest)} to ${plan.cluster.name}: ${String(plan.steps.length)} steps toward ${plan.target}`;
  if (!(await confirm(cli, { tier: 'simple', what, name: plan.cluster.name }))) {
    cli.terminal.err('nothing was changed\n');
    return 'refused';
  }
  return withTemporal(cli, async (client) => {
    const { name, policy, timings, materials } = ready.fleet;
    const takeOver = cli.options.flag('takeOver') ? { takeOver: { reason: who.reason } } : {};
    const started = await startRun(client, {
      cluster: { name: plan.cluster.name, uid: plan.cluster.uid },
      ...{ region: plan.cluster.region, fleet: name, wave: '', target: plan.target },
      ...{ policy, materials, timings, planDigest: plan.digest },
      ...who,
      ...takeOver,
    });
    return cli.options.flag('watch')
      ? follow(cli, client, started.workflowId)
      : detach(cli, plan, started);
  });
}

/** The plan to apply: a saved one that still holds, or a new one from files. */
async function readyPlan(cli: Cli): Promise<Ready> {
  const [path] = cli.arguments;
  if (path !== undefined) return renewedPlan(path, cli.signal);
  if (cli.options.texts('file').length === 0) {
    throw new WrongUsage('give a plan (ccm-migrate apply plan.json) or files (-f)');
  }
  const { fleet, cluster } = await chosenCluster(cli);
  refuseWithoutNodes(cluster);
  const plan = await makePlan({ fleet, cluster, target: chosenTarget(cli), signal: cli.signal });
  return { plan, cluster, fleet };
}

function refuseWithoutNodes({ name, nodeAccess }: InventoryCluster): void {
  if (nodeAccess.kind !== 'none') return;
  throw new Refusal('CCM4002', `${name}: nothing may be changed without access to its nodes`);
}

/** What preflight forbids, unless the policy waives it for just this state of the cluster. */
function refuseBlocked(plan: MigrationPlan, { waivers }: Fleet['policy']): void {
  const isWaived = ({ code }: Finding): boolean =>
    waivers.some(
      (waiver) => waiver.code === code && waiver.observationDigest === plan.observationDigest,
    );
  const forbidden = plan.findings.filter((finding) => blocksRun(finding) && !isWaived(finding));
  const [first] = [...plan.ending.findings, ...forbidden];
  if (first === undefined && plan.ending.kind === 'done') return;
  throw new Refusal(
    'CCM4012',
    `${plan.cluster.name}: ${first?.code ?? ''} ${first?.seen ?? 'the plan has no end'}`,
    {
      ending: 'checksFailed',
      ...(first === undefined ? {} : { why: first.why, fix: first.fix }),
      state: 'nothing was changed',
    },
  );
}

async function follow(
  cli: Cli,
  client: Parameters<typeof followRun>[1],
  workflowId: string,
): Promise<Ending> {
  const timeoutMs = cli.options.durationMs('timeout');
  const { ending, view } = await followRun(cli, client, workflowId, {
    until: 'settled',
    deadlineMs: timeoutMs === null ? null : Date.now() + timeoutMs,
  });
  if (cli.output === 'json') printDocument(cli, 'RunStatus', { ...view });
  if (ending === 'interrupted') {
    cli.terminal.err('detached; the run goes on. Follow it with `ccm-migrate status -w`\n');
  }
  return ending;
}

function detach(
  cli: Cli,
  plan: MigrationPlan,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
): Ending {
  const { name } = plan.cluster;
  const next = `ccm-migrate status ${name} -w`;
  if (isText(cli))
    cli.terminal.out(
      `${cli.theme.mark('running')} ${name}: started (${workflowId})\nNext: ${next}\n`,
    );
  else
    printDocument(cli, 'RunStarted', {
      workflowId,
      runId,
      cluster: name,
      target: plan.target,
      next,
    });
  return 'reached';
}
