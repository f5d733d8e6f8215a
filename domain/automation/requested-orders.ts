import { type Alert, type AlertGroup, type Labels } from './alert.js';
import { AUTOMATION_VERBS, type AutomationVerb } from './automation-token.js';

/** What an alert's labels select. */
export type OrderTarget =
  /** The UID is the id of the run, so that even one that began just now is found. */
  | { readonly kind: 'uid'; readonly uid: string }
  /** Found by an inventory, or by the server's search index, which lags. */
  | { readonly kind: 'cluster'; readonly name: string }
  | { readonly kind: 'fleet'; readonly name: string }
  /** By the search index. */
  | { readonly kind: 'area'; readonly region: string | null; readonly wave: string | null };

/** What an alert asks for. */
export interface RequestedOrder {
  readonly fingerprint: string;
  readonly verb: AutomationVerb;
  readonly target: OrderTarget;
  readonly alertSinceMs: number;
  /** As the sender says, for the id of the command. */
  readonly startsAtMs: number;
  /** Epoch ms; null while the alert fires. */
  readonly overSinceMs: number | null;
  readonly summary: string;
  /** Why it pauses although it asked for a rollback; empty otherwise. */
  readonly instead: string;
}

/** An alert that asks for nothing that can be done. */
export interface IgnoredAlert {
  readonly fingerprint: string;
  readonly outcome: 'noTarget' | 'badVerb';
  readonly detail: string;
}

export interface ReadRequests {
  readonly orders: readonly RequestedOrder[];
  readonly ignored: readonly IgnoredAlert[];
}

/**
 * What a group of alerts asks for. Where the sender left alerts out, what the labels of the whole group select is paused too, and
 * nothing rolls back: no one knows what the others said.
 */
export function requestedOrders(group: AlertGroup, nowMs: number): ReadRequests {
  const orders: RequestedOrder[] = [];
  const ignored: IgnoredAlert[] = [];
  for (const alert of [...group.alerts, ...standIns(group, nowMs)]) {
    const read = requestOf(alert, { nowMs, isTruncated: group.truncated > 0 });
    if ('outcome' in read) ignored.push(read);
    else orders.push(read);
  }
  return { orders, ignored };
}

/** For the alerts that were left out. They began at an unknown time: that of the youngest alert that came. */
function standIns({ alerts, truncated, groupLabels }: AlertGroup, nowMs: number): readonly Alert[] {
  if (truncated === 0) return [];
  const youngest = alerts.reduce((most, each) => Math.max(most, each.startsAtMs), 0);
  const startsAtMs = youngest === 0 ? nowMs : youngest;
  const rest = { labels: groupLabels, verb: null, summary: `${truncated} alerts left out` };
  return [{ fingerprint: '', status: 'firing', startsAtMs, endsAtMs: null, ...rest }];
}

/** A clock may be ahead; an alert of tomorrow would pass every check of its age. */
const AHEAD_MS = 5 * 60_000;

function requestOf(
  alert: Alert,
  { nowMs, isTruncated }: { readonly nowMs: number; readonly isTruncated: boolean },
): RequestedOrder | IgnoredAlert {
  const { fingerprint, status, labels, startsAtMs, endsAtMs, summary } = alert;
  const target = targetOf(labels);
  if (target === null) return { fingerprint, outcome: 'noTarget', detail: NO_TARGET };
  const asked = verbOf(alert.verb);
  if (asked === null) return { fingerprint, outcome: 'badVerb', detail: BAD_VERB };
  const isAhead = startsAtMs > nowMs + AHEAD_MS;
  const isPart = target.kind === 'fleet' && namesPart(labels);
  const instead = asked === 'pause' ? '' : insteadBecause({ isAhead, isTruncated, isPart });
  return {
    ...{ fingerprint, target, summary, instead, startsAtMs },
    verb: instead === '' ? asked : 'pause',
    alertSinceMs: isAhead ? nowMs : startsAtMs,
    overSinceMs: status === 'resolved' ? (endsAtMs ?? nowMs) : null,
  };
}

const NO_TARGET = 'no usable label names a cluster, fleet, region or wave';
const BAD_VERB = `automation asks for ${AUTOMATION_VERBS.join(' or ')}, and for nothing else`;

function verbOf(written: string | null): AutomationVerb | null {
  if (written === null) return 'pause';
  return AUTOMATION_VERBS.find((verb) => verb.toLowerCase() === written.toLowerCase()) ?? null;
}

function insteadBecause({
  isAhead,
  isTruncated,
  isPart,
}: {
  readonly isAhead: boolean;
  readonly isTruncated: boolean;
  readonly isPart: boolean;
}): string {
  if (isTruncated) return 'the sender left alerts out';
  if (isPart) return 'its labels name a part of the fleet';
  return isAhead ? 'the alert begins in the future' : '';
}

/** An alert about a wave or a region of a fleet is no reason to turn all of it. */
function namesPart(labels: Labels): boolean {
  return Object.hasOwn(labels, 'wave') || Object.hasOwn(labels, 'region');
}

/** The narrowest label counts: a run by its UID, by its name, the fleet, then what the index knows. */
function targetOf(labels: Labels): OrderTarget | null {
  const label = (name: string): string | null => {
    const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
    return value !== undefined && NAME.test(value) ? value : null;
  };
  const [uid, name, fleet] = [label('cluster_uid'), label('cluster'), label('fleet')];
  if (uid !== null) return { kind: 'uid', uid };
  if (name !== null) return { kind: 'cluster', name };
  if (fleet !== null) return { kind: 'fleet', name: fleet };
  const [region, wave] = [label('region'), label('wave')];
  return region === null && wave === null ? null : { kind: 'area', region, wave };
}

/** Names of clusters, fleets, regions and waves, and UIDs. Nothing else becomes part of a workflow id or a query. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;
