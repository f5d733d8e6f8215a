import { digestJson } from '../digest.js';
import type {
  ClusterObservation,
  Inventory,
  ManagerConfig,
  ManagerSlot,
} from '../observation/observation.js';
import { clusterOwner } from '../ownership/owners.js';
import type { MigrationPolicy } from '../policy.js';
import { HANDOVER_APPROVAL, type Owner, type Target } from '../vocabulary.js';
import { attemptDigest, decisiveDigest } from './decisive-digest.js';
import { nextStep } from './next-step.js';
import type { DecisionRequest, NextMove, PlannedStep, RunDecision } from './run-decision.js';
import { probeBalancerStep } from './steps/probe-balancer.js';
import type { Decision, Step } from './step.js';
import { EFFECT_VERSIONS } from './step.js';
import { effectivePolicy, waivableBy } from './waivers.js';

/** The rules as this function calls them; tests script their own. */
export type Rules = typeof nextStep;

/**
 * Decides what a run does next. Pure: the same observation, policy and request give the same decision, so an audit can
 * recompute it from the record.
 */
export function decideRun(
  observation: ClusterObservation,
  policy: MigrationPolicy,
  request: DecisionRequest,
  rules: Rules = nextStep,
): RunDecision {
  const { target, since, revision, waivers, approvals } = request;
  const effective = effectivePolicy(policy, request, observation);
  const decision = rules(observation, target, effective);
  const context: Context = { observation, policy, request };
  const verification = verify(since ?? observation.inventory);
  const owner = clusterOwner(observation, policy.lock.controllers);
  return {
    revision,
    inputs: digestJson({ target, policy, waivers, approvals }),
    state: decisiveDigest(observation),
    signature: signatureOf(decision),
    next: nextMove(decision, context),
    proof: planned(verification, context),
    ...(policy.probes === undefined ? {} : { probe: probe(owner, context) }),
    reversibility: reversibilityOf(rules(observation, 'kcm', effective), observation),
    owner,
    cluster: describeCluster(observation, policy),
  };
}

interface Context {
  readonly observation: ClusterObservation;
  readonly policy: MigrationPolicy;
  readonly request: DecisionRequest;
}

/** Digits in finding texts are dropped: they change while the reason stays the same. */
function signatureOf(decision: Decision): string {
  switch (decision.kind) {
    case 'step':
      return digestJson(['step', stepKey(decision.step)]);
    case 'done':
      return 'done';
    case 'blocked':
      return digestJson(['blocked', decision.findings.map(({ code, subject }) => [code, subject])]);
  }
}

function nextMove(decision: Decision, context: Context): NextMove {
  switch (decision.kind) {
    case 'step':
      return { kind: 'step', planned: planned(decision.step, context) };
    case 'done':
      return { kind: 'done' };
    case 'blocked': {
      const { findings } = decision;
      return { kind: 'blocked', findings, waivable: waivableOf(findings.map(({ code }) => code)) };
    }
  }
}

function waivableOf(codes: readonly string[]): Readonly<Record<string, 'approve' | 'skip'>> {
  const rows = codes.flatMap((code) => {
    const word = waivableBy(code);
    return word === 'never' ? [] : [[code, word] as const];
  });
  return Object.fromEntries(rows);
}

function planned(step: Step, context: Context): PlannedStep {
  const { observation, request } = context;
  const key = stepKey(step);
  return {
    step,
    effectVersion: EFFECT_VERSIONS[step.effect.kind],
    key,
    attempt: attemptDigest(key, step.effect, observation),
    approval: needsApproval(step, context) ? HANDOVER_APPROVAL : null,
    afterProof: comesAfterProof(step, request.target),
    keepsProof: step.phase === 'disableLeaderMigration' || step.phase === 'verify',
    recovers: step.name === 'finishManifest',
  };
}

/** Identifies what a step does, regardless of its stated reason. */
function stepKey({ name, effect }: Step): string {
  return digestJson([name, effect]);
}

function needsApproval(step: Step, { policy, request }: Context): boolean {
  if (request.approvals.includes(HANDOVER_APPROVAL)) return false;
  return wantsApproval(step, policy, request.target);
}

function probe(owner: Owner, context: Context): PlannedStep {
  const { target, probedBefore = null } = context.request;
  return planned(probeBalancerStep(owner, target, probedBefore), context);
}

function verify(since: Inventory): Step {
  return {
    name: 'verify',
    phase: 'verify',
    why: 'load balancers, Nodes and providerIDs must be what they were at the start',
    effect: { kind: 'verify', since },
    cures: [],
  };
}

const OWNER_WORDS = {
  kcm: 'the kube-controller-managers run the cloud controllers',
  ccm: 'the cloud-controller-managers run the cloud controllers',
  none: 'NO ONE runs the cloud controllers',
  both: 'the cloud controllers run TWICE',
  unknown: 'it is unknown who runs the cloud controllers',
} as const;

/** Describes a cluster for the person who has to decide what to do with it. */
export function describeCluster(observation: ClusterObservation, policy: MigrationPolicy): string {
  const nodes = observation.nodes.map(
    ({ name, kcm, ccm }) => `${name}: KCM ${slotText(kcm)}, CCM ${slotText(ccm)}`,
  );
  const owner = OWNER_WORDS[clusterOwner(observation, policy.lock.controllers)];
  return [owner, ...nodes, ...machineText(observation)].join('; ');
}

function machineText({ machinesOrdered }: ClusterObservation): readonly string[] {
  return machinesOrdered.map(({ name, state }) => `machine ${name} ${state}`);
}

function slotText({ manifest, processes }: ManagerSlot): string {
  switch (manifest.state) {
    case 'present':
      return configText(manifest.config);
    case 'absent':
      return processes.length === 0 ? 'absent' : 'without manifest but running';
    case 'interrupted':
      return 'removed, its successor not written yet';
    case 'parked':
      return 'parked';
    case 'unknown':
      return `unreadable (${manifest.why})`;
  }
}

function configText({ version, manager, cloudLoops, leaderMigration }: ManagerConfig): string {
  const side = manager === 'ccm' ? '' : cloudLoops ? ' in-tree' : ' external';
  const lock =
    leaderMigration.kind === 'off' ? '' : ` with Leader Migration ${leaderMigration.kind}`;
  return `${version}${side}${lock}`;
}

/**
 * Whether the cluster could be rolled back from here, as text: what the rules decide for target `kcm` on this observation,
 * their first step or the finding that blocks it.
 */
export function reversibilityOf(back: Decision, { access }: ClusterObservation): string {
  if (back.kind === 'blocked') {
    const [{ code, seen }] = back.findings;
    return `not possible now: ${code}, ${seen}`;
  }
  if (back.kind === 'done') return 'possible: the cluster is as it was before the migration';
  return access.leaseGrant === 'present'
    ? `possible; first: ${back.step.why}`
    : `possible, once Leader Migration and its Lease access are in place; first: ${back.step.why}`;
}

/**
 * Whether the policy requires an approval before this step, because it takes a cloud loop away from the source side. A
 * repair never waits.
 */
export function wantsApproval(
  { name, phase }: Pick<Step, 'name' | 'phase'>,
  { handoverApproval }: Pick<MigrationPolicy, 'handoverApproval'>,
  target: Target,
): boolean {
  if (target !== 'ccm' || handoverApproval === 'notRequired' || phase === 'repair') return false;
  return name === 'externalizeKcm' || name === 'removeMachine';
}

/** A step that rules out a rollback, or changes workers, waits until the control plane is proven. */
export function comesAfterProof({ phase }: Pick<Step, 'phase'>, target: Target): boolean {
  return phase === 'disableLeaderMigration' || (phase === 'rollWorkers' && target === 'ccm');
}
