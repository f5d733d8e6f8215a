import type { Severity } from '../../domain/findings/finding.js';
import type { Theme } from '../terminal/theme.js';
import { counted, shownCount, someNames } from '../terminal/wording.js';
import { SEVERITY_MARKS } from './check-text.js';
import type { FindingGroup, Sighting } from './finding-groups.js';
import type { FleetCheck } from './fleet-check.js';

/** The check of a fleet for people: who could not be read, then each finding once with its clusters, and the next command. */
export function fleetCheckText(check: FleetCheck, next: string, theme: Theme): string {
  const { fleet, clusters, unread } = check;
  const waves = new Set(clusters.map(({ wave }) => wave)).size;
  const read = clusters.length - unread.length;
  const head = `${theme.paint('strong', `Fleet ${fleet}`)} · ${shownCount(clusters.length)} clusters in ${counted(waves, 'wave')} · ${shownCount(read)} read`;
  return [
    unread.length === 0 ? head : `${head} · ${unread.length} not read`,
    ...unreadLines(check, theme),
    ...check.findings.flatMap((group) => ['', ...groupLines(group, theme)]),
    ...previewLines(check, theme),
    ...check.notChecked.map((part) => `${theme.mark('waiting')} not checked: ${part}`),
    '',
    totalLine(check, theme),
    `Next: ${next}`,
    '',
  ].join('\n');
}

/** So many differing lines of one reason are shown; `-o json` has all of them. */
const MOST_SEEN = 3;

/** One entry for each reason, with the words of the first few. */
function unreadLines({ unread }: FleetCheck, theme: Theme): readonly string[] {
  const codes = [...new Set(unread.map(({ code }) => code))];
  return codes.flatMap((code) => {
    const same = unread.filter((each) => each.code === code);
    const names = someNames(same.map(({ name }) => name));
    const fixes = [...new Set(same.map(({ fix }) => fix))];
    return [
      '',
      `${theme.mark('failed')} not read ${same.length}: ${theme.paint('strong', code)} · ${names}`,
      ...same.slice(0, MOST_SEEN).map(({ seen }) => `    ${seen}`),
      ...moreLine(same.length),
      ...fixes.slice(0, 1).map((fix) => `    fix   ${fix}`),
    ];
  });
}

function groupLines(group: FindingGroup, theme: Theme): readonly string[] {
  const { severity, code, clusters, seen, why, fix } = group;
  const where = `${counted(clusters.length, 'cluster')}: ${someNames(clusters)}`;
  return [
    `${theme.mark(SEVERITY_MARKS[severity])} ${theme.paint('strong', code)} · ${where}`,
    ...seen.slice(0, MOST_SEEN).map((each) => sightingLine(each, group)),
    ...moreLine(seen.length),
    `    why   ${why}`,
    `    fix   ${fix}`,
  ];
}

/** The clusters again only where not all of them show the same. */
function sightingLine({ subject, seen, clusters }: Sighting, group: FindingGroup): string {
  const where = clusters.length === group.clusters.length ? '' : ` · ${someNames(clusters, 3)}`;
  return `    ${subject}: ${seen}${where}`;
}

function moreLine(count: number): readonly string[] {
  return count <= MOST_SEEN ? [] : [`    … and ${counted(count - MOST_SEEN, 'more line')}`];
}

function previewLines({ clusters }: FleetCheck, theme: Theme): readonly string[] {
  const previews = clusters.filter(({ notChecked }) => notChecked.length > 0);
  if (previews.length === 0) return [];
  const parts = [...new Set(previews.flatMap(({ notChecked }) => notChecked))];
  return [
    '',
    `${theme.mark('warning')} PREVIEW without node access, ${counted(previews.length, 'cluster')}: ${someNames(previews.map(({ name }) => name))}. Not checked:`,
    ...parts.map((part) => `    ${part}`),
  ];
}

function totalLine(check: FleetCheck, theme: Theme): string {
  const { checks, findings, unread, clusters, notChecked } = check;
  const count = (severity: Severity): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const read = clusters.length - unread.length;
  const passed = checks.filter(({ results }) => results.passed === read).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const isPreview = clusters.some((each) => each.notChecked.length > 0);
  const isUnsure = warnings > 0 || isPreview || notChecked.length > 0;
  const worst = errors + unread.length > 0 ? 'failed' : isUnsure ? 'warning' : 'ok';
  const where = unread.length === 0 ? 'all clusters' : `all ${shownCount(read)} that were read`;
  const parts = [
    counted(errors, 'error'),
    counted(warnings, 'warning'),
    counted(count('info'), 'note'),
    ...(unread.length === 0 ? [] : [`${unread.length} not read`]),
  ];
  return `${theme.mark(worst)} ${passed} of ${counted(checks.length, 'check')} passed in ${where} · ${parts.join(', ')}`;
}
