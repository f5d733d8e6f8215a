import { makeFinding } from '../../findings/catalogue.js';
import type { Finding } from '../../findings/finding.js';
import { minorOf } from '../../managers/minors.js';
import { countedMembers } from '../../observation/voting-members.js';
import {
  type ClusterFacts,
  type ManagerFact,
  effectiveConfigs,
} from '../../ownership/cluster-facts.js';
import type { StrategyName } from '../../policy.js';
import type { Phase } from '../../vocabulary.js';
import type { Decision, ManagerWant, ReleaseSequence, StepEffect, StepName } from '../step.js';

/**
 * The result of one step rule for a cluster: not needed, the next step, or needed but blocked. A strategy is an ordered list
 * of rules; the first that does not return `notNeeded` decides.
 */
export type Proposal = Exclude<Decision, { kind: 'done' }> | { readonly kind: 'notNeeded' };

export interface StepRule {
  readonly name: StepName;
  readonly phase: Phase;
  readonly propose: (facts: ClusterFacts) => Proposal;
}

type Blocked = Extract<Decision, { kind: 'blocked' }>;

export const NOT_NEEDED: Proposal = { kind: 'notNeeded' };

export function blocked(...findings: readonly [Finding, ...Finding[]]): Blocked {
  return { kind: 'blocked', findings };
}

/** What these findings do to a rule: they block it; null when there are none. */
export function blockedBy([finding, ...more]: readonly Finding[]): Blocked | null {
  return finding === undefined ? null : blocked(finding, ...more);
}

/** Builds the proposal of a rule; `cures` are the finding codes that may fail while it runs. */
export function propose(
  rule: Pick<StepRule, 'name' | 'phase'>,
  why: string,
  effect: StepEffect,
  cures: readonly string[] = [],
): Proposal {
  return { kind: 'step', step: { name: rule.name, phase: rule.phase, why, effect, cures } };
}

/** A change of one manager, as a rule proposes it. */
export interface ManagerChange<Want extends ManagerWant = ManagerWant> {
  readonly node: string;
  readonly why: string;
  readonly want: Want;
  readonly release?: ReleaseSequence;
  readonly cures?: readonly string[];
}

export function proposeChange(
  rule: Pick<StepRule, 'name' | 'phase'>,
  { node, why, want, release = 'none', cures = ['CCM3002'] }: ManagerChange,
): Proposal {
  return propose(rule, why, { kind: 'changeManager', node, want, release }, cures);
}

/** Candidates by name, those that hold a Lease last: each Lease then moves once. */
export function holderLast(candidates: readonly ManagerFact[]): readonly ManagerFact[] {
  return [...candidates].sort((a, b) => weight(a) - weight(b) || (a.node < b.node ? -1 : 1));
}

/** The order of a repair: the running one first, so that the second owner ends at once. */
export function holderFirst(candidates: readonly ManagerFact[]): readonly ManagerFact[] {
  return [...holderLast(candidates)].reverse();
}

function weight(fact: ManagerFact): number {
  return (fact.leads ? 2 : 0) + (fact.holdsMigration ? 1 : 0);
}

/**
 * What forbids adding or removing control-plane machines now: the etcd topology must be known, and where it is stacked every
 * member must be a healthy voter, so that one machine less keeps quorum (etcd quorum = floor(n/2)+1). `leaving` is a node
 * whose own bad health does not count.
 */
export function replaceFindings(
  { observation }: ClusterFacts,
  leaving: string | null,
): readonly Finding[] {
  const { etcd, nodes } = observation;
  if (etcd.topology === 'unknown') {
    return [makeFinding('CCM2005', { subject: 'etcd', seen: 'its topology could not be read' })];
  }
  const members = etcd.topology === 'external' ? [] : countedMembers(observation);
  const sick = members.filter(
    ({ node, healthy, voter }) => node !== leaving && (healthy !== 'yes' || voter !== 'yes'),
  );
  const down = nodes.filter(({ name, ready }) => name !== leaving && ready !== 'yes');
  return [
    ...sick.map(({ name }) =>
      makeFinding('CCM2005', { subject: `etcd member ${name}`, seen: 'not a healthy voter' }),
    ),
    ...down.map(({ name, ready }) =>
      makeFinding('CCM2006', { subject: `node ${name}`, seen: `Ready is ${ready}` }),
    ),
  ];
}

/**
 * A manager must not be newer than any API server it can reach: of several, the oldest counts, even where each node reaches
 * its own, because it is unknown which version runs where. Nor may it be more than one minor older than the newest. Machines that join
 * bring their own API server. Source: https://kubernetes.io/releases/version-skew-policy/
 */
export function skewFindings(
  { observation: { apiServers }, policy }: ClusterFacts,
  version: string,
  subject: string,
): readonly Finding[] {
  const [oldest] = apiServers.versions;
  if (oldest === undefined) {
    return [makeFinding('CCM2011', { subject, seen: 'no API server version could be read' })];
  }
  const bringsOwn = apiServers.sharedAddress === 'no' && policy.nodes.forward === 'replace';
  if (bringsOwn) return [];
  return minorsAhead(version, oldest) <= 0
    ? ageFindings(apiServers, version, subject)
    : [makeFinding('CCM2011', { subject, seen: `oldest API server is ${oldest}` })];
}

/** The policy's versions fitted when the run was planned, and the cluster may have been upgraded since. */
function ageFindings(
  { versions }: ClusterFacts['observation']['apiServers'],
  version: string,
  subject: string,
): readonly Finding[] {
  const newest = versions.filter((each) => !(minorsAhead(each, version) <= 1));
  return newest
    .slice(-1)
    .map((each) => makeFinding('CCM2021', { subject, seen: `newest API server is ${each}` }));
}

/**
 * What forbids writing a manager of the policy's version over the one that is there now: it was upgraded since, and would be set
 * back by a minor. Patches do not matter.
 */
export function downgradeFindings(
  { observation }: ClusterFacts,
  { node, manager }: Pick<ManagerFact, 'node' | 'manager'>,
  version: string,
): readonly Finding[] {
  const there = observation.nodes
    .filter(({ name }) => name === node)
    .flatMap((each) => effectiveConfigs(each[manager]))
    .filter((config) => minorsAhead(config.version, version) > 0);
  return there.slice(0, 1).map((config) =>
    makeFinding('CCM2021', {
      subject: `${manager.toUpperCase()} on ${node}`,
      seen: `${config.version} is there now, ${version} in the policy`,
    }),
  );
}

/** What forbids an in-tree KCM in the place of one that is there, on the way to a migration; the end of a rollback waits for no version. */
export function inTreeFindings(facts: ClusterFacts, there: ManagerFact): readonly Finding[] {
  const { version } = facts.policy.source;
  return [
    ...ageFindings(facts.observation.apiServers, version, `KCM ${version}`),
    ...downgradeFindings(facts, there, version),
  ];
}

export function ccmSkew(facts: ClusterFacts): readonly Finding[] {
  const { version } = facts.policy.ccm;
  return skewFindings(facts, version, `CCM ${version}`);
}

/**
 * The KCM of a rollback must fit the current API servers: not newer than the oldest, and at most one minor older than the
 * newest. They are not rolled back with it, so an upgrade since the migration rules a rollback out.
 * Source:
 * https://kubernetes.io/releases/version-skew-policy/#kube-controller-manager-kube-scheduler-and-cloud-controller-manager
 */
export function sourceKcmSkew({
  observation: { apiServers },
  policy: { source },
}: ClusterFacts): readonly Finding[] {
  const subject = `KCM ${source.version}`;
  const [oldest] = apiServers.versions;
  const newest = apiServers.versions.at(-1);
  if (oldest === undefined || newest === undefined) {
    return [makeFinding('CCM2011', { subject, seen: 'no API server version could be read' })];
  }
  if (!(minorsAhead(source.version, oldest) <= 0)) {
    return [makeFinding('CCM2011', { subject, seen: `oldest API server is ${oldest}` })];
  }
  if (minorsAhead(newest, source.version) <= 1) return [];
  const seen = `newest API server is ${newest}, and a KCM may be one minor older`;
  return [makeFinding('CCM2016', { subject, seen })];
}

/** How many minors `version` is above `than`; NaN, which passes no comparison, where one cannot be read. */
function minorsAhead(version: string, than: string): number {
  return (minorOf(version) ?? Number.NaN) - (minorOf(than) ?? Number.NaN);
}

/** Whether KCM and CCM exclude each other by a shared migration lock, or only by never running at the same time. */
export function sharesLock(strategy: StrategyName): boolean {
  switch (strategy) {
    case 'leaderMigration':
      return true;
    case 'gap':
      return false;
  }
}
