import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FleetPlanDocument } from '../../../config/outputs/fleet-plan-document.js';
import { isText, printDocument, screen, type Cli } from '../../../cli/cli.js';
import { UsageError } from '../../../cli/cli-error.js';
import type { ExitStatus } from '../../../cli/exit-status.js';
import { fleetPlanSummary } from '../../../cli/plan/fleet-plan-text.js';
import { startFleetEnvironment, type DemoFleet } from '../fleet/fleet-environment.js';
import { leftOutBy, withLeftOut } from '../fleet/fleet-report.js';
import { runCommand, showCommand } from '../fleet/typed-commands.js';
import { interruptible } from '../interruptible.js';
import { demoLayout, type DemoLayout } from '../layout.js';
import { followRehearsal } from './follow-rehearsal.js';
import { privateEnvironment } from './private-environment.js';
import { REQUESTER } from './rehearsal-answers.js';
import { labelOf, rehearsalClaims, type RehearsalEvidence } from './rehearsal-claims.js';
import { readRehearsed, writeRehearsed, type RehearsedSet } from './rehearsal-files.js';
import { rehearsalSummary } from './rehearsal-lines.js';
import { rehearsalNotes } from './rehearsal-notes.js';
import { rehearsalSettings, type RehearsalSettings } from './rehearsal-settings.js';
import { rehearsedAccount, worstExposure, type RehearsedAccount } from './rehearsed-account.js';

/**
 * `rehearse`: the same workflows on a simulated fleet shaped like the inventories, on a Temporal server of its own. Passes
 * only if every claim holds by the simulator's journal.
 */
export async function rehearseVerb(typed: Cli): Promise<ExitStatus> {
  const cli: Cli = { ...typed, env: privateEnvironment(typed.env) };
  const settings = rehearsalSettings(cli.options);
  const rehearsed = await readRehearsed(cli.options.texts('file'), settings);
  tellNotes(cli, rehearsed, settings);
  await checkEmpty(settings.keep);
  const layout = await demoLayout(settings.keep);
  return interruptible(cli, { name: 'rehearsal', layout, outlivesUs: null }, async () => {
    try {
      await writeRehearsed(layout.config, rehearsed, settings);
      return await inEnvironment({ cli, layout }, settings);
    } finally {
      if (layout.temporary) await rm(layout.root, { recursive: true, force: true });
    }
  });
}

/** A database of an earlier rehearsal may have an open fleet of the same name. */
async function checkEmpty(folder: string | null): Promise<void> {
  const names = folder === null ? [] : await readdir(folder).catch(() => []);
  if (names.length === 0) return;
  throw new UsageError(`--keep ${folder ?? ''}: is not empty; name a new folder`);
}

async function inEnvironment(
  { cli, layout }: Omit<Rehearsal, 'environment'>,
  settings: RehearsalSettings,
): Promise<ExitStatus> {
  const environment = await startFleetEnvironment(cli, {
    ...{ layout, settings: { ...settings, keep: false } },
    report: (line) => cli.terminal.err(`${line}\n`),
  });
  try {
    return await runRehearsal({ cli, layout, environment });
  } finally {
    await environment.stop();
  }
}

function tellNotes(
  cli: Cli,
  { written, policies, waves }: RehearsedSet,
  settings: RehearsalSettings,
): void {
  const rehearsed = { fleet: written.spec, policies: policies.map(({ spec }) => spec), waves };
  const notes = rehearsalNotes(rehearsed, settings).map((note) => `  ${note}`);
  cli.terminal.err(
    `Rehearsal of fleet ${written.metadata.name} on simulated clusters:\n${notes.join('\n')}\n\n`,
  );
}

interface Rehearsal {
  readonly cli: Cli;
  readonly layout: DemoLayout;
  readonly environment: DemoFleet;
}

async function runRehearsal(rehearsal: Rehearsal): Promise<ExitStatus> {
  const { cli, layout, environment } = rehearsal;
  const plan = await planned(rehearsal);
  if (plan.clusters.length === 0) return 'checksFailed';
  const server = ['--state-dir', layout.root];
  const sinceMs = await simulatedNow(environment);
  const asked = ['--actor', REQUESTER, '--reason', 'rehearsal', '--yes'];
  await showCommand(cli, ['apply', join(layout.root, 'plan.json'), ...asked, ...server], () => '');
  const quorums = new Map(
    plan.waves.map(({ plan: { name, approvals } }) => [
      name,
      Math.max(1, approvals.before, approvals.after),
    ]),
  );
  const report = await followRehearsal(cli, { fleet: plan.fleet, quorums, server });
  if (report === null) return cli.signal.aborted ? 'interrupted' : 'timedOut';
  const tookMs = (await simulatedNow(environment)) - sinceMs;
  return showResult(cli, tookMs, {
    plan,
    accounts: await accountsOf(environment, plan, sinceMs),
    report: withLeftOut(report, leftOutBy(plan)),
  });
}

/** The plan of the simulated fleet, with its forecast. @throws Error with the words of `plan` where there is none */
async function planned({ cli, layout, environment }: Rehearsal): Promise<FleetPlanDocument> {
  const out = join(layout.root, 'plan.json');
  const files = environment.files.flatMap((file) => ['-f', file]);
  const { stderr } = await runCommand(cli, ['plan', ...files, '--out', out]);
  const text = await readFile(out, 'utf8').catch(() => null);
  if (text === null) throw new Error(`plan of the simulated fleet: ${stderr.trim()}`);
  const plan = FleetPlanDocument.parse(JSON.parse(text));
  const { width = Infinity } = screen(cli);
  cli.terminal.err(`${fleetPlanSummary(plan, cli.theme, width)}\n`);
  return plan;
}

/** All simulated clusters have one clock. */
async function simulatedNow({ members }: DemoFleet): Promise<number> {
  const [first] = members;
  if (first === undefined) throw new Error('the simulator has no cluster');
  return (await first.control.truth()).nowMs;
}

async function accountsOf(
  { members }: DemoFleet,
  plan: FleetPlanDocument,
  sinceMs: number,
): Promise<readonly RehearsedAccount[]> {
  const accounts: RehearsedAccount[] = [];
  for (const { name, control } of members) {
    const [journal, truth] = [await control.journal(0), await control.truth()];
    const region = labelOf(plan, name, 'region') ?? '';
    accounts.push(rehearsedAccount({ name, region }, journal, truth, sinceMs));
  }
  return accounts;
}

function showResult(
  cli: Cli,
  tookMs: number,
  evidence: RehearsalEvidence & { readonly plan: FleetPlanDocument },
): ExitStatus {
  const claims = rehearsalClaims(evidence);
  const passed = claims.every(({ holds }) => holds);
  const { accounts, plan, report } = evidence;
  if (isText(cli)) {
    cli.terminal.out(`${rehearsalSummary({ evidence, claims, tookMs }, cli.theme).join('\n')}\n`);
  } else {
    const { p50Ms, p90Ms } = plan.forecast;
    printDocument(cli, 'RehearsalReport', {
      ...{ passed, forecast: { p50Ms, p90Ms }, tookMs, phases: report.phases },
      ...{ exposure: worstExposure(accounts), clusters: accounts, claims },
    });
  }
  return passed ? 'reached' : 'checksFailed';
}
