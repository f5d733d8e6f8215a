import { makeFinding } from '../../findings/catalogue.js';
import type { Finding } from '../../findings/finding.js';
import type { CcmSource, ClusterObservation } from '../../observation/observation.js';
import type { ClusterFacts } from '../../ownership/cluster-facts.js';
import type { ManagerWant } from '../step.js';
import {
  type ManagerChange,
  NOT_NEEDED,
  type Proposal,
  type StepRule,
  blocked,
  blockedBy,
  ccmSkew,
  downgradeFindings,
  proposeChange,
} from './step-rule.js';

/**
 * A change of the CCM on one node, or why we cannot make it: what a foreign workload or a systemd unit starts comes back
 * however often we stop it, so a step would wait forever while, in a repair, two owners remain.
 */
export function proposeCcmChange(
  facts: ClusterFacts,
  rule: Pick<StepRule, 'name' | 'phase'>,
  change: ManagerChange<Extract<ManagerWant, { manager: 'ccm' }>>,
): Proposal {
  const obstacle = foreignStarter(facts.observation, change.node);
  if (obstacle !== null) return blocked(obstacle);
  const there = { node: change.node, manager: 'ccm' } as const;
  const skew = startsHere(facts, change.want)
    ? [...ccmSkew(facts), ...downgradeFindings(facts, there, facts.policy.ccm.version)]
    : [];
  return blockedBy(skew) ?? proposeChange(rule, change);
}

/**
 * For target `kcm` a CCM only restarts with other arguments so that it can be removed later: its version must not block
 * a rollback.
 */
function startsHere({ target }: ClusterFacts, { role }: ManagerWant): boolean {
  return target === 'ccm' && role === 'running';
}

/** What starts the CCM of a node, if it is not ours. */
function foreignStarter({ nodes, ccmWorkload }: ClusterObservation, name: string): Finding | null {
  const [source = 'staticPod'] = nodes.flatMap(({ name: each, ccm: { manifest } }) =>
    each === name && manifest.state === 'present' ? [manifest.source] : [],
  );
  const ours = source === 'daemonSet' && ccmWorkload.owner === 'ours';
  if (source === 'staticPod' || ours) return null;
  return makeFinding('CCM2014', {
    subject: `CCM on ${name}`,
    seen: `started by ${source} ${ccmWorkload.name}; stop it with ${stopCommand(source, ccmWorkload.name, name)}`,
  });
}

/**
 * The owner of a foreign CCM workload approves before either direction starts: its tool would undo our changes. Several
 * workloads that cannot be distinguished, or something that is not a workload, cannot be approved; they have to stop.
 */
export function foreignWorkload({ observation, policy }: ClusterFacts): Finding | null {
  const { source, owner, name } = observation.ccmWorkload;
  if (source === 'systemd' || source === 'unknown') {
    return makeFinding('CCM2014', {
      subject: `${source} ${name}`,
      seen: `it is unknown what starts CCMs; stop it with ${stopCommand(source, name, 'its node')}`,
    });
  }
  if (source === 'none' || source === 'staticPod' || owner === 'ours') return null;
  const approved = policy.waivers.some(({ code }) => code === 'CCM2007');
  if (approved) return null;
  return makeFinding('CCM2007', {
    subject: `${source} ${name}`,
    seen: `its owner is ${owner}; approve it, or stop it with ${stopCommand(source, name, 'its node')}`,
  });
}

/** Target `kcm` has no preparation step, so this check is a rule of its own. */
export const respectForeignCcm: StepRule = {
  name: 'stopCcm',
  phase: 'returnToKcm',
  propose: (facts) => {
    const finding = foreignWorkload(facts);
    return finding === null ? NOT_NEEDED : blocked(finding);
  },
};

/** The command for a person; we see neither the Helm release nor the name of the unit. */
export function stopCommand(
  source: Exclude<CcmSource, 'staticPod'>,
  name: string,
  node: string,
): string {
  switch (source) {
    case 'daemonSet':
      return `\`kubectl -n kube-system delete daemonset ${name}\` (of Helm: \`helm -n kube-system uninstall RELEASE\`)`;
    case 'deployment':
      return `\`kubectl -n kube-system scale deployment ${name} --replicas=0\` (of Helm: \`helm -n kube-system uninstall RELEASE\`)`;
    case 'systemd':
      return `\`systemctl disable --now UNIT\` on ${node}`;
    case 'unknown':
      return `\`kubectl -n kube-system delete\` of each workload that runs a cloud-controller-manager`;
  }
}
