import { makeFinding } from '../findings/catalogue.js';
import type { Finding } from '../findings/finding.js';
import type { ClusterObservation, ControlPlaneNode } from '../observation/observation.js';
import { type ClusterFacts, factsOf, isReached } from '../ownership/cluster-facts.js';
import { holderText, managerProcesses } from '../ownership/owners.js';
import type { MigrationPolicy, StrategyName } from '../policy.js';
import type { Target } from '../vocabulary.js';
import type { Decision } from './step.js';
import { endPausedManager, whyNotEnded } from './steps/end-paused-manager.js';
import { releaseLease } from './steps/release-lease.js';
import { REPAIRS } from './steps/repairs.js';
import { blocked, blockedBy, sharesLock } from './steps/step-rule.js';
import { STRATEGIES } from './strategies/index.js';

/**
 * The core: the next safe step toward `target` from one observation, `done`, or why there is none. Repairs come first
 * whatever the target, then the strategy's rules in order; the first that needs something decides. It needs no history, so it
 * works on a cluster never observed before.
 */
export function nextStep(
  observation: ClusterObservation,
  target: Target,
  policy: MigrationPolicy,
): Decision {
  const facts = factsOf(observation, target, policy);
  // Before what hides owners: a stopped process is such a thing, and its end takes no lock from anything that runs.
  const ended = endPausedManager.propose(facts);
  if (ended.kind !== 'notNeeded') return ended;
  const hidden = blockedBy(hiddenFindings(facts));
  if (hidden !== null) return hidden;
  for (const rule of [...REPAIRS, releaseLease, ...STRATEGIES[policy.strategy][target]]) {
    const proposal = rule.propose(facts);
    if (proposal.kind !== 'notNeeded') return proposal;
  }
  return isReached(facts) ? { kind: 'done' } : blocked(unexplained(facts));
}

/** What blocks every rule: no step is safe while a part of the cluster could run anything. */
function hiddenFindings({ observation, owner, policy, target }: ClusterFacts): readonly Finding[] {
  if (observation.nodes.length === 0) return [hosted(observation)];
  const paused = managerProcesses(observation)
    .filter(({ process }) => process.liveness === 'paused')
    .map((placed) => {
      const { node, manager, process } = placed;
      const kept = policy.staleHolder === 'kill' ? whyNotEnded(observation, placed) : null;
      const seen = `process ${String(process.pid)} is stopped; it acts for up to 10 s when it wakes`;
      return makeFinding('CCM2010', {
        subject: `${manager} on ${node.name}`,
        seen: kept === null ? seen : `${seen}. staleHolder: kill leaves it alone: ${kept}`,
      });
    });
  if (paused.length > 0) return paused;
  const unreadable = observation.nodes.flatMap((node) => {
    if (!node.reachable) return [outOfReach(node, policy.strategy)];
    return [node.kcm, node.ccm].flatMap(({ manifest }) =>
      manifest.state === 'unknown' ? [hiddenPart(node.name, manifest.why)] : [],
    );
  });
  if (unreadable.length > 0) return unreadable;
  const missing = missingNodes(observation, target, policy);
  if (missing.length > 0) return missing;
  return owner === 'unknown' ? hiddenOwners(observation) : [];
}

/** Why the owner is unknown: unreadable settings, else a Lease with an unknown holder. */
function hiddenOwners(observation: ClusterObservation): readonly Finding[] {
  const untold = managerProcesses(observation).flatMap(({ node, manager, process }) => {
    const { leaderMigration } = process.config;
    if (leaderMigration.kind !== 'unreadable') return [];
    return [hiddenPart(`${manager} on ${node.name}`, leaderMigration.why)];
  });
  const holders = observation.leases
    .filter(({ holderState }) => holderState === 'unknown')
    .map((lease) => `${holderText(lease)}, which is neither an observed process nor proven dead`);
  return untold.length > 0 ? untold : [hiddenPart(observation.cluster.name, holders.join('; '))];
}

/**
 * A Node that is gone proves nothing of its host, whose managers run on (kubernetes/kubernetes#70897). Where machines are replaced,
 * their provider answers for them; where nodes are changed in place, a person has to state that the host is gone.
 */
function missingNodes(
  { cluster, nodes, baseline }: ClusterObservation,
  target: Target,
  policy: MigrationPolicy,
): readonly Finding[] {
  const change = target === 'ccm' ? policy.nodes.forward : policy.nodes.rollback;
  const before = baseline?.controlPlaneNodes ?? 0;
  if (change !== 'inPlace' || nodes.length >= before) return [];
  if (policy.waivers.some(({ code }) => code === 'CCM2020')) return [];
  const listed = nodes.map(({ name }) => name).join(', ');
  const seen = `${String(before)} control-plane Nodes before the first step, ${String(nodes.length)} now: ${listed}`;
  return [makeFinding('CCM2020', { subject: cluster.name, seen })];
}

function hosted({ cluster }: ClusterObservation): Finding {
  return makeFinding('CCM2017', { subject: cluster.name, seen: 'no control-plane Node' });
}

/** Without a lock only the proven absence of the old owner keeps two from running. */
function outOfReach({ name: subject, kcm }: ControlPlaneNode, strategy: StrategyName): Finding {
  const { manifest } = kcm;
  const seen =
    manifest.state === 'unknown' ? manifest.why : 'its files and processes are unreachable';
  return sharesLock(strategy)
    ? hiddenPart(subject, seen)
    : makeFinding('CCM2004', { subject, seen });
}

function hiddenPart(subject: string, seen: string): Finding {
  return makeFinding('CCM2001', { subject, seen });
}

function unexplained({ target, owner }: ClusterFacts): Finding {
  return makeFinding('CCM2003', {
    subject: 'cluster',
    seen: `no rule applies for target ${target} while ${owner} owns the cloud controllers`,
  });
}
