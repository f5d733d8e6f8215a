import { makeFinding } from '../../findings/catalogue.js';
import type { ManagerConfig } from '../../observation/observation.js';
import type { ClusterFacts, ManagerFact } from '../../ownership/cluster-facts.js';
import { severalKcms } from '../../ownership/cluster-facts.js';
import { protectionOf } from '../../ownership/protection.js';
import { MANAGERS } from '../../vocabulary.js';
import { proposeCcmChange } from './foreign-ccm.js';
import { recordedFirst } from './prepare-ccm.js';
import {
  type ManagerChange,
  NOT_NEEDED,
  type Proposal,
  type StepRule,
  blocked,
  holderFirst,
  holderLast,
  propose,
  proposeChange,
} from './step-rule.js';

/**
 * R0: a crash inside a step left a manifest removed; its successor is written. A successor that could run beside the other
 * manager without the lock is not written: a later rule decides again.
 */
const finishManifest: StepRule = {
  name: 'finishManifest',
  phase: 'repair',
  propose: (facts) => {
    for (const node of facts.observation.nodes) {
      for (const manager of MANAGERS) {
        const { manifest } = node[manager];
        if (manifest.state === 'interrupted' && mayStart(facts, manifest.successor)) {
          return finish(node.name, manager);
        }
      }
    }
    return NOT_NEEDED;
  },
};

function finish(node: string, manager: 'kcm' | 'ccm'): Proposal {
  return propose(
    finishManifest,
    `a change of the ${manager} manifest on ${node} was interrupted; its successor is written`,
    { kind: 'finishManifest', node, manager },
    // The interrupted change is often what left the controllers without an owner.
    ['CCM3002'],
  );
}

/** Whether a manager with these settings may start beside the existing ones. */
export function mayStart(facts: ClusterFacts, config: ManagerConfig): boolean {
  if (!config.cloudLoops) return config.leaderMigration.kind === 'off';
  const others = config.manager === 'kcm' ? facts.presentCcms : facts.inTree;
  if (others.length === 0) return true;
  return (
    protectionOf(config, facts.policy) === 'protected' &&
    others.every(({ protection }) => protection === 'protected')
  );
}

/**
 * R2: an external KCM with Leader Migration on takes the migration lock and runs nothing (P7). It is turned off there, the
 * migration holder first. The main Lease is released before the migration Lease only where no CCM is supposed to get it.
 */
const disableMigrationOnExternalKcm: StepRule = {
  name: 'disableMigrationOnExternalKcm',
  phase: 'repair',
  propose: (facts) => {
    const noisy = facts.external.filter(({ leaderMigrationOn }) => leaderMigrationOn);
    const holders = noisy.filter(({ holdsMigration }) => holdsMigration);
    const [first] = [...holderFirst(holders), ...holderFirst(noisy)];
    if (first === undefined) return NOT_NEEDED;
    return proposeChange(disableMigrationOnExternalKcm, {
      node: first.node,
      why: `the KCM on ${first.node} is external and still competes for the migration Lease`,
      want: { manager: 'kcm', role: 'external' },
      release: 'migrationThenMain',
    });
  },
};

/** A node whose manager may have to change, and the reason if it does. */
type Candidate = Pick<ManagerChange, 'node' | 'why'>;

/** R3 and R4 change the side that does not own: while CCM owns, a KCM loses its loops; else a CCM stops. */
function changeNonOwner(
  facts: ClusterFacts,
  rule: StepRule,
  { kcm, ccm }: { readonly kcm: Candidate; readonly ccm: Candidate },
): Proposal {
  const cures = ['CCM3001', 'CCM3002'];
  if (facts.owner === 'ccm') {
    const want = { manager: 'kcm', role: 'external' } as const;
    return recordedFirst(facts, proposeChange(rule, { ...kcm, want, cures }));
  }
  const want = { manager: 'ccm', role: 'stopped' } as const;
  return proposeCcmChange(facts, rule, { ...ccm, want, cures });
}

/**
 * R4: a CCM without the shared lock beside protected in-tree KCMs. While CCM owns, the KCMs become
 * external; else that CCM stops.
 */
const isolateUnprotectedCcm: StepRule = {
  name: 'isolateUnprotectedCcm',
  phase: 'repair',
  propose: (facts) => {
    const loose = facts.presentCcms.filter(({ protection }) => protection !== 'protected');
    const [ccm] = holderFirst(loose);
    const [kcm] = holderLast(facts.inTree);
    if (ccm === undefined || kcm === undefined) return NOT_NEEDED;
    return changeNonOwner(facts, isolateUnprotectedCcm, {
      kcm: {
        node: kcm.node,
        why: `a CCM owns the controllers without the shared lock; the KCM on ${kcm.node} loses its loops`,
      },
      ccm: {
        node: ccm.node,
        why: `the CCM on ${ccm.node} does not share the lock with the KCMs that own the controllers`,
      },
    });
  },
};

/**
 * R3: an in-tree KCM without the shared lock beside any CCM: whichever wins its main lock, both run.
 * While KCM owns, the CCMs stop; while CCM owns, those KCMs lose their loops.
 */
const isolateUnprotectedKcm: StepRule = {
  name: 'isolateUnprotectedKcm',
  phase: 'repair',
  propose: (facts) => {
    const loose = facts.inTree.filter(({ protection }) => protection !== 'protected');
    const [kcm] = holderLast(loose);
    const [ccm] = inStoppingOrder(facts.presentCcms);
    if (kcm === undefined || ccm === undefined) return NOT_NEEDED;
    return changeNonOwner(facts, isolateUnprotectedKcm, {
      kcm: {
        node: kcm.node,
        why: `the KCM on ${kcm.node} has cloud loops outside the shared lock while a CCM owns them`,
      },
      ccm: {
        node: ccm.node,
        why: `a KCM has cloud loops outside the shared lock; the CCM on ${ccm.node} stops until that KCM shares the lock`,
      },
    });
  },
};

/**
 * Standbys outside the lock, then the main leader, then the rest. With the leader last, nearly every such cluster stays one
 * election away from two owners; with the leader first, a standby without the lock takes its place.
 */
function inStoppingOrder(ccms: readonly ManagerFact[]): readonly ManagerFact[] {
  const outside = ccms.filter(({ leads, protection }) => !leads && protection !== 'protected');
  return [...holderLast(outside), ...holderFirst(ccms)];
}

/**
 * R1: two managers run one controller. CCMs stop, the running one first and without a release, so that no standby takes over
 * at once; its standbys follow within the lease time. The opposite of holder-last.
 */
const stopSecondOwner: StepRule = {
  name: 'stopSecondOwner',
  phase: 'repair',
  propose: (facts) => {
    if (facts.owner !== 'both') return NOT_NEEDED;
    const kcms = severalKcms(facts.observation, facts.policy);
    const [first] = holderFirst(facts.presentCcms);
    if (first === undefined || kcms.length > 0) {
      return blocked(
        makeFinding('CCM2018', { subject: 'cloud controllers', seen: kcms.join('; ') }),
      );
    }
    return proposeCcmChange(facts, stopSecondOwner, {
      node: first.node,
      why: `two managers run the same controllers; the CCM on ${first.node} stops first`,
      want: { manager: 'ccm', role: 'stopped' },
      cures: ['CCM3001'],
    });
  },
};

/**
 * R1, R0, R3, R4, R2, asked before any strategy and whatever the target. R1 is first: with two owners, R0 is refused by its
 * own gate, so an interrupted manifest would preserve that state. R2 is last: it releases the main Lease, which an
 * unprotected KCM must not be able to take. Source: step rules §2, checked by the exhaustive model.
 */
export const REPAIRS: readonly StepRule[] = [
  stopSecondOwner,
  finishManifest,
  isolateUnprotectedKcm,
  isolateUnprotectedCcm,
  disableMigrationOnExternalKcm,
];
