import { decisiveDigest } from '../../domain/decision/decisive-digest.js';
import type { Finding } from '../../domain/findings/finding.js';
import { blocksRun } from '../../domain/preflight/preflight.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { codesChosen, isClear } from '../plan/check-choice.js';
import { checkText, clusterLines } from '../plan/check-text.js';
import { inspectFromHere, preflightOf } from '../plan/inspect-cluster.js';
import type { Chosen } from '../plan/make-plan.js';
import { chosenToRead } from '../plan/make-plan.js';
import { sameCluster, typedCommand } from '../typed-command.js';

/** `check`: what was checked and passed, and what stands in the way of a migration, each with a reason and a fix. */
export async function check(cli: Cli): Promise<ExitStatus> {
  const choice = await chosenToRead(cli);
  if (choice.kind === 'cluster') return checkCluster(cli, choice.chosen);
  const { checkFleet } = await import('./check-fleet.js');
  return checkFleet(cli, choice.fleet);
}

async function checkCluster(cli: Cli, { fleet, cluster }: Chosen): Promise<ExitStatus> {
  const inspected = await inspectFromHere(cluster, fleet, cli.signal);
  const { observation } = inspected.inspection.snapshot;
  const { notChecked } = inspected;
  const isChosen = codesChosen(cli.options);
  const all = preflightOf(inspected, fleet);
  const findings = all.findings.filter(({ code }) => isChosen(code));
  const checks = all.checks.filter(({ codes }) => codes.some(isChosen));
  if (isText(cli)) {
    const lines = clusterLines(observation, fleet.policy);
    const next = nextCommand(cli, findings);
    cli.terminal.out(checkText({ cluster: lines, checks, findings, notChecked, next }, cli.theme));
  } else {
    printDocument(cli, 'CheckReport', {
      cluster: { name: cluster.name, uid: inspected.uid },
      observationDigest: decisiveDigest(observation),
      ...{ notChecked, checks, findings },
    });
  }
  // Independent of --only and --skip: parts that were not observed are not known to be in order.
  return isClear(cli.options, findings) && notChecked.length === 0 ? 'reached' : 'checksFailed';
}

/**
 * A finding that blocks a run is explained first; missing node access alone is not one, since a preview may still be
 * planned.
 */
function nextCommand({ options }: Cli, findings: readonly Finding[]): string {
  const first = findings.find((finding) => blocksRun(finding) && finding.code !== 'CCM1210');
  return first === undefined
    ? typedCommand(['plan', ...sameCluster(options), '--out', 'plan.json'])
    : typedCommand(['explain', first.code]);
}
