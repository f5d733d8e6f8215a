import type { Finding, Severity } from '../../domain/finding.js';
import { decisiveDigest } from '../../domain/decision/decisive-digest.js';
import type { Cli } from '../cli.js';
import type { Ending } from '../endings.js';
import { chosenCluster } from '../plan/chosen-cluster.js';
import { inspectCluster } from '../plan/inspect-cluster.js';
import { findingLines } from '../plan/plan-text.js';
import { preflightFindings } from '../plan/preflight-findings.js';
import { isText, printDocument } from '../print.js';

const RANKS: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2 };

/** `check`: what stands in the way of a migration, each with why and what to do. */
export async function check(cli: Cli): Promise<Ending> {
  const { fleet, cluster } = await chosenCluster(cli);
  const { uid, inspection } = await inspectCluster(cluster, fleet, cli.signal);
  const { observation } = inspection.look;
  const findings = preflightFindings(inspection, fleet).filter(chosenBy(cli));
  const digest = decisiveDigest(observation);
  if (isText(cli)) cli.terminal.out(checkText(cli, cluster.name, findings, digest));
  else {
    printDocument(cli, 'CheckReport', {
      cluster: { name: cluster.name, uid },
      observationDigest: digest,
      findings,
    });
  }
  const threshold = thresholdOf(cli.options.text('severity'));
  return findings.some(({ severity }) => RANKS[severity] >= RANKS[threshold])
    ? 'checksFailed'
    : 'reached';
}

function chosenBy({ options }: Cli): (finding: Finding) => boolean {
  const [only, skip] = [options.texts('only'), options.texts('skip')];
  return ({ code }) => (only.length === 0 || only.includes(code)) && !skip.includes(code);
}

function thresholdOf(written: string | null): Severity {
  return written === 'info' || written === 'warning' ? written : 'error';
}

function checkText(cli: Cli, name: string, findings: readonly Finding[], digest: string): string {
  const { theme } = cli;
  const count = (severity: Severity): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const worst = count('error') > 0 ? 'failed' : count('warning') > 0 ? 'warning' : 'ok';
  return [
    ...findings.flatMap((finding) => findingLines(finding, theme)),
    `${theme.mark(worst)} ${name}: ${count('error')} errors, ${count('warning')} warnings, ${count('info')} notes`,
    theme.paint('quiet', `observation ${digest}`),
    '',
  ].join('\n');
}
